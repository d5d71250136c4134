import { describe } from 'vitest';
import { startTime } from '../support/clock.ts';
import { apply, namesIn, patient, put, reactTo } from '../support/import-cases.ts';
import { test as base, type Machines } from '../support/machines.ts';
import { expect, reply, silence } from '../support/petstore.ts';
import { never, second } from '../support/told.ts';
import { interrupted, plans } from '../support/values.ts';

const create = ['categories', 'create', 'rabbit', '--if-missing', '--json'];
const patiently = [...create, ...patient];
const owner = { pid: 77, host: 'other' };
const holder = { id: 'x', owner, doing: 'importing', since: startTime };

const test = base.extend<{
  run: Machines['run'];
  engine: Machines['engine'];
  /** The turn in the store, which was just given back. The limit is far away. */
  turn: { key: string; put: (value: unknown) => void };
  /** Imports cat and 60 rows. */
  importRows: (machine: string) => ReturnType<Machines['run']>;
}>({
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
  importRows: ({ run, turn: _, folder }, use) =>
    use((machine) => {
      const rows = Array.from({ length: 60 }, (_, n) => `row ${n}\n`);
      const file = put(folder, `name\ncat\n${rows.join('')}`, `${machine}.csv`);
      return run(machine, ['categories', 'import', file, ...apply, ...patient]);
    }),
});

describe('a machine that creates by name', () => {
  const ended = { ...holder, hasEnded: true };
  const year9999 = 253_370_764_800_000;
  test.for<[what: string, waitS: number, value: (now: number) => object]>([
    ['was given back', 0, () => ({ holder: ended })],
    ['was left unsettled', 120, (now) => ({ unsettledAt: now, holder: ended })],
    ['was left long ago', 0, (now) => ({ unsettledAt: now - 3_600_000, holder: ended })],
    ['is not renewed', 30, () => ({ holder })],
    ['is not renewed since 10 s', 120, (now) => ({ unsettledAt: now - 10_000, holder })],
    ['is not renewed since 50 s', 80, (now) => ({ unsettledAt: now - 50_000, holder })],
    ['is not renewed since an hour', 30, (now) => ({ unsettledAt: now - 3_600_000, holder })],
    ['was renewed in the year 9999', 130, () => ({ unsettledAt: year9999, holder })],
    ['was renewed in 1970', 130, () => ({ unsettledAt: 0, holder })],
  ])('finds a turn that %s: it waits %i s', async (row, { run, turn, clock, sandbox }) => {
    const [, waitS, value] = row;
    turn.put({ v: 2, ...value(clock.service()) });
    const start = clock.uptime();
    let createdAfter = 0;
    sandbox.react = ({ method }) => {
      if (method === 'POST') createdAfter = clock.uptime() - start;
      return undefined;
    };

    // Of a machine that has the name of another one nobody knows what it runs.
    const context = { isRunning: () => false };
    expect((await run('one', patiently, { context })).exitCode).toBe(0);

    expect(createdAfter / second).toBeGreaterThanOrEqual(waitS - 0.1);
    expect(createdAfter / second).toBeLessThan(waitS + 3);
  });

  test.for<[what: string, value: unknown]>([
    ['no JSON', 'x'],
    ['of another version', { v: 3 }],
    ['of another time', { v: 2, unsettledAt: 'now' }],
    ['of a group of processes', { v: 2, holder: { ...holder, owner: { pid: 0, host: 'one' } } }],
    ['beyond all dates', { v: 2, holder: { ...holder, since: 1e300 } }],
  ])('creates nothing if its turn is %s', async ([, value], { run, turn, sandbox }) => {
    turn.put(value);

    const { exitCode, events } = await run('one', patiently);

    expect([exitCode, sandbox.requests]).toEqual([74, []]);
    const message = expect.stringContaining(`(${turn.key})`);
    expect(events().at(-1)).toMatchObject({ outcome: 'not_sent', message });
  });

  test('waits for what a killed one may have sent', async ({ run, turn: _, clock, sandbox }) => {
    sandbox.reactions.push(reply(200, [], {}), (_request, forward) =>
      clock.sleep(100 * second, never).then(forward),
    );
    void run('one', patiently, { context: { sleep: () => silence } });
    await clock.sleep(second, never);

    const { exitCode } = await run('two', patiently);
    await clock.sleep(100 * second, never);

    expect(exitCode).toBe(0);
    expect(namesIn(sandbox)).toEqual(['rabbit', 'zebra']);
  });

  test('and is suspended before it sends creates nothing after another one', async ({
    run,
    engine,
    turn,
    clock,
    sandbox,
  }) => {
    engine.delay = async () => {
      if (!engine.text(turn.key).includes('unsettledAt')) return;
      engine.delay = undefined;
      await clock.sleep(300 * second, never);
    };
    // Its permit of the limit outlasts that.
    const argv = [...patiently, '--timeout', '10m'];
    const suspended = run('one', argv, { context: { sleep: () => silence } });
    await clock.sleep(second, never);

    const { exitCode } = await run('two', patiently);

    expect([(await suspended).exitCode, exitCode]).toEqual([74, 0]);
    expect(namesIn(sandbox)).toEqual(['rabbit', 'zebra']);
  });

  test('gives back no turn that another one has taken', async ({ run, engine, turn, sandbox }) => {
    sandbox.react = ({ method }) => void (method === 'POST' && turn.put({ v: 2, holder }));

    const { exitCode } = await run('one', create);

    expect([exitCode, JSON.parse(engine.text(turn.key))]).toEqual([0, { v: 2, holder }]);
  });

  const importRows = ['categories', 'import', '-', '--format', 'csv', ...apply];
  test.for<[does: string, argv: readonly string[], rows: string]>([
    ['creates it, too', create, ''],
    ['imports it and waits for the limit', importRows, 'rabbit\nrefused\n'],
    ['is killed while it waits for a list that has it', importRows, 'rabbit\n'],
    ['has seen it in one list', importRows, 'rabbit\n'],
  ])(
    'creates nothing that another one has just created, though the list is late: that one %s',
    async ([does, argv, rows], { run, turn: _, clock, sandbox }) => {
      const [isKilled, sees] = [does.startsWith('is killed'), does.startsWith('has seen')];
      const end = clock.uptime() + 55 * second;
      let lists = 0;
      sandbox.react = ({ method, body = '' }) => {
        if (clock.uptime() >= end) return undefined;
        if (method === 'GET') lists += 1;
        if (method === 'GET') return sees && lists === 2 ? undefined : reply(200, '[]');
        return body.includes('refused') ? reply(429, '', { 'retry-after': '9' }) : undefined;
      };

      const context = isKilled ? { sleep: () => silence } : {};
      const one = run('one', argv, { stdin: `name\n${rows}`, context });
      await clock.sleep(2 * second, never);
      // A third one has the turn in between.
      await run('three', ['categories', 'create', 'emu', '--if-missing', ...patient]);
      const { exitCode } = await run('two', patiently);
      if (!isKilled) await one;

      expect(exitCode).toBe(0);
      expect(namesIn(sandbox).filter((name) => name === 'rabbit')).toHaveLength(1);
    },
  );

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
    const ended = run('one', patiently, { signal: ctrlC.signal });
    await clock.sleep(5 * second, never);
    ctrlC.abort(interrupted(130));

    const { exitCode, stderr } = await ended;
    turn.put({ v: 2 });
    const start = clock.uptime();
    const next = await run('one', patiently);

    expect([exitCode, next.exitCode]).toEqual([130, 0]);
    expect(stderr).toContain('"not_sent"');
    expect(clock.uptime() - start).toBeLessThan(second);
    expect(namesIn(sandbox)).toEqual(['rabbit', 'zebra']);
  });
});

