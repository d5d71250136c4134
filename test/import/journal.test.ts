import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe } from 'vitest';
import { apply, cutAfter, namesIn, put, stateFilesAbout, three } from '../support/import-cases.ts';
import {
  test as base,
  type Create,
  createSilently,
  type ImportRun,
  type ImportRuns,
  vanish,
} from '../support/import-runs.ts';
import { expect } from '../support/petstore.ts';

const settleMs = 180_000;
const slow = { minute: { limit: 3, length: 60_000 }, day: { limit: 9_999, length: 9e8 } };
const fast = { ...slow, minute: { limit: 999, length: 60_000 } };

const test = base.extend<ImportRuns>({
  runProcess: async ({ runProcess }, use) => {
    const command = ['categories', 'import', '--settle', '3m', '--max-wait', 'inf', ...apply];
    await use((argv, options) => runProcess([...command, ...argv], options));
  },
});

describe('an import that was killed', () => {
  test.for<[string, typeof slow, Create | undefined, number, string[]]>([
    ['waiting for the limit', slow, undefined, 0, ['emu']],
    ['waiting for the limit, cat unknown', slow, cutAfter, settleMs, ['emu']],
    ['with a request in flight that never arrives', fast, vanish, settleMs, ['cat']],
    ['with a request in flight that is carried out', fast, createSilently, settleMs, []],
  ])(
    '%s waits as long as it has to, and creates the rest',
    async ([, plan, create, waitMs, creates], { runProcess, sandbox, folder }) => {
      sandbox.plan = plan;
      const argv = [put(folder, three)];
      const first = await runProcess(argv, { create, isKilled: true });

      const next = await runProcess(argv);

      expect([first.exitCode, next.exitCode]).toEqual([undefined, 0]);
      const isNew = (name: string) => creates.includes(name);
      expect(outcomesIn(next)).toEqual(
        ['dog', 'cat', 'emu'].map((name) => (isNew(name) ? 'created' : 'created_before')),
      );
      expect([next.sent.at(0), next.sent.at(-1)]).toEqual(['list', 'list']);
      expect(next.sent.filter((name) => name !== 'list')).toEqual(creates);
      expect(next.firstSentMs).toBeGreaterThanOrEqual(waitMs);
      expect(next.lastedMs).toBeLessThan(waitMs + settleMs);
      expect(namesIn(sandbox)).toEqual(['cat', 'dog', 'emu']);
    },
  );

  test('with one in flight, one refused (429) waits', async ({
    petstore,
    runProcess,
    sandbox,
    folder,
  }) => {
    sandbox.plan = fast;
    // Then three may be in flight.
    for (let n = 0; n <= 10; n += 1) await petstore(['categories', 'list']);
    const argv = [put(folder, three)];
    const create: Create = (request) => {
      // Emu, which comes next, is one too many.
      sandbox.plan = { ...fast, minute: { limit: 2, length: 60_000 } };
      return vanish(request);
    };
    const first = await runProcess(argv, { create, isKilled: true });
    sandbox.plan = fast;

    const next = await runProcess(argv);

    expect([first.sent, next.exitCode]).toEqual([['list', 'dog', 'cat', 'emu'], 0]);
    expect(next.firstSentMs).toBeGreaterThanOrEqual(settleMs);
    expect(namesIn(sandbox)).toEqual(['cat', 'dog', 'emu']);
  });

  test('at any step creates the rest, and waits once', async ({ runProcess, sandbox, folder }) => {
    sandbox.plan = fast;
    for (let diesAt = 0, died = true; died; diesAt += 1) {
      sandbox.categories.length = 0;
      const names = ['a', 'b'].map((name) => `${name} ${diesAt}`);
      const argv = [put(folder, ['name', ...names].join('\n'), `${diesAt}.csv`)];
      const first = await runProcess(argv, { diesAt });
      died = first.exitCode === undefined;

      const next = await runProcess(argv);

      expect(next.exitCode, `step ${diesAt}`).toBe(0);
      expect(namesIn(sandbox), `step ${diesAt}`).toEqual(names);
      expect(next.lastedMs, `step ${diesAt}`).toBeLessThan(2 * settleMs);
    }
  });

  test.for([
    ['NULs', '\0'.repeat(256 * 1024)],
    ['half a line', '{"state":"sen'],
    ['text', 'rm -rf\n{}\n'],
  ] as const)('waits if its end is %s', async ([, tail], { runProcess, sandbox, folder }) => {
    sandbox.plan = slow;
    const argv = [put(folder, three)];
    // In the wait for the limit, which would make nobody wait.
    await runProcess(argv, { isKilled: true });
    for (const journal of stateFilesAbout(folder, 'pets.csv')) appendFileSync(journal, tail);

    const next = await runProcess(argv);

    expect(next).toMatchObject({ exitCode: 0, sent: ['list', 'emu', 'list'] });
    expect(next.firstSentMs).toBeGreaterThanOrEqual(settleMs);
  });

  test('goes on from a damaged journal, or names it', async ({ runProcess, sandbox, folder }) => {
    sandbox.plan = fast;
    const argv = [put(folder, three)];
    await runProcess(argv, { create: createSilently, isKilled: true });
    const [journal = ''] = stateFilesAbout(folder, 'pets.csv');
    const bytes = readFileSync(journal);
    // A last line that is damaged counts as torn: no request follows one that was not synced.
    const end = bytes.lastIndexOf('\n', -2);
    for (let at = 0; at < end; at += 47) {
      const damaged = Buffer.from(bytes);
      damaged.writeUInt8((damaged.readUInt8(at) + 1) % 256, at);
      writeFileSync(journal, damaged);

      const next = await runProcess(argv);

      expect(next, `byte ${at}`).toMatchObject(
        next.exitCode === 0
          ? { sent: ['list'] }
          : { exitCode: 2, sent: [], stdout: '', stderr: expect.stringContaining(journal) },
      );
      expect(namesIn(sandbox), `byte ${at}`).toEqual(['cat', 'dog', 'emu']);
    }
  });
});

