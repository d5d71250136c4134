import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { environment } from '../home.ts';
import { writeRows } from '../import/rows.ts';
import type { Bar, Setup } from './bar.ts';
import { benchKey } from './start.ts';
import { takeTurns } from './turns.ts';

/** Measures an import of 10,000 rows, each exactly once and with a journal, beside curl, which sends them with none. */
export function measureImport({ runs, folder, service }: Setup): Bar[] {
  const rows = Array.from({ length: 10_000 }, (_, n) => ({ name: `category ${n}` }));
  const file = join(folder, 'rows.csv');
  writeRows(file, rows, 'csv');
  const config = join(folder, 'rows.curl');
  const requests = rows.map((row) =>
    [
      `url = "${service(0, 'curl')}/categories"`,
      `json = ${JSON.stringify(JSON.stringify(row))}`,
      `header = "authorization: Bearer ${benchKey}"`,
      'output = /dev/null\n',
    ].join('\n'),
  );
  writeFileSync(config, requests.join('next\n'));

  const argv = [process.execPath, resolve('bin/petstore.js'), 'categories', 'import', file];
  const curl = ['curl', '--silent', '--parallel', '--parallel-max', '32', '--config', config];
  const { ours, theirs } = takeTurns(Math.ceil(runs / 3), {
    // A service and a state of its own each time, or nothing would be left to do.
    ours: (turn) => ({
      argv: [...argv, '--yes', '--quiet'],
      env: environment(join(folder, `${turn}`), { url: service(0, `${turn}`), key: benchKey }),
    }),
    theirs: () => ({ argv: curl, env: { PATH: process.env.PATH } }),
  });
  const figure = ours.seconds / theirs.seconds;
  return [
    { name: 'import of 10,000 rows / curl --parallel', figure, unit: 'ratio', max: 6 },
    { name: 'import of 10,000 rows, time', figure: ours.seconds, unit: 's' },
  ];
}
