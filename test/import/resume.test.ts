import { describe } from 'vitest';
import type { Clock } from '../support/clock.ts';
import { apply, cutAfter, cutBefore, namesIn, put, three } from '../support/import-cases.ts';
import { type Create, createSilently, test, vanish } from '../support/import-runs.ts';
import { expect } from '../support/petstore.ts';
import { isPosix } from '../support/posix.ts';
import { plans } from '../support/values.ts';

const afterKillMs = 120_000;
/** Of these, after 30 s of another run. */
const restMs = 85_000;
const patient = ['--max-wait', 'inf'];
const importing = (file: string) => ['categories', 'import', file, ...patient, ...apply];
const creating = (name: string) => ['categories', 'create', name, '--if-missing', ...patient];

/** Arrives so late that a run which did not wait would send it again. */
function createLate(clock: Clock): Create {
  return async (request, forward) => {
    const { signal } = new AbortController();
    void clock.sleep(110_000, signal).then(() => createSilently(request, forward));
    return vanish(request);
  };
}

// Windows removes no files that are open.
describe.skipIf(!isPosix)('an import', () => {
  test('goes on after a kill at once with --settle 0', async ({ runProcess, sandbox, folder }) => {
    const argv = [...importing(put(folder, three)), '--settle'];
    const first = await runProcess([...argv, '24h'], { create: createSilently, isKilled: true });

    const next = await runProcess([...argv, '0']);

    expect([first.exitCode, next.exitCode]).toEqual([undefined, 0]);
    expect(next.lastedMs).toBeLessThan(1_000);
    expect(namesIn(sandbox)).toEqual(['cat', 'dog', 'emu']);
  });

  test.for<[how: string, exitCode: number, maxWait: string, create?: (clock: Clock) => Create]>([
    ['at the limit', 75, '0'],
    ['with an outcome unknown', 6, '0', () => cutAfter],
    ['by Ctrl-C', 130, 'inf', createLate],
  ])('that ended %s goes on elsewhere', async (row, { runProcess, sandbox, folder, clock }) => {
    const [, exitCode, maxWait, create] = row;
    sandbox.plan = { ...plans.free, minute: { limit: 3, length: 60_000 } };
    const argv = [...importing(put(folder, three)), '--max-wait'];
    const trouble = {
      create: create?.(clock),
      interruptedAt: exitCode === 130 ? 5_000 : undefined,
    };
    const first = await runProcess([...argv, maxWait], { ...trouble, host: 'one' });
    sandbox.plan = plans.business;

    const next = await runProcess([...argv, '2m'], { host: 'another' });

    // By then the service has carried out what was in flight at Ctrl-C.
    await clock.sleep(afterKillMs, new AbortController().signal);
    expect([first.exitCode, next.exitCode]).toEqual([exitCode, 0]);
    expect(namesIn(sandbox)).toEqual(['cat', 'dog', 'emu']);
  });

  test('that was killed holds up another one briefly', async ({ runProcess, sandbox, folder }) => {
    const argv = importing(put(folder, three));
    await runProcess(argv, { create: vanish, isKilled: true, host: 'one' });

    const impatient = await runProcess([...argv, '--max-wait', '20s'], { host: 'another' });
    const next = await runProcess(argv, { host: 'a third' });

    expect(impatient).toMatchObject({ exitCode: 75, sent: [], stdout: '' });
    expect(JSON.parse(impatient.stderr.split('\n').at(-2) ?? '').message).toMatch(
      /^process 1 on one has been importing since 2026-/,
    );
    expect(next.exitCode).toBe(0);
    expect(next.firstSentMs).toBeGreaterThanOrEqual(30_000);
    expect(next.firstSentMs).toBeLessThan(30_000 + afterKillMs);
    expect(namesIn(sandbox)).toEqual(['cat', 'dog', 'emu']);
  });

  test('waits after a kill for the rest of 2m', async ({ runProcess, sandbox, folder, clock }) => {
    const argv = importing(put(folder, three));
    await runProcess(argv, { create: createLate(clock), isKilled: true });
    await clock.sleep(90_000, new AbortController().signal);

    const interrupted = await runProcess(argv, { interruptedAt: 15_000 });
    const next = await runProcess(argv);

    expect(interrupted).toMatchObject({ exitCode: 130, sent: [], stdout: '' });
    expect(next.exitCode).toBe(0);
    expect(next.firstSentMs).toBeGreaterThan(5_000);
    expect(next.firstSentMs).toBeLessThan(30_000);
    expect(namesIn(sandbox)).toEqual(['cat', 'dog', 'emu']);
  });
});