test.for<[string, Create, string[]]>([
  ['a create that never arrived', vanish, ['cat']],
  ['a create that was carried out', createSilently, []],
])('the list decides alone: %s', async ([, create, creates], { runProcess, sandbox, folder }) => {
  const argv = [put(folder, three)];
  await runProcess(argv, { create, isKilled: true });
  for (const journal of stateFilesAbout(folder, 'pets.csv')) rmSync(journal);

  const next = await runProcess(argv);

  expect(next.exitCode).toBe(0);
  expect(next.sent.filter((name) => name !== 'list')).toEqual(creates);
  expect(namesIn(sandbox)).toEqual(['cat', 'dog', 'emu']);
});

test('repeated rows do not count as not created', async ({ runProcess, folder }) => {
  await runProcess([put(folder, 'name\nyak\n', 'old.csv')]);
  const argv = [put(folder, 'name\nyak\nyak\ncat\nemu\n')];
  await runProcess(argv, { create: vanish, isKilled: true });

  const { stderr, sent } = await runProcess(argv);

  expect(stderr).toContain('checked: 0 created, 1 not created, which will be sent again');
  expect(sent).toEqual(['list', 'cat', 'list']);
});

test('a disk full at any step hides no created row', async ({ runProcess, sandbox, folder }) => {
  sandbox.plan = fast;
  const codes = new Set<number | undefined>();
  for (let fullAt = 0; fullAt < 32; fullAt += 1) {
    sandbox.categories.length = 0;
    const name = `${fullAt}.csv`;
    const argv = [put(folder, 'name\ncat\ndog\n', name)];
    codes.add((await runProcess(argv, { fullAt })).exitCode);
    const [journal] = stateFilesAbout(folder, `/${name}"`);
    const text = journal ? readFileSync(journal, 'utf8') : '';
    const isWhole = (text.match(/"row"/g) ?? []).length === sandbox.categories.length;

    const next = await runProcess(argv);

    expect(isWhole || !text.endsWith('{"state":"idle"}\n'), `step ${fullAt}`).toBe(true);
    expect(next.exitCode, `step ${fullAt}`).toBe(0);
    expect(namesIn(sandbox), `step ${fullAt}`).toEqual(['cat', 'dog']);
  }
  expect([...codes].sort()).toEqual([0, 74]);
});

function outcomesIn({ stdout }: ImportRun): string[] {
  return JSON.parse(stdout).items.map(({ outcome }: { readonly outcome: string }) => outcome);
}
