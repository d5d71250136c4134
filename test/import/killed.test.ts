import { basename } from 'node:path';
import { describe } from 'vitest';
import type { Clock } from '../support/clock.ts';
import {
  apply,
  type Create,
  createSilently,
  cutAfter,
  cutBefore,
  namesIn,
  patient,
  put,
  test,
  three,
  vanish,
} from '../support/import-cases.ts';
import { createKillable, type KillPlan } from '../support/killable.ts';
import { expect } from '../support/petstore.ts';
import { stateFiles } from '../support/state-files.ts';
import { never } from '../support/told.ts';
import { plans } from '../support/values.ts';

const all = ['cat', 'dog', 'emu'];
const slow = { ...plans.business, minute: { limit: 3, length: 60_000 } };
const fast = { ...plans.business, minute: { limit: 999, length: 60_000 } };
const afterKillMs = 120_000;
const settleMs = 180_000;
const ifMissing = ['categories', 'create', 'cat', '--if-missing', '--json', ...patient];

function importing(file: string, ...flags: string[]): string[] {
  return ['categories', 'import', file, ...apply, ...patient, ...flags];
}

/** Arrives so late that a run which did not wait would send it again. */
function createLate(clock: Clock): Create {
  return (request, forward) => {
    void clock.sleep(110_000, never).then(() => createSilently(request, forward));
    return vanish(request);
  };
}

describe('an import that was killed', () => {
  type Killed = [how: string, typeof slow, Create | undefined, waitMs: number, sent: string[]];
  test.for<Killed>([
    ['waiting for the limit', slow, undefined, 0, ['list', 'emu', 'list']],
    ['waiting for the limit, cat unknown', slow, cutAfter, settleMs, ['list', 'emu', 'list']],
    ['with a request in flight', fast, vanish, settleMs, ['list', 'cat', 'list']],
    ['with one in flight that is carried out', fast, createSilently, settleMs, ['list']],
  ])(
    '%s waits as long as it has to, and creates the rest',
    async ([, plan, create, waitMs, sent], { runProcess, sandbox, folder }) => {
      sandbox.plan = plan;
      const argv = importing(put(folder, three), '--settle', '3m');
      await runProcess(argv, { create, isKilled: true });

      const next = await runProcess(argv);

      expect(next).toMatchObject({ exitCode: 0, sent });
      expect(JSON.parse(next.stdout).items).toMatchObject(
        ['dog', 'cat', 'emu'].map((name) => ({
          outcome: sent.includes(name) ? 'created' : 'existing',
        })),
      );
      expect(next.firstSentMs).toBeGreaterThanOrEqual(waitMs);
      expect(next.lastedMs).toBeLessThan(waitMs + settleMs);
      expect(namesIn(sandbox)).toEqual(all);
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
    for (let n = 0; n <= 10; n += 1) await petstore('categories list');
    const argv = importing(put(folder, three));
    const create: Create = (request) => {
      // Emu, which comes next, is one too many.
      sandbox.plan = { ...fast, minute: { limit: 2, length: 60_000 } };
      return vanish(request);
    };
    const first = await runProcess(argv, { create, isKilled: true });
    sandbox.plan = fast;

    const next = await runProcess(argv);

    expect([first.sent, next.exitCode]).toEqual([['list', 'dog', 'cat', 'emu'], 0]);
    expect(next.firstSentMs).toBeGreaterThanOrEqual(afterKillMs);
    expect(namesIn(sandbox)).toEqual(all);
  });

  test('goes on at once with --settle 0', async ({ runProcess, sandbox, folder }) => {
    const file = put(folder, three);
    await runProcess(importing(file), { create: createSilently, isKilled: true });

    const next = await runProcess(importing(file, '--settle', '0'));

    expect(next.exitCode).toBe(0);
    expect(next.lastedMs).toBeLessThan(1_000);
    expect(namesIn(sandbox)).toEqual(all);
  });

  type Argv = (folder: string) => string[];
  const one: Argv = (folder) => importing(put(folder, 'name\nfox\ncat\n', 'one.csv'));
  const owl: Argv = (folder) => importing(put(folder, 'name\nowl\n', 'owl.csv'));
  const cat: Argv = () => ifMissing;
  test.for<[next: string, killed: string, first: Argv, second: Argv]>([
    ['an import of one of them', 'a create', cat, one],
    ['a create of one of them', 'an import', one, cat],
    ['an import of others', 'an import', one, owl],
  ])(
    '%s waits 2m, killed: %s',
    async ([, , first, second], { runProcess, sandbox, folder, clock }) => {
      await runProcess(first(folder), { create: createLate(clock), isKilled: true });

      const next = await runProcess(second(folder));
      const again = await runProcess(second(folder));

      expect([next.exitCode, again.exitCode]).toEqual([0, 0]);
      expect(next.lastedMs).toBeGreaterThanOrEqual(afterKillMs);
      expect(next.lastedMs).toBeLessThan(afterKillMs + 60_000);
      expect(again.lastedMs).toBeLessThan(60_000);
      expect(namesIn(sandbox)).toEqual([...new Set(namesIn(sandbox))]);
    },
  );
});

