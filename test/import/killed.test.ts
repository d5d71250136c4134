import { appendFileSync, rmSync } from 'node:fs';
import { describe } from 'vitest';
import {
  apply,
  cutAfter,
  cutBefore,
  ledgerFiles,
  namesIn,
  put,
  three,
} from '../support/import-cases.ts';
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
        ['dog', 'cat', 'emu'].map((name) => (isNew(name) ? 'created' : 'existing')),
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
  ] as const)('goes on if its ledger ends in %s', async (row, { runProcess, sandbox, folder }) => {
    const [, tail] = row;
    sandbox.plan = slow;
    const argv = [put(folder, three)];
    // In the wait for the limit, which makes nobody wait.
    await runProcess(argv, { isKilled: true });
    for (const ledger of ledgerFiles(folder)) appendFileSync(ledger, tail);

    const next = await runProcess(argv);

    expect(next).toMatchObject({ exitCode: 0, sent: ['list', 'emu', 'list'] });
    expect(next.lastedMs).toBeLessThan(60_000);
  });
});

test.for<[string, Create, string[]]>([
  ['a create that never arrived', vanish, ['cat']],
  ['a create that was carried out', createSilently, []],
])('the list decides alone: %s', async ([, create, creates], { runProcess, sandbox, folder }) => {
  const argv = [put(folder, three)];
  await runProcess(argv, { create, isKilled: true });
  for (const ledger of ledgerFiles(folder)) rmSync(ledger);

  const next = await runProcess(argv);

  expect(next.exitCode).toBe(0);
  expect(next.sent.filter((name) => name !== 'list')).toEqual(creates);
  expect(namesIn(sandbox)).toEqual(['cat', 'dog', 'emu']);
});

test('repeated rows do not count as not created', async ({ runProcess, folder }) => {
  await runProcess([put(folder, 'name\nyak\n', 'old.csv')]);
  const argv = [put(folder, 'name\nyak\nyak\ncat\nemu\n')];
  let isCut = false;
  const create: Create = (request, forward) => {
    if (isCut) return forward();
    isCut = true;
    return cutBefore(request);
  };

  const { stderr, sent } = await runProcess(argv, { create });

  expect(stderr).toContain('checked: 0 created, 1 not created, which will be sent again');
  expect(sent).toEqual(['list', 'cat', 'emu', 'list', 'cat', 'list']);
});

test('a disk full at any step loses no row, and makes none twice', async ({
  runProcess,
  sandbox,
  folder,
}) => {
  sandbox.plan = fast;
  const codes = new Set<number | undefined>();
  for (let fullAt = 0; fullAt < 32; fullAt += 1) {
    sandbox.categories.length = 0;
    const name = `${fullAt}.csv`;
    const argv = [put(folder, 'name\ncat\ndog\n', name)];
    codes.add((await runProcess(argv, { fullAt })).exitCode);

    const next = await runProcess(argv);

    expect(next.exitCode, `step ${fullAt}`).toBe(0);
    expect(namesIn(sandbox), `step ${fullAt}`).toEqual(['cat', 'dog']);
  }
  expect([...codes].sort()).toEqual([0, 74]);
});

function outcomesIn({ stdout }: ImportRun): string[] {
  return JSON.parse(stdout).items.map(({ outcome }: { readonly outcome: string }) => outcome);
}
