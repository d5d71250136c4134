import { join, resolve } from 'node:path';
import { environment } from '../import/home.ts';
import { writeRows } from '../import/rows.ts';
import type { Bar, Setup } from './bar.ts';
import { growthOf } from './growth.ts';
import { benchKey } from './start.ts';
import { takeTurns } from './turns.ts';

const program = 'petstore categories import';
/** The last is the longest file that can be imported, and is imported once. */
const sizes = [100, 1_000, 10_000, 100_000];

/** Time and memory of an import without limits, by its rows. */
export function measureImportSizes({ runs, folder, service }: Setup): Bar[] {
  const bars = sizes.flatMap((size) => {
    const file = join(folder, `${size}.csv`);
    const rows = Array.from({ length: size }, (_, n) => ({ name: `category ${n}` }));
    writeRows(file, rows, 'csv');
    const once = size === sizes.at(-1);
    const { ours } = takeTurns(
      once ? 1 : Math.ceil(runs / 3),
      {
        // A store and a state of its own each time, or nothing would be left to do.
        ours: (turn) => {
          const home = join(folder, `${size}-${turn}`);
          const env = environment(home, { url: service(0, `${size}-${turn}`), key: benchKey });
          const hook = ['--require', resolve('test/bench/import/peak.cjs')];
          const args = ['categories', 'import', file, '--yes', '--quiet'];
          return {
            argv: [process.execPath, ...hook, resolve('bin/petstore.js'), ...args],
            env: { ...env, PETSTORE_BENCH_PEAK: join(folder, 'peak') },
          };
        },
      },
      once ? 0 : 1,
    );
    const what = `import of ${size.toLocaleString('en')} rows`;
    const { seconds, quartiles, peak } = ours;
    return [
      { what: `${what}, time`, figure: seconds, unit: 's', program, size, quartiles } as const,
      { what: `${what}, most memory`, figure: peak, unit: 'MB', program, size } as const,
    ];
  });
  return [...bars, growthOf(program, 's', bars), growthOf(program, 'MB', bars)];
}
