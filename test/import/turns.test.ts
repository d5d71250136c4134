import { describe } from 'vitest';
import { startTime } from '../support/clock.ts';
import { apply, countsOf, namesIn, put, reactTo, three } from '../support/import-cases.ts';
import { test as base, type Machines, shownUrl } from '../support/machines.ts';
import type { EngineFault } from '../support/memory-engine.ts';
import { expect, reply, silence } from '../support/petstore.ts';
import { never, second } from '../support/told.ts';
import { interrupted, plans } from '../support/values.ts';

const create = ['categories', 'create', 'rabbit', '--if-missing', '--json'];
const patient = [...create, '--max-wait', 'inf'];

const rows = `name\ncat\n${Array.from({ length: 100 }, (_, n) => `row ${n}\n`).join('')}`;
/** Does something while cat is created. */
function whileCreating(disturb: () => void) {
  return reactTo('cat', (_request, forward) => {
    disturb();
    return forward();
  });
}

/** The store has just given a turn back, and the limit is far away. */
const test = base.extend<{
  run: Machines['run'];
  engine: Machines['engine'];
  turn: { key: string; put: (value: unknown) => void };
  importRows: (machine: string, file?: string) => ReturnType<Machines['run']>;
}>({
  importRows: ({ run, turn: _, folder }, use) =>
    use((machine, file = 'pets.csv') => {
      const argv = ['categories', 'import', put(folder, rows, file), ...apply];
      return run(machine, [...argv, '--max-wait', 'inf']);
    }),
  run: ({ machines }, use) => use(machines.run),
  engine: ({ machines }, use) => use(machines.engine),
  turn: async ({ run, engine, sandbox }, use) => {
    sandbox.plan = plans.business;
    await run('zero', ['categories', 'create', 'zebra', '--if-missing', '--max-wait', '1m']);
    const key = engine.keys().find((name) => name.startsWith('petstore:turn:')) ?? '';
    sandbox.requests.length = 0;
    await use({
      key,
      put: (value) => engine.put(key, typeof value === 'string' ? value : JSON.stringify(value)),
    });
  },
});

const holder = {
  ...{ id: 'x', owner: { pid: 77, host: 'other' }, doing: 'importing', since: startTime },
};
const ended = { ...holder, hasEnded: true };
type Values = ReturnType<Machines['engine']['save']>;
const waits = (error: Record<string, unknown>) => error.event === 'wait';