describe('an import that has its turn', () => {
  /** Does something while cat is created. One create takes a second, so that many are left by then. */
  const whileCreating = (disturb: () => void) =>
    reactTo('cat', (_request, forward) => {
      disturb();
      return forward();
    });

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
      await clock.sleep(second, never);
    };

    const { exitCode, json } = await importRows('one');

    expect([exitCode, json.counts]).toEqual([0, { created: 61 }]);
    expect(new Set(namesIn(sandbox)).size).toBe(62);
    const meanwhile = creates.filter((at) => at > awayFrom + 10 * second && at < backAt);
    expect(meanwhile, 'creates while the store was away').toEqual([]);
    expect(backAt).toBeLessThan(Number.POSITIVE_INFINITY);
  });

  test('goes on though others have it', async ({ importRows, turn, clock, sandbox }) => {
    let left = 6;
    sandbox.react = ({ method }) => {
      if (method === 'GET' || left === 0) return undefined;
      left -= 1;
      void clock.sleep(5 * second, never).then(() => turn.put({ v: 2 }));
      return reply(429, '', { 'retry-after': '30' });
    };

    expect((await importRows('one')).exitCode).toBe(0);
  });

  type Lose = (engine: Machines['engine'], old: ReturnType<Machines['engine']['save']>) => void;
  test.for<[how: string, Lose]>([
    ['lost its values', (engine) => engine.flush()],
    ['is started anew, empty', (engine) => engine.restore()],
    ['is started anew with old values', (engine, old) => engine.restore(old)],
  ])('puts itself back: the store %s', async ([, lose], { importRows, engine, clock, sandbox }) => {
    const others: ReturnType<Machines['run']>[] = [];
    const old = engine.save();
    sandbox.react = whileCreating(() => {
      lose(engine, old);
      others.push(importRows('two'));
    });
    sandbox.connect = () => clock.sleep(second, never);

    const first = await importRows('one');
    const [next] = await Promise.all(others);

    expect([first.exitCode, next?.exitCode]).toEqual([0, 0]);
    expect(new Set(namesIn(sandbox)).size).toBe(62);
    expect(sandbox.categories).toHaveLength(62);
  });

  test('ends with 74 when it is taken over', async ({ importRows, turn, clock, sandbox }) => {
    sandbox.react = whileCreating(() => turn.put({ v: 2, holder }));
    sandbox.connect = () => clock.sleep(second, never);

    const stderr = expect.stringContaining('another petstore process has taken the turn');
    expect(await importRows('one')).toMatchObject({ exitCode: 74, stderr });
    expect(sandbox.categories.length).toBeLessThan(60);
  });
});
