import { basename } from 'node:path';
import {
  apply,
  type Create,
  createSilently,
  cutAfter,
  cutBefore,
  namesIn,
  type ProcessOptions,
  patient,
  put,
  test,
  vanish,
} from '../support/import-cases.ts';
import { createKillable, type KillPlan } from '../support/killable.ts';
import { expect } from '../support/petstore.ts';
import { stateFiles } from '../support/state-files.ts';
import { never, second } from '../support/told.ts';
import { plans } from '../support/values.ts';

/** What becomes of cat. A late one arrives when a run which did not wait would have sent it again. */
type Fate = 'done' | 'lost' | 'late' | 'cut' | 'cut before';
/** A process that imports the names, or creates cat by name. */
type Process = Omit<ProcessOptions, 'create'> & {
  readonly names: string;
  readonly flags?: string;
  readonly plan?: typeof slow;
  readonly cat?: Fate;
  /** Undefined for a process that was killed. */
  readonly exitCode?: number;
};

const slow = { ...plans.business, minute: { limit: 3, length: 60_000 } };
const fast = { ...plans.business, minute: { limit: 999, length: 60_000 } };
const afterKillS = 120;
const ifMissing = ['categories', 'create', 'cat', '--if-missing', '--json', ...patient];

const pets = { names: 'dog cat emu' };
const owl = { names: 'owl' };
const cat = { names: 'cat by name' };
const elsewhere = { ...pets, host: 'another' };
/** Kills a process ten seconds after it sent cat. */
const killed = { isKilled: true };
const limited = { flags: '--max-wait 0', plan: slow };
const ctrlCAfter = (seconds: number) => ({ ctrlCAfterMs: seconds * second, exitCode: 130 });

function importing(file: string): string[] {
  return ['categories', 'import', file, ...apply, ...patient];
}

/** Two processes, for how many seconds the other one waits, and what that sends. */
type Row = [what: string, Process, Process, waitS: number, sent?: string];

test.for<Row>([
  ['killed in a wait', { ...pets, ...killed, plan: slow }, pets, 0, 'list emu list'],
  ['killed, unknown', { ...pets, ...killed, plan: slow, cat: 'cut' }, pets, 120, 'list emu list'],
  ['killed, cat is lost', { ...pets, ...killed, cat: 'lost' }, pets, 120, 'list cat list'],
  ['killed, cat is created', { ...pets, ...killed, cat: 'done' }, pets, 120, 'list'],
  ['--settle 3m', { ...pets, ...killed, cat: 'lost' }, { ...pets, flags: '--settle 3m' }, 180],
  ['--settle 0', { ...pets, ...killed, cat: 'done' }, { ...pets, flags: '--settle 0' }, 0],
  ['killed, before others', { ...pets, ...killed, cat: 'late' }, owl, 120],
  ['a create killed, before an import', { ...cat, ...killed, cat: 'late' }, pets, 120],
  ['killed, before a create', { ...pets, ...killed, cat: 'late' }, cat, 120],
  ['ended at the limit', { ...pets, ...limited, exitCode: 75 }, elsewhere, 0],
  ['ended, cat unknown', { ...pets, ...limited, cat: 'cut', exitCode: 6 }, elsewhere, 120],
  ['ended by Ctrl-C', { ...pets, cat: 'late', ...ctrlCAfter(5) }, elsewhere, 110],
  ['a create killed, listed', { ...cat, ...killed, cat: 'done' }, cat, 0, 'list'],
  ['a create killed, lost', { ...cat, ...killed, cat: 'lost' }, cat, 120, 'list list cat'],
  ['a create that looked', { ...cat, cat: 'cut before', exitCode: 6 }, cat, 0],
  ['a create that was to look', { ...cat, cat: 'cut before', ...ctrlCAfter(30) }, cat, 85],
])(
  '%s: the next one waits as long as it has to',
  async (row, { runProcess, sandbox, folder, clock }) => {
    const [, first, next, waitS, sent] = row;
    const late: Create = (request, forward) => {
      void clock.sleep(110 * second, never).then(() => createSilently(request, forward));
      return vanish(request);
    };
    const fates = {
      done: createSilently,
      lost: vanish,
      late,
      cut: cutAfter,
      'cut before': cutBefore,
    };
    const run = ({ names, flags = '', plan = fast, cat, exitCode: _, ...options }: Process) => {
      sandbox.plan = plan;
      const file = put(folder, `name\n${names.split(' ').join('\n')}\n`, `${names}.csv`);
      const line = names === 'cat by name' ? ifMissing : importing(file);
      const words = flags.split(' ').filter(Boolean);
      return runProcess([...line, ...words], { ...options, create: cat && fates[cat] });
    };

    const before = await run(first);
    const after = await run(next);
    const again = await run(next);

    // By then the service has carried out what was in flight.
    await clock.sleep(afterKillS * second, never);
    expect([before.exitCode, after.exitCode, again.exitCode]).toEqual([first.exitCode, 0, 0]);
    if (sent !== undefined) expect(after.sent.join(' ')).toBe(sent);
    expect(after.lastedMs / second).toBeGreaterThanOrEqual(waitS);
    expect(after.lastedMs / second).toBeLessThan(waitS + 90);
    expect(again.lastedMs / second).toBeLessThan(60);
    const all = namesIn(sandbox);
    expect(all).toEqual([...new Set(all)]);
    if (next.names.startsWith('dog')) expect(all).toEqual(['cat', 'dog', 'emu']);
  },
);