describe('a machine that creates by name', () => {
  test.for<[what: string, value: (now: number) => object, waitS: number]>([
    ['was given back', () => ({ v: 2, holder: ended }), 0],
    ['was left unsettled', (now) => ({ v: 2, unsettledAt: now, holder: ended }), 120],
    ['was left long ago', (now) => ({ v: 2, unsettledAt: now - 3_600_000, holder: ended }), 0],
    ['is not renewed', () => ({ v: 2, holder }), 30],
    ['is not renewed since 10 s', (now) => ({ v: 2, unsettledAt: now - 10_000, holder }), 120],
    ['is not renewed since 50 s', (now) => ({ v: 2, unsettledAt: now - 50_000, holder }), 80],
    ['is not renewed since an hour', (now) => ({ v: 2, unsettledAt: now - 3_600_000, holder }), 30],
    [
      'was renewed in the year 9999',
      () => ({ v: 2, unsettledAt: 253_370_764_800_000, holder }),
      130,
    ],
    ['was renewed in 1970', () => ({ v: 2, unsettledAt: 0, holder }), 130],
  ])('and finds a turn that %s', async ([, value, waitS], { run, turn, clock, sandbox }) => {
    turn.put(value(clock.service()));
    const start = clock.uptime();
    let createdAfter = 0;
    sandbox.react = ({ method }) => {
      if (method === 'POST') createdAfter = clock.uptime() - start;
      return undefined;
    };

    const { exitCode } = await run('one', patient);

    expect(exitCode).toBe(0);
    expect(createdAfter / second).toBeGreaterThanOrEqual(waitS - 0.1);
    expect(createdAfter / second).toBeLessThan(waitS + 3);
  });

  test('waits for the first one', async ({ run, turn: _, sandbox, clock, folder }) => {
    const others: ReturnType<Machines['run']>[] = [];
    sandbox.react = reactTo('cat', async (_request, forward) => {
      others.push(
        run('two', [...create, '--max-wait', '5s'], {
          context: { owner: { pid: 2, host: 'two' } },
        }),
      );
      others.push(run('three', patient));
      await clock.sleep(20 * second, never);
      return forward();
    });

    // A machine that is new to the store begins with one request in flight; ten responses later it may have two.
    for (const machine of ['two', 'three', ...Array<string>(10).fill('one')]) {
      await run(machine, ['categories', 'list']);
    }
    const first = await run('one', ['categories', 'import', put(folder, three), ...apply]);
    const [impatient, last] = await Promise.all(others);

    expect([first.exitCode, impatient?.exitCode, last?.exitCode]).toEqual([0, 75, 0]);
    expect(impatient?.events().at(-1)).toMatchObject({
      kind: 'rate_limited',
      outcome: 'not_sent',
      message: expect.stringMatching(/^process 4242 on one has been importing since 2026-/),
      hint: expect.stringContaining('--max-wait'),
    });
    expect(impatient?.events().find(waits)).toMatchObject({ reason: 'claimed', pid: 4242 });
    expect(namesIn(sandbox)).toEqual(['cat', 'dog', 'emu', 'rabbit', 'zebra']);
  });

  test('waits on a new store, and says why', async ({ run, sandbox, clock }) => {
    const impatient = await run('one', [...create, '--max-wait', '3s']);
    const start = clock.uptime();
    const { exitCode, events } = await run('one', create);

    expect([impatient.exitCode, exitCode]).toEqual([75, 0]);
    expect(impatient.stderr).toContain('the shared store does not know yet whose turn it is');
    expect(events().find(waits)).toMatchObject({ reason: 'claimed' });
    expect(clock.uptime() - start).toBeLessThan(14 * second);
    expect(namesIn(sandbox)).toEqual(['rabbit']);
  });

  test.for<[what: string, value: unknown]>([
    ['no JSON', 'x'],
    ['of another version', { v: 3 }],
    ['of another time', { v: 2, unsettledAt: 'now' }],
    ['beyond all dates', { v: 2, holder: { ...holder, since: 1e300 } }],
  ])('creates nothing if it is %s', async ([, value], { run, turn, sandbox }) => {
    turn.put(value);

    const { exitCode, events } = await run('one', patient);

    expect(exitCode).toBe(74);
    expect(events().at(-1)).toMatchObject({
      outcome: 'not_sent',
      hint: expect.stringContaining(`redis-cli DEL ${turn.key}`),
    });
    expect(sandbox.requests).toHaveLength(0);
  });

  test.for<[fault: EngineFault, maxWait: string, says: string, code: number]>([
    ['refuses', '5s', 'unreachable (ECONNREFUSED)', 75],
    ['silent', '5s', 'Command timed out', 75],
    ['full', '5s', 'OOM command not allowed', 75],
    ['loses the reply', '5s', 'Connection is closed', 75],
    ['password', 'inf', 'wrong user name or password', 74],
  ])(
    'creates nothing: the store %s',
    async ([fault, maxWait, says, code], { run, engine, turn: _, sandbox, folder }) => {
      engine.fault = fault;

      for (const argv of [create, ['categories', 'import', put(folder, three), ...apply]]) {
        const { exitCode, events } = await run('one', [...argv, '--max-wait', maxWait]);
        expect(exitCode).toBe(code);
        expect(events().at(-1)).toMatchObject({
          outcome: 'not_sent',
          message: expect.stringContaining(`${shownUrl}: ${says}`),
          hint: expect.stringContaining('petstore doctor'),
        });
      }
      expect(sandbox.requests).toHaveLength(0);
    },
  );

  test('waits for what a killed one may have sent', async ({ run, turn: _, clock, sandbox }) => {
    sandbox.reactions.push(reply(200, [], {}), (_request, forward) =>
      clock.sleep(100 * second, never).then(forward),
    );
    void run('one', patient, { context: { sleep: () => silence } });
    await clock.sleep(second, never);

    const { exitCode } = await run('two', patient);
    await clock.sleep(100 * second, never);

    expect(exitCode).toBe(0);
    expect(namesIn(sandbox)).toEqual(['rabbit', 'zebra']);
  });

  test('tells the store no key, address or name', async ({ run, engine, turn, sandbox }) => {
    const told: string[] = [];
    sandbox.connect = async () => {
      told.push(engine.text(turn.key));
    };
    await run('one', create);
    await run('one', ['categories', 'list']);

    expect(told.join()).toContain('creating');
    expect(told.join() + turn.key).not.toMatch(/rabbit|test-key|4010|ferret/);
    expect(turn.key).toMatch(/^petstore:turn:[0-9a-f]{32}$/);
  });

  test('ends at Ctrl-C and leaves its names', async ({ run, turn, clock, sandbox }) => {
    turn.put({ v: 2, holder });
    const ctrlC = new AbortController();
    const ended = run('one', patient, { signal: ctrlC.signal });
    await clock.sleep(5 * second, never);
    ctrlC.abort(interrupted(130));

    const { exitCode, stderr } = await ended;
    turn.put({ v: 2 });
    const start = clock.uptime();
    const next = await run('one', patient);

    expect([exitCode, next.exitCode]).toEqual([130, 0]);
    expect(stderr).toContain('"not_sent"');
    expect(clock.uptime() - start).toBeLessThan(second);
    expect(namesIn(sandbox)).toEqual(['rabbit', 'zebra']);
  });
});