describe.skipIf(!isPosix)('after the end of a process that had the turn', () => {
  const one = (folder: string) => importing(put(folder, 'name\nfox\ncat\n', 'one.csv'));
  const two = (folder: string) => importing(put(folder, three, 'two.csv'));
  const owl = (folder: string) => importing(put(folder, 'name\nowl\n', 'owl.csv'));
  const Cat = (folder: string) => importing(put(folder, 'name\nCat\n', 'Cat.csv'));
  const create = () => creating('cat');

  type Argv = (folder: string) => string[];
  test.for<[next: string, killed: string, first: Argv, second: Argv, waitMs: number, code: number]>(
    [
      ['an import of one of them', 'an import', one, two, afterKillMs, 0],
      ['an import of one of them', 'a create', create, two, afterKillMs, 0],
      ['an import of one in capitals', 'a create', create, Cat, afterKillMs, 7],
      ['a create of one of them', 'an import', one, create, afterKillMs, 0],
      ['an import of others', 'an import', one, owl, afterKillMs, 0],
      ['an import of others', 'a create', create, owl, afterKillMs, 0],
    ],
  )('%s, killed: %s', async (row, { runProcess, sandbox, folder, clock }) => {
    const [, , first, second, waitMs, exitCode] = row;
    await runProcess(first(folder), { create: createLate(clock), isKilled: true });

    const next = await runProcess(second(folder));
    const again = await runProcess(second(folder));

    expect([next.exitCode, again.exitCode]).toEqual([exitCode, exitCode]);
    expect(next.lastedMs).toBeGreaterThanOrEqual(waitMs);
    expect(next.lastedMs).toBeLessThan(waitMs + 60_000);
    expect(again.lastedMs).toBeLessThan(60_000);
    const lower = namesIn(sandbox).map((name) => name.toLowerCase());
    expect(lower).toEqual([...new Set(lower)]);
  });

  test.for<[how: string, exitCode: number, waits: boolean, create?: Create]>([
    ['at the limit makes no other one wait', 75, false],
    ['with an outcome unknown makes another one wait', 6, true, cutAfter],
  ])('an import that ended %s', async (row, { runProcess, sandbox, folder }) => {
    const [, exitCode, waits, create] = row;
    sandbox.plan = { ...plans.free, minute: { limit: 3, length: 60_000 } };
    const first = await runProcess([...two(folder), '--max-wait', '0'], { create });

    const next = await runProcess(one(folder));

    expect([first.exitCode, next.exitCode]).toEqual([exitCode, 0]);
    expect(next.stderr.includes('"reason":"settle"')).toBe(waits);
    expect(namesIn(sandbox)).toEqual(['cat', 'dog', 'fox']);
  });
});

describe.skipIf(!isPosix)('a create with --if-missing, after one of the same name', () => {
  const argv = [...creating('cat'), '--json'];

  test('that was killed waits for the rest of 2m, and says why', async ({ runProcess }) => {
    await runProcess(argv, { create: vanish, isKilled: true });

    const interrupted = await runProcess(argv, { interruptedAt: 30_000 });
    const next = await runProcess(argv);
    const last = await runProcess(argv);

    expect(interrupted).toMatchObject({ exitCode: 130, sent: ['list'], stdout: '' });
    expect(interrupted.stderr).toMatch(/may have created the same name: checking .* in 2m"/);
    expect(next).toMatchObject({ exitCode: 0, sent: ['list', 'list', 'cat'] });
    expect(next.lastedMs).toBeGreaterThanOrEqual(restMs);
    expect(last).toMatchObject({ exitCode: 0, sent: ['list'] });
    expect(last.lastedMs).toBeLessThan(afterKillMs);
  });

  test('that was killed, does not wait if it is listed', async ({ runProcess, sandbox }) => {
    await runProcess(argv, { create: createSilently, isKilled: true });

    const next = await runProcess(argv);

    expect(next).toMatchObject({ exitCode: 0, sent: ['list'] });
    expect(next.lastedMs).toBeLessThan(afterKillMs);
    expect(namesIn(sandbox)).toEqual(['cat']);
  });

  test.for<[before: string, code: number, waitMs: number, interruptedAt?: number]>([
    ['was looked up', 6, 0],
    ['was to be looked up at Ctrl-C', 130, restMs, 30_000],
  ])('whose outcome %s', async ([, code, waitMs, interruptedAt], { runProcess, sandbox }) => {
    const first = await runProcess(argv, { create: cutBefore, interruptedAt });

    const next = await runProcess(argv);

    expect([first.exitCode, next.exitCode]).toEqual([code, 0]);
    expect(next.lastedMs).toBeGreaterThanOrEqual(waitMs);
    expect(next.lastedMs).toBeLessThan(waitMs + 60_000);
    expect(namesIn(sandbox)).toEqual(['cat']);
  });
});
