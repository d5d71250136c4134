import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test as base, three } from '../support/import-cases.ts';
import { expect } from '../support/petstore.ts';
import { putValue } from '../support/values.ts';

/** The folder of the turn of the service, in which owl was created. */
const test = base.extend<{ turn: string }>({
  turn: async ({ petstore, sandbox, folder }, use) => {
    await petstore(['categories', 'create', 'owl', '--if-missing']);
    sandbox.requests.length = 0;
    const turns = join(folder, 'state', 'turns');
    await use(join(turns, readdirSync(turns)[0] ?? ''));
  },
});

const newest = (turn: string) => join(turn, `${Math.max(...readdirSync(turn).map(Number))}`);

const write = (text: string) => (turn: string) => writeFileSync(newest(turn), text);

test.for<[what: string, damage: (turn: string) => void, says: string]>([
  ['nothing in it', write(''), 'cannot read'],
  ['half a value', write('{"v":2,"hol'), 'cannot read'],
  ['an absurd moment', (turn) => putValue(turn, { v: 2, unsettledAt: 1e300 }), 'cannot read'],
  ['a folder in its place', (turn) => mkdirSync(`${newest(turn)}0`), 'is a directory'],
])(
  'a turn with %s: 74, nothing sent, until it is deleted',
  async (row, { importText, turn, sandbox }) => {
    const [, damage, says] = row;
    damage(turn);

    const { exitCode, stderr, events } = await importText(three);

    expect([exitCode, sandbox.requests]).toEqual([74, []]);
    expect(stderr).toContain(says);
    expect(events().at(-1)).toMatchObject({ outcome: 'not_sent' });
    rmSync(turn, { recursive: true });
    expect(await importText(three)).toMatchObject({ exitCode: 0 });
  },
);

test('what killed processes left is removed', async ({ importText, turn, clock }) => {
  const id = '00000000-0000-4000-8000-000000000000';
  const left = [2, 0].map((hours) => {
    const file = join(turn, `next.${id.slice(0, -1)}${hours}.tmp`);
    writeFileSync(file, '');
    const at = clock.now() / 1_000 - hours * 3_600 - 60;
    utimesSync(file, at, at);
    return file;
  });

  const { exitCode, stderr } = await importText(three);

  expect(exitCode, stderr).toBe(0);
  expect(left.map((file) => existsSync(file))).toEqual([false, true]);
  expect(readdirSync(turn).length).toBeLessThan(10);
});
