import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { environment } from '../home.ts';
import type { Bar, Setup } from './bar.ts';
import { categoryText } from './service.ts';
import { benchKey } from './start.ts';
import { type Program, type Turn, takeTurns } from './turns.ts';

const rows = 1_000_000;
const maxPeakMb = 160;
/** Each format, and the most CPU time that it may take, as a fraction of that of the pipe. */
const formats = { ndjson: 0.55, table: 0.9, csv: 0.9, json: 0.9, tsv: 0.9, yaml: 0.9 } as const;
const pipe = "curl | jq -c '.[]'";

/** Measures a list of a million categories in each format beside `curl | jq`. Whether it is exact is not timed. */
export function measureLists({ runs, folder, service }: Setup): Bar[] {
  const url = service(rows);
  const env = {
    ...environment(folder, { url, key: benchKey }),
    PETSTORE_BENCH_PEAK: join(folder, 'peak'),
  };
  const script = `curl --silent '${url}/categories' | jq -c '.[]'`;
  const theirs: Program = { argv: ['sh', '-c', script], env: { PATH: process.env.PATH } };
  const hook = ['--require', resolve('test/bench/import/peak.cjs')];
  const ours = (format: string) => [
    ...[process.execPath, ...hook, resolve('bin/petstore.js')],
    ...['categories', 'list', '--quiet', '--output', format],
  ];
  const programs: Record<string, Turn> = { [pipe]: () => theirs };
  for (const format of Object.keys(formats)) programs[format] = () => ({ argv: ours(format), env });

  const taken = takeTurns(Math.ceil(runs / 5), programs);
  const piped = taken[pipe]?.cpuSeconds ?? Number.NaN;
  const bars: Bar[] = [{ name: `1,000,000 rows by ${pipe}, CPU`, figure: piped, unit: 's' }];
  for (const [format, max] of Object.entries(formats)) {
    const { cpuSeconds = Number.NaN, peak = Number.NaN } = taken[format] ?? {};
    const name = `1,000,000 rows as ${format}`;
    bars.push({ name: `${name} / the pipe, CPU`, figure: cpuSeconds / piped, unit: 'ratio', max });
    bars.push({ name: `${name}, peak memory`, figure: peak, unit: 'MB', max: maxPeakMb });
  }
  const figure = isExact(ours('ndjson'), env) ? 0 : 1;
  const name = 'NDJSON rows that differ from the service’s';
  return [...bars, { name, figure, unit: 'ratio', max: 0 }];
}

function isExact(argv: readonly string[], env: Program['env']): boolean {
  const hash = ['sh', '-c', '"$@" | sha256sum', 'sh', ...argv];
  const { stdout } = spawnSync('env', hash, { env, encoding: 'utf8' });
  const expected = createHash('sha256');
  for (let n = 0; n < rows; n += 1) expected.update(`${categoryText(n)}\n`);
  return stdout.startsWith(expected.digest('hex'));
}
