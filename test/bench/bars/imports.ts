import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { environment } from '../import/home.ts';
import { type Row, writeRows } from '../import/rows.ts';
import type { Bar, Setup } from './bar.ts';
import { benchKey } from './start.ts';
import { isInstalled, takeTurns } from './turns.ts';

/** An import of 10,000 rows, each exactly once and with a journal, beside curl that sends them with none. */
export function measureImport({ runs, folder, service }: Setup): Bar[] {
  const bar = {
    name: 'import of 10,000 rows / curl --parallel',
    unit: 'ratio',
    max: 6.5,
  } as const;
  if (!isInstalled('curl')) return [{ ...bar, figure: undefined, note: 'curl is not installed' }];
  const rows = Array.from({ length: 10_000 }, (_, n) => ({ name: `category ${n}` }));
  const file = join(folder, 'rows.csv');
  writeRows(file, rows, 'csv');
  const config = join(folder, 'rows.curl');
  writeFileSync(
    config,
    rows.map((row) => curlLines(`${service(0, 'curl')}/categories`, row)).join('next\n'),
  );

  const argv = [process.execPath, resolve('bin/petstore.js'), 'categories', 'import', file];
  const curl = ['curl', '--silent', '--parallel', '--parallel-max', '32', '--config', config];
  const taken = takeTurns(Math.ceil(runs / 3), {
    // A store and a state of its own each time, or nothing would be left to do.
    ours: (turn) => ({
      argv: [...argv, '--yes', '--quiet'],
      env: environment(join(folder, `${turn}`), { url: service(0, `${turn}`), key: benchKey }),
    }),
    theirs: () => ({ argv: curl, env: { PATH: process.env.PATH } }),
  });
  return [
    { ...bar, figure: taken.ours.seconds / taken.theirs.seconds },
    { name: 'import of 10,000 rows, time', figure: taken.ours.seconds, unit: 's' },
  ];
}

function curlLines(url: string, row: Row): string {
  return [
    `url = "${url}"`,
    `json = ${JSON.stringify(JSON.stringify(row))}`,
    `header = "authorization: Bearer ${benchKey}"`,
    'output = /dev/null',
    '',
  ].join('\n');
}
