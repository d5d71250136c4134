import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, launcher, test } from '../support/program.ts';
import { startService } from '../support/service.ts';
import { runMeasured } from './peak.ts';

const text = 'x'.repeat(50);
const table = (mark: string) => (rows: number[]) =>
  ['name', 'description'].join(mark) + rows.map((n) => `\n${n}${mark}${text}`).join('');
const objects = (rows: number[]) =>
  rows.map((n) => `{"name":"${n}","description":"${text}"}`).join(',\n');

test.for<[format: string, write: (rows: number[]) => string, place: string]>([
  ['csv', table(','), '100002'],
  ['tsv', table('\t'), '100002'],
  ['json', (rows) => `[${objects(rows)}]`, '100001:1'],
  ['ndjson', (rows) => objects(rows).replaceAll('},', '}'), '100001:1'],
])(
  '100,000 rows of %s take at most 200 MB, and one more is refused',
  async (row, { execute, folder }) => {
    const [format, write, place] = row;
    const { url, key } = await startService();
    const file = join(folder, `pets.${format}`);
    const env = { PETSTORE_BASE_URL: url, PETSTORE_API_KEY: key };
    const argv = [launcher, 'categories', 'import', file, '--dry-run', '--json'] as const;
    const run = (rows: number) => {
      writeFileSync(file, write([...Array(rows).keys()]));
      return runMeasured({ execute, folder }, argv, env);
    };

    const { stdout, peakMiB } = await run(100_000);
    expect(JSON.parse(stdout).counts).toEqual({ create: 100_000 });
    expect(peakMiB).toBeLessThan(200);

    const { code, stderr } = await run(100_001);
    const message = `${file}:${place}: more than 100,000 rows; the rest was not read`;
    expect(code).toBe(2);
    expect(JSON.parse(stderr)).toMatchObject({ message, outcome: 'not_sent' });
  },
);