test.for<[how: string, exitCode: number, waits: boolean, create?: (clock: Clock) => Create]>([
  ['at the limit', 75, false],
  ['with an outcome unknown', 6, true, () => cutAfter],
  ['by Ctrl-C', 130, true, createLate],
])(
  'an import that ended %s goes on elsewhere, and waits: %s',
  async (row, { runProcess, sandbox, folder, clock }) => {
    const [, exitCode, waits, create] = row;
    sandbox.plan = slow;
    const argv = importing(put(folder, three));
    const first = await runProcess([...argv, '--max-wait', exitCode === 130 ? 'inf' : '0'], {
      create: create?.(clock),
      ctrlCAfterMs: exitCode === 130 ? 5_000 : undefined,
      host: 'one',
    });
    sandbox.plan = plans.business;

    const next = await runProcess([...argv, '--max-wait', '2m'], { host: 'another' });

    // By then the service has carried out what was in flight at Ctrl-C.
    await clock.sleep(afterKillMs, never);
    expect([first.exitCode, next.exitCode]).toEqual([exitCode, 0]);
    expect(next.stderr.includes('"reason":"settle"')).toBe(waits);
    expect(namesIn(sandbox)).toEqual(all);
  },
);

describe('a create with --if-missing, after one of the same name', () => {
  /** Of two minutes, after 30 s of another run. */
  const restMs = 85_000;

  test('that was killed waits for the rest of 2m, and says why', async ({ runProcess }) => {
    await runProcess(ifMissing, { create: vanish, isKilled: true });

    const interrupted = await runProcess(ifMissing, { ctrlCAfterMs: 30_000 });
    const next = await runProcess(ifMissing);
    const last = await runProcess(ifMissing);

    expect(interrupted).toMatchObject({ exitCode: 130, sent: ['list'], stdout: '' });
    expect(interrupted.stderr).toMatch(/may have created the same name: checking .* in 2m"/);
    expect(next).toMatchObject({ exitCode: 0, sent: ['list', 'list', 'cat'] });
    expect(next.lastedMs).toBeGreaterThanOrEqual(restMs);
    expect(last).toMatchObject({ exitCode: 0, sent: ['list'] });
    expect(last.lastedMs).toBeLessThan(afterKillMs);
  });

  test.for<[how: string, code: number | undefined, waitMs: number, first: object]>([
    [
      'was killed, and is listed, does not wait',
      undefined,
      0,
      { create: createSilently, isKilled: true },
    ],
    ['has looked up its outcome does not wait', 6, 0, { create: cutBefore }],
    ['was to look it up at Ctrl-C waits', 130, restMs, { create: cutBefore, ctrlCAfterMs: 30_000 }],
  ])('that %s', async ([, code, waitMs, options], { runProcess, sandbox }) => {
    const first = await runProcess(ifMissing, options);

    const next = await runProcess(ifMissing);

    expect([first.exitCode, next.exitCode]).toEqual([code, 0]);
    expect(next.lastedMs).toBeGreaterThanOrEqual(waitMs);
    expect(next.lastedMs).toBeLessThan(waitMs + 60_000);
    expect(namesIn(sandbox)).toEqual(['cat']);
  });
});

test.for<[what: string, plan: (step: number) => KillPlan]>([
  ['killed', (step) => ({ diesAt: step })],
  ['short of disk', (step) => ({ fullAt: step, fullFor: 2 })],
])(
  'an import that is %s at any step loses no row, makes none twice, and waits once',
  async ([, plan], { runProcess, sandbox, folder }) => {
    sandbox.plan = fast;
    const codes: (number | undefined)[] = [];
    // Two steps are one write: dying after it is dying before the next one.
    for (let step = 0; step < 32 || codes.at(-1) !== 0; step += 2) {
      sandbox.categories.length = 0;
      const argv = importing(put(folder, 'name\ncat\ndog\n'));
      codes.push((await runProcess(argv, plan(step))).exitCode);

      const next = await runProcess(argv);

      expect(next.exitCode, `step ${step}`).toBe(0);
      expect(namesIn(sandbox), `step ${step}`).toEqual(['cat', 'dog']);
      expect(next.lastedMs, `step ${step}`).toBeLessThan(2 * afterKillMs);
    }
    expect(new Set(codes).size).toBe(2);
  },
);

test.for([
  ['an import', ['import', 'pets.csv', ...apply], 3],
  ['a create with --if-missing', ['create', 'cat', '--if-missing'], 1],
] as const)(
  'before %s creates, files say so durably',
  async ([, words, creates], { petstore, clock, forward, folder }) => {
    const found: object[] = [];
    const forgotten: string[] = [];
    const { context, unsyncedFiles } = createKillable(
      clock,
      (request) => {
        const turn = stateFiles(folder).filter(({ path }) => /[/\\]turns[/\\]/.test(path));
        turn.sort((a, b) => Number(basename(a.path)) - Number(basename(b.path)));
        const isSaid = /"unsettledAt":\d/.test(turn.at(-1)?.text ?? '');
        // A power cut within a minute may take what a list shows by then.
        const unsynced = unsyncedFiles().filter((path) => !/\.\d+$/.test(path));
        if (request.method === 'POST') found.push({ isSaid, unsynced });
        // The value does not say any more that something may be under way.
        else if (!isSaid) forgotten.push(...unsyncedFiles());
        return forward(request);
      },
      {},
    );
    const file = put(folder, three);

    // Then three may be in flight: what became of one of them is not synced before the next one is sent.
    for (let n = 0; n <= 10; n += 1) await petstore('categories list');
    const argv = ['categories', ...words].map((word) => (word === 'pets.csv' ? file : word));
    await petstore(argv, { context });

    expect(found).toEqual(Array(creates).fill({ isSaid: true, unsynced: [] }));
    expect(forgotten).toEqual([]);
  },
);
