import { existsSync, mkdirSync, readdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apply, test as base, namesIn, pets, three } from '../support/import-cases.ts';
import { expect } from '../support/petstore.ts';
import { respondAfter } from '../support/told.ts';

type Names = { readonly folder: string; readonly scope: string };

const test = base.extend<{ names: Names }>({
  /** The folder of the marks, and how the names of those of the service begin. Owl was created, and its mark is gone. */
  names: async ({ petstore, sandbox, folder }, use) => {
    await petstore(['categories', 'create', 'owl', '--if-missing']);
    sandbox.requests.length = 0;
    const names = join(folder, 'state', 'names');
    const [lock = ''] = readdirSync(names);
    await use({ folder: names, scope: lock.replace('.lock', '') });
  },
});

const id = '00000000-0000-4000-8000-000000000000';
const process = { pid: 1, host: 'another', doing: 'importing', v: 2 };
const mark = (fields: object) => JSON.stringify({ ...process, ...fields });
const year = (number: number) => Date.UTC(number);
const longAgo = year(1970);

test.for<[what: string, text: string, touchedAt: number | undefined, waitMs: number]>([
  ['nothing in it', '', undefined, 150_000],
  ['half a line', mark({ since: year(2026) }).slice(0, 20), undefined, 150_000],
  ['a later version', mark({ v: 3, since: year(2026) }), undefined, 150_000],
  ['an absurd moment', mark({ since: 1e300 }), undefined, 150_000],
  ['the year 9999 as its time', `${mark({ since: year(2026) })}\nall`, year(9999), 0],
  ['a time of before its process', '', longAgo, 150_000],
])('a mark with %s makes no second create', async (row, { importText, names, sandbox, clock }) => {
  const [, text, touchedAt, waitMs] = row;
  const file = join(names.folder, `${names.scope}.${id}.sent`);
  writeFileSync(file, text);
  const at = (touchedAt ?? clock.now()) / 1_000;
  utimesSync(file, at, at);
  const start = clock.uptime();

  const { exitCode, stderr } = await importText(three, [...apply, '--max-wait', '10m']);

  expect(exitCode, stderr).toBe(0);
  expect(clock.uptime() - start).toBeGreaterThanOrEqual(waitMs);
  expect(clock.uptime() - start).toBeLessThan(waitMs + 60_000);
  expect(namesIn(sandbox).filter((name) => name !== 'owl')).toEqual(['cat', 'dog', 'emu']);
  expect(readdirSync(names.folder).filter((name) => name.includes(id))).toHaveLength(
    waitMs ? 0 : 1,
  );
});

test('a run whose names were taken sends no more', async ({
  importText,
  names,
  sandbox,
  clock,
}) => {
  sandbox.react = ({ method }) => {
    if (method !== 'POST') return undefined;
    for (const file of readdirSync(names.folder).filter((name) => name.endsWith('.sent'))) {
      renameSync(join(names.folder, file), join(names.folder, file.replace('.sent', '.ended')));
    }
    return respondAfter(clock, 12_000);
  };

  const { exitCode, stderr } = await importText(pets(40), ['--yes']);

  expect(exitCode, stderr).toBe(74);
  expect(stderr).toContain('another petstore process has taken over these names');
  expect(namesIn(sandbox).length, 'owl and what was in flight').toBeLessThanOrEqual(17);
});

test('a folder in place of a mark: 74, nothing sent', async ({ importText, names, sandbox }) => {
  mkdirSync(join(names.folder, `${names.scope}.${id}`));

  const { exitCode, stderr } = await importText(three, ['--yes']);

  expect([exitCode, sandbox.requests]).toEqual([74, []]);
  expect(stderr).toContain('is a directory');
});

test('what killed processes left is removed', async ({ importText, names, clock }) => {
  const limits = join(names.folder, '..', 'limits');
  const [limit = ''] = readdirSync(limits);
  const folders = [names.folder, join(limits, limit)];
  const left = folders.flatMap((place, index) =>
    [2, 0].map((hours) => {
      const file = join(place, `${hours}.${id.slice(0, -1)}${index}.tmp`);
      mkdirSync(place, { recursive: true });
      writeFileSync(file, '');
      const at = clock.now() / 1_000 - hours * 3_600 - 60;
      utimesSync(file, at, at);
      return file;
    }),
  );
  const marks = ['', '.sent'].map((end) => join(names.folder, `${names.scope}.${id}${end}`));
  for (const file of marks) writeFileSync(file, `${mark({ since: year(2026) })}\nanother-key`);

  const options = { context: { isRunning: () => false } };
  const { exitCode, stderr } = await importText(three, apply, options);

  expect(exitCode, stderr).toBe(0);
  expect(left.map((file) => existsSync(file))).toEqual([false, true, false, true]);
  expect(marks.map((file) => existsSync(file))).toEqual([false, true]);
});
