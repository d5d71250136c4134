import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { environment } from '../import/home.ts';
import type { Bar, Setup } from './bar.ts';
import { categoryText } from './service.ts';
import { benchKey } from './start.ts';
import { isInstalled, type Program, type Turn, takeTurns } from './turns.ts';

const rows = 1_000_000;
const maxPeakMb = 160;
/** Each format, and the most CPU time that it may take, as a fraction of that of the pipe. */
const formats = { ndjson: 0.55, table: 0.9, csv: 0.9, json: 0.9, tsv: 0.9, yaml: 0.9 } as const;
const pipe = "curl | jq -c '.[]'";

/** A list of a million categories in each format beside `curl | jq`; that it is exact is looked at once and not timed. */
export function measureLists({ runs, folder, service }: Setup): Bar[] {
  if (!(isInstalled('curl') && isInstalled('jq'))) {
    const note = 'curl or jq is not installed';
    return [{ name: 'lists', figure: undefined, unit: 'ratio', note }];
  }
  const url = service(rows);
  const env = {
    ...environment(folder, { url, key: benchKey }),
    PETSTORE_BENCH_PEAK: join(folder, 'peak'),
  };
  const programs: Record<string, Turn> = { [pipe]: () => theirs };
  const script = `curl --silent '${url}/categories' | jq -c '.[]'`;
  const theirs: Program = { argv: ['sh', '-c', script], env: { PATH: process.env.PATH } };
  const hook = ['--require', resolve('test/bench/import/peak.cjs')];
  const ours = (format: string) => [
    ...[process.execPath, ...hook, resolve('bin/petstore.js')],
    ...['categories', 'list', '--quiet', '--output', format],
  ];
  for (const format of Object.keys(formats)) programs[format] = () => ({ argv: ours(format), env });

  const taken = takeTurns(Math.ceil(runs / 5), programs);
  const piped = taken[pipe]?.cpuSeconds ?? Number.NaN;
  return [
    { name: `1,000,000 rows by ${pipe}, CPU`, figure: piped, unit: 's' },
    ...Object.entries(formats).flatMap(([format, max]): Bar[] => [
      {
        name: `1,000,000 rows as ${format} / the pipe, CPU`,
        figure: (taken[format]?.cpuSeconds ?? Number.NaN) / piped,
        unit: 'ratio',
        max,
      },
      {
        name: `1,000,000 rows as ${format}, peak memory`,
        figure: taken[format]?.peak,
        unit: 'MB',
        max: maxPeakMb,
      },
    ]),
    isExact(ours('ndjson'), env),
  ];
}

function isExact(argv: readonly string[], env: Program['env']): Bar {
  const hash = ['sh', '-c', '"$@" | sha256sum', 'sh', ...argv];
  const { stdout } = spawnSync('env', hash, { env, encoding: 'utf8' });
  const expected = createHash('sha256');
  for (let n = 0; n < rows; n += 1) expected.update(`${categoryText(n)}\n`);
  const isSame = stdout.startsWith(expected.digest('hex'));
  return {
    name: 'NDJSON rows that differ from the service’s',
    figure: isSame ? 0 : 1,
    unit: 'ratio',
    max: 0,
  };
}
