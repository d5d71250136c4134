import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { environment } from '../import/home.ts';
import type { Bar, Setup } from './bar.ts';
import { fetchAll } from './fetch-all.ts';
import { growthOf } from './growth.ts';
import { categoryText } from './service.ts';
import { benchKey } from './start.ts';
import { isInstalled, type Measured, type Program, takeTurns } from './turns.ts';

const most = 1_000_000;
const sizes = [1_000, 10_000, 100_000, most];
/** Each format, and the most time that the longest list may take in it, as a part of what the pipe takes; undefined where that has no bar. */
const formats = {
  ndjson: 0.45,
  table: 0.8,
  csv: 0.8,
  json: undefined,
  tsv: undefined,
  yaml: undefined,
} as const;
/** How much more memory the larger lists may take than 10,000 rows, where Node itself has little to do yet. */
const flat = 2;
const pipe = "curl | jq -c '.[]'";
/** GNU time: what the system tells a process of its children is the most memory that any of them took. */
const time = '/usr/bin/time';

/** Lists of up to a million categories, beside `curl | jq`; exactness is looked at once and not timed. */
export function measureLists({ runs, folder, service }: Setup): Bar[] {
  if (!(isInstalled('curl') && isInstalled('jq'))) {
    const note = 'curl or jq is not installed';
    return [{ what: 'lists', figure: undefined, unit: 'ratio', note }];
  }
  const peaks: number[] = [];
  const bars = sizes.flatMap(measure);
  const [small = Number.NaN, ...larger] = peaks.slice(1);
  return [
    ...bars,
    ...Object.keys(formats).flatMap((format) => [
      growthOf(`petstore, ${format}`, 's', bars),
      growthOf(`petstore, ${format}`, 'MB', bars),
    ]),
    {
      what: 'NDJSON, most memory beyond 10,000 rows / of 10,000',
      ...(larger.length === sizes.length - 2
        ? { figure: Math.max(...larger) / small }
        : { figure: undefined, note: 'not all lists were read' }),
      unit: 'ratio',
      most: flat,
    },
  ];

  function measure(rows: number): Bar[] {
    const turns = Math.max(1, rows === most ? Math.ceil(runs / 5) : Math.ceil(runs / 3));
    const text = `${rows.toLocaleString('en')} rows`;
    try {
      const taken = takeTurns(turns, {
        ndjson: () => ours('ndjson', rows),
        table: () => ours('table', rows),
        csv: () => ours('csv', rows),
        json: () => ours('json', rows),
        tsv: () => ours('tsv', rows),
        yaml: () => ours('yaml', rows),
        [pipe]: () => theirs(rows),
        'fetch script': () => fetchAll(withPeak(rows), peakHook),
      });
      const { [pipe]: piped, 'fetch script': fetched, ...own } = taken;
      if (own.ndjson.peak !== undefined) peaks.push(own.ndjson.peak);
      if (rows === most && !isExact(rows)) throw new Error('NDJSON is not what the service sent');
      return [
        ...Object.entries(own).flatMap(([format, measured]) => {
          const what = `${text} as ${format}`;
          const atMost = rows === most ? formats[format as keyof typeof formats] : undefined;
          const figure = measured.seconds / piped.seconds;
          return [
            {
              what: `${what} / ${pipe}`,
              figure,
              unit: 'ratio',
              ...(atMost && { most: atMost }),
            } as const,
            ...figuresOf(what, `petstore, ${format}`, measured, { most: 150 }),
          ];
        }),
        ...figuresOf(`${text} by ${pipe}`, pipe, piped),
        ...figuresOf(`${text} by a fetch script`, 'fetch script', fetched),
      ];
    } catch (error) {
      return [
        { what: text, figure: undefined, unit: 'ratio', most: 1, note: (error as Error).message },
      ];
    }

    function figuresOf(
      what: string,
      program: string,
      { seconds, quartiles, peak }: Measured,
      bar: { most?: number } = {},
    ): Bar[] {
      return [
        { what: `${what}, time`, figure: seconds, unit: 's', program, size: rows, quartiles },
        { what: `${what}, most memory`, figure: peak, unit: 'MB', ...bar, program, size: rows },
      ];
    }
  }

  function withPeak(rows: number): Program['env'] {
    const env = environment(folder, { url: service(rows), key: benchKey });
    return { ...env, PETSTORE_BENCH_PEAK: join(folder, 'peak') };
  }

  function ours(format: string, rows: number): Program {
    const argv = [process.execPath, ...peakHook, resolve('bin/petstore.js'), ...list(format)];
    return { argv, env: withPeak(rows) };
  }

  function theirs(rows: number): Program {
    const script = `curl --silent '${service(rows)}/categories' | jq -c '.[]'`;
    const env = withPeak(rows);
    const timed = [time, '--format', '%M', '--output', env.PETSTORE_BENCH_PEAK ?? ''];
    return { argv: [...(isInstalled(time) ? timed : []), 'sh', '-c', script], env };
  }

  /** Whether every byte of every row is the service's. */
  function isExact(rows: number): boolean {
    const env = withPeak(rows);
    const { stdout } = spawnSync(
      'sh',
      [
        '-c',
        '"$@" | sha256sum',
        'sh',
        process.execPath,
        resolve('bin/petstore.js'),
        ...list('ndjson'),
      ],
      { env, encoding: 'utf8' },
    );
    const expected = createHash('sha256');
    for (let n = 0; n < rows; n += 1) expected.update(`${categoryText(n)}\n`);
    return stdout.startsWith(expected.digest('hex'));
  }
}

const peakHook = ['--require', resolve('test/bench/import/peak.cjs')];

function list(format: string): readonly string[] {
  return ['categories', 'list', '--quiet', '--output', format];
}
