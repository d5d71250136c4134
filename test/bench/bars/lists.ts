import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { environment } from '../home.ts';
import type { Bar, Setup } from './bar.ts';
import { type Kind, kinds } from './kinds.ts';
import { benchKey } from './start.ts';
import { type Program, type Turn, takeTurns } from './turns.ts';

const rows = 1_000_000;
const maxPeakMb = 160;
/** Each format, and the most CPU time that it may take, as a fraction of that of the pipe. */
const formats = { ndjson: 0.55, table: 0.9, csv: 0.9, json: 0.9, tsv: 0.9, yaml: 0.9 } as const;
const pipe = "curl | jq -c '.[]'";
const maxMixed = 0.85;
const rowsOfKinds = 100_000;
/** How much longer than ASCII each kind may take, in each format. */
const maxOfKinds = { chinese: 2.5, arabic: 2.5, hindi: 2.5, 'emoji sequences': 5, mixed: 1.5 };

/** Measures lists of many categories, of all kinds of text, in each format beside `curl | jq`. Whether they are exact is not timed. */
export function measureLists(setup: Setup): Bar[] {
  const env = (kind: Kind) => environmentOf(setup, rows, kind);
  const programs: Record<string, Turn> = {
    [pipe]: pipeOf(setup, rows, 'ascii'),
    [`${pipe}, mixed`]: pipeOf(setup, rows, 'mixed'),
    'ndjson, mixed': () => ({ argv: list('ndjson'), env: env('mixed') }),
  };
  for (const format of Object.keys(formats)) {
    programs[format] = () => ({ argv: list(format), env: env('ascii') });
  }
  const taken = takeTurns<string>(Math.ceil(setup.runs / 5), programs);
  const cpu = (name: string) => taken[name]?.cpuSeconds ?? Number.NaN;
  const bars: Bar[] = [{ name: `1,000,000 rows by ${pipe}, CPU`, figure: cpu(pipe), unit: 's' }];
  for (const [format, max] of Object.entries(formats)) {
    const name = `1,000,000 rows as ${format}`;
    const peak = taken[format]?.peak ?? Number.NaN;
    bars.push({
      name: `${name} / the pipe, CPU`,
      figure: cpu(format) / cpu(pipe),
      unit: 'ratio',
      max,
    });
    bars.push({ name: `${name}, peak memory`, figure: peak, unit: 'MB', max: maxPeakMb });
  }
  const ofMixed = cpu('ndjson, mixed') / cpu(`${pipe}, mixed`);
  const name = '1,000,000 mixed rows as ndjson / the pipe, CPU';
  bars.push({ name, figure: ofMixed, unit: 'ratio', max: maxMixed });
  const wrong = isExact(list('ndjson'), env('ascii')) ? 0 : 1;
  const nameOfWrong = 'NDJSON rows that differ from the service’s';
  bars.push({ name: nameOfWrong, figure: wrong, unit: 'ratio', max: 0 });
  return [...bars, ...Object.keys(formats).flatMap((format) => measureKinds(setup, format))];
}

/** Measures how much longer than ASCII each kind of text takes in a format, and each beside the pipe. */
function measureKinds(setup: Setup, format: string): Bar[] {
  const programs: Record<string, Turn> = {};
  for (const kind of Object.keys(kinds) as Kind[]) {
    programs[kind] = () => ({ argv: list(format), env: environmentOf(setup, rowsOfKinds, kind) });
    programs[`${kind}, piped`] = pipeOf(setup, rowsOfKinds, kind);
  }
  const taken = takeTurns<string>(Math.ceil(setup.runs / 5), programs);
  const cpu = (name: string) => taken[name]?.cpuSeconds ?? Number.NaN;
  return Object.entries(maxOfKinds).flatMap(([kind, max]) => [
    {
      name: `${format}: ${kind} / ascii, CPU`,
      figure: cpu(kind) / cpu('ascii'),
      unit: 'ratio',
      max,
    },
    {
      name: `${format}: ${kind} / the pipe, CPU`,
      figure: cpu(kind) / cpu(`${kind}, piped`),
      unit: 'ratio',
    },
  ]);
}

function list(format: string): string[] {
  return [
    ...[process.execPath, '--require', resolve('test/bench/import/peak.cjs')],
    ...[resolve('bin/petstore.js'), 'categories', 'list', '--quiet', '--output', format],
  ];
}

function environmentOf({ folder, service }: Setup, rows: number, kind: Kind): Program['env'] {
  const env = environment(folder, { url: service(rows, kind), key: benchKey });
  return { ...env, PETSTORE_BENCH_PEAK: join(folder, 'peak') };
}

function pipeOf({ service }: Setup, rows: number, kind: Kind): Turn {
  const script = `curl --silent '${service(rows, kind)}/categories' | jq -c '.[]'`;
  return () => ({ argv: ['sh', '-c', script], env: { PATH: process.env.PATH } });
}

function isExact(argv: readonly string[], env: Program['env']): boolean {
  const hash = ['sh', '-c', '"$@" | sha256sum', 'sh', ...argv];
  const { stdout } = spawnSync('env', hash, { env, encoding: 'utf8' });
  const expected = createHash('sha256');
  for (let n = 0; n < rows; n += 1) expected.update(`${kinds.ascii(n)}\n`);
  return stdout.startsWith(expected.digest('hex'));
}
