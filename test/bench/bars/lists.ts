import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { environment } from '../import/home.ts';
import type { Bar, Setup } from './bar.ts';
import { categoryText } from './service.ts';
import { benchKey } from './start.ts';
import { isInstalled, type Measured, type Program, takeTurns } from './turns.ts';

const most = 1_000_000;
const sizes = [1_000, 10_000, 100_000, most];
/** How much more memory the larger lists may take than 10,000 rows, where Node itself has little to do yet. */
const flat = 2;

/** Lists of up to a million categories, beside `curl | jq`; exactness is looked at once and not timed. */
export function measureLists({ runs, folder, service }: Setup): Bar[] {
  if (!(isInstalled('curl') && isInstalled('jq'))) {
    const note = 'curl or jq is not installed';
    return [{ what: 'lists', figure: undefined, unit: 'ratio', note }];
  }
  const peaks: number[] = [];
  const bars = sizes.flatMap((rows) => ndjsonOf(rows));
  const [small = Number.NaN, ...larger] = peaks.slice(1);
  return [
    ...bars,
    {
      what: 'NDJSON, most memory beyond 10,000 rows / of 10,000',
      ...(larger.length === sizes.length - 2
        ? { figure: Math.max(...larger) / small }
        : { figure: undefined, note: 'not all lists were read' }),
      unit: 'ratio',
      most: flat,
    },
    ...measure('table', most, 0.8),
    ...measure('csv', most, 0.8),
  ];

  function ndjsonOf(rows: number): Bar[] {
    const bars = measure('ndjson', rows, rows === most ? 0.45 : undefined, (peak) =>
      peaks.push(peak),
    );
    if (rows < most || bars.some(({ figure }) => figure === undefined)) return bars;
    const wrong = isExact(rows) ? {} : { figure: undefined, note: 'not what the service sent' };
    return bars.map((bar) => ({ ...bar, ...wrong }));
  }

  function measure(
    format: string,
    rows: number,
    atMost: number | undefined,
    onPeak?: (peak: number) => void,
  ): Bar[] {
    const what = `${rows.toLocaleString('en')} rows as ${format}`;
    const turns = Math.max(1, rows === most ? Math.ceil(runs / 5) : Math.ceil(runs / 3));
    let taken: Record<'ours' | 'theirs', Measured>;
    try {
      taken = takeTurns(turns, {
        ours: () => ours(format, rows),
        theirs: () => theirs(rows),
      });
    } catch (error) {
      const note = (error as Error).message;
      return [{ what, figure: undefined, unit: 'ratio', ...(atMost && { most: atMost }), note }];
    }
    const { seconds, peak } = taken.ours;
    if (peak !== undefined) onPeak?.(peak);
    return [
      {
        what: `${what} / curl | jq -c '.[]'`,
        figure: seconds / taken.theirs.seconds,
        unit: 'ratio',
        ...(atMost && { most: atMost }),
      },
      { what: `${what}, time`, figure: seconds, unit: 's' },
      { what: `${what}, most memory`, figure: peak, unit: 'MB', most: 150 },
    ];
  }

  function ours(format: string, rows: number): Program {
    const hook = ['--require', resolve('test/bench/import/peak.cjs')];
    const env = environment(folder, { url: service(rows), key: benchKey });
    return {
      argv: [process.execPath, ...hook, resolve('bin/petstore.js'), ...list(format)],
      env: { ...env, PETSTORE_BENCH_PEAK: join(folder, 'peak') },
    };
  }

  function theirs(rows: number): Program {
    const script = `curl --silent '${service(rows)}/categories' | jq -c '.[]'`;
    return { argv: ['sh', '-c', script], env: { PATH: process.env.PATH ?? '' } };
  }

  /** Whether every byte of every row is the service's. */
  function isExact(rows: number): boolean {
    const { env } = ours('ndjson', rows);
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

function list(format: string): readonly string[] {
  return ['categories', 'list', '--quiet', '--output', format];
}