describe('an import that has its turn', () => {
  test('goes on when the store is back', async ({ importRows, engine, clock, sandbox }) => {
    let [awayFrom, backAt] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    sandbox.react = whileCreating(() => {
      engine.fault = 'refuses';
      awayFrom = clock.uptime();
      void clock.sleep(40 * second, never).then(() => {
        engine.fault = undefined;
        backAt = clock.uptime();
      });
    });
    const creates: number[] = [];
    sandbox.connect = async ({ method }) => {
      if (method === 'POST') creates.push(clock.uptime());
      // One create takes a second, so that many are left by then.
      await clock.sleep(second, never);
    };

    const { exitCode, stdout } = await importRows('one');

    expect(exitCode).toBe(0);
    expect(countsOf(stdout)).toEqual({ created: 101 });
    expect(new Set(namesIn(sandbox)).size).toBe(102);
    const meanwhile = creates.filter((at) => at > awayFrom + 10 * second && at < backAt);
    expect(meanwhile, 'creates while the store was away').toEqual([]);
    expect(backAt).toBeLessThan(Number.POSITIVE_INFINITY);
  });

  test.for<[how: string, lose: (engine: Machines['engine'], old: Values) => void]>([
    ['lost its values', (engine) => engine.flush()],
    ['is started anew, empty', (engine) => engine.restore()],
    ['is started anew with old values', (engine, old) => engine.restore(old)],
  ])(
    'puts itself back into a store that %s',
    async ([, lose], { importRows, engine, clock, sandbox }) => {
      const others: ReturnType<Machines['run']>[] = [];
      const old = engine.save();
      sandbox.react = whileCreating(() => {
        lose(engine, old);
        others.push(importRows('two', 'same.csv'));
      });
      sandbox.connect = () => clock.sleep(second, never);

      const first = await importRows('one');
      const [next] = await Promise.all(others);

      expect([first.exitCode, next?.exitCode]).toEqual([0, 0]);
      expect(new Set(namesIn(sandbox)).size).toBe(102);
      expect(sandbox.categories).toHaveLength(102);
    },
  );

  test('ends with 74 when another one has taken over', async ({
    importRows,
    turn,
    clock,
    sandbox,
  }) => {
    sandbox.react = whileCreating(() => turn.put({ v: 2, holder }));
    sandbox.connect = () => clock.sleep(second, never);

    const { exitCode } = await importRows('one');

    expect(exitCode).toBe(74);
    expect(sandbox.categories.length).toBeLessThan(100);
  });
});