test('while another process waits for what a killed run sent, a create says so', async ({
  petstore,
  runProcess,
  clock,
}) => {
  // Time passes while a command is loaded.
  await petstore('doctor');
  await runProcess(ifMissing, { create: vanish, isKilled: true });
  const waiting = runProcess(ifMissing, { ctrlCAfterMs: 100_000 });
  await clock.sleep(10 * second, never);

  const create = 'categories create emu --if-missing --max-wait 3s';
  const context = { owner: { pid: 9, host: 'here' }, isRunning: () => true };
  const { exitCode, stderr } = await petstore(create, { context });
  const during = await petstore('doctor', { context });
  const interrupted = await waiting;
  const after = await petstore('doctor');
  await clock.sleep(afterKillS * second, never);
  const settled = await petstore('doctor');

  expect(interrupted).toMatchObject({ exitCode: 130, sent: ['list'], stdout: '' });
  expect(interrupted.stderr).toMatch(/"reason":"settle",.*"waitMs":1[12]\d{4}/);
  expect(exitCode).toBe(75);
  const waits = 'process 2 on here is waiting for what a killed run may have sent';
  expect(stderr).toContain(`petstore: ${waits}\nNothing was created.\nRun the same command again`);
  expect(during.stdout).toContain(`\nwarn  import: ${waits}\n`);
  expect(after.stdout).toMatch(
    /^warn {2}import: a killed run may have sent something: the next import waits until 15:0\d:\d\dZ$/m,
  );
  expect(settled.stdout).toContain('\nok    import: nothing is waited for\n');
});

test('an import, killed with one in flight and one refused (429): the next one waits', async ({
  petstore,
  runProcess,
  sandbox,
  folder,
}) => {
  sandbox.plan = fast;
  // Then three may be in flight.
  for (let n = 0; n <= 10; n += 1) await petstore('categories list');
  const argv = importing(put(folder, 'name\ndog\ncat\nemu\n'));
  const create: Create = (request) => {
    // Emu, which comes next, is one too many.
    sandbox.plan = { ...fast, minute: { limit: 2, length: 60_000 } };
    return vanish(request);
  };
  const first = await runProcess(argv, { create, isKilled: true });
  sandbox.plan = fast;

  const next = await runProcess(argv);

  expect([first.sent, next.exitCode]).toEqual([['list', 'dog', 'cat', 'emu'], 0]);
  expect(next.firstSentMs).toBeGreaterThanOrEqual(afterKillS * second);
  expect(namesIn(sandbox)).toEqual(['cat', 'dog', 'emu']);
});

test.for<[what: string, plan: (step: number) => KillPlan]>([
  ['killed', (step) => ({ diesAt: step })],
  ['short of disk', (step) => ({ fullAt: step, fullFor: 3 })],
])(
  'an import that is %s at any step loses no row, makes none twice, and waits once',
  async ([, plan], { runProcess, sandbox, folder }) => {
    sandbox.plan = fast;
    const codes: (number | undefined)[] = [];
    // Two steps in a row die between the same writes, and both rows are written alike.
    for (let step = 0; step < 32 || codes.at(-1) !== 0; step += 3) {
      sandbox.categories.length = 0;
      const argv = importing(put(folder, 'name\ncat\ndog\n'));
      codes.push((await runProcess(argv, plan(step))).exitCode);

      const next = await runProcess(argv);

      expect(next.exitCode, `step ${step}`).toBe(0);
      expect(namesIn(sandbox), `step ${step}`).toEqual(['cat', 'dog']);
      expect(next.lastedMs, `step ${step}`).toBeLessThan(2 * afterKillS * second);
    }
    expect(new Set(codes).size).toBe(2);
  },
);

test.for<[what: string, creates: number, isCut: boolean, perMinute: number]>([
  ['an import', 3, false, 60],
  ['an import that sends cat again', 4, true, 60],
  ['an import that waits for a limit', 3, false, 14],
  ['a create with --if-missing', 1, false, 60],
])(
  'before %s creates, files say so durably',
  async ([, creates, isCut, limit], { petstore, clock, forward, sandbox, folder }) => {
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
        return isCut && found.length === 2 ? cutBefore(request) : forward(request);
      },
      {},
    );
    const fileCell: typeof context.fileCell = (...options) => {
      const { read, replace } = context.fileCell<{ unsettledAt?: number }>(...options);
      const noteAndReplace: typeof replace = (seen, next) => {
        // The value does not say any more that something may be under way.
        if (next.unsettledAt === undefined) forgotten.push(...unsyncedFiles());
        return replace(seen, next);
      };
      return { read, replace: noteAndReplace } as never;
    };
    const file = put(folder, 'name\ndog\ncat\nemu\n');
    sandbox.plan = { ...plans.business, minute: { limit, length: 60_000 } };

    // Then three may be in flight: what became of one of them is not synced before the next one is sent.
    for (let n = 0; n <= 10; n += 1) await petstore('categories list');
    await petstore(creates === 1 ? ifMissing : importing(file), {
      context: { ...context, fileCell },
    });

    expect(found).toEqual(Array(creates).fill({ isSaid: true, unsynced: [] }));
    expect(forgotten).toEqual([]);
  },
);
