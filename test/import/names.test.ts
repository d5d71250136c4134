import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe } from 'vitest';
import {
  apply,
  atTerminal,
  countsOf,
  methods,
  namesIn,
  put,
  type Run,
  reactTo,
  three,
} from '../support/import-cases.ts';
import {
  test as base,
  expect,
  type Fixtures,
  networkError,
  type Reaction,
  type RunOptions,
  reply,
  testKey,
} from '../support/petstore.ts';
import { expectTold } from '../support/told.ts';
import { type Context, exact, interrupted, plans } from '../support/values.ts';

type Race = {
  petstore: Fixtures['petstore'];
  /** Imports a text as a process of its own. */
  importAs: (
    pid: number,
    text: string,
    flags?: readonly string[],
    file?: string,
    context?: Partial<Context>,
  ) => Run;
  /** Creates rabbit with --if-missing as process 2. */
  createRabbit: (flags?: readonly string[], options?: RunOptions) => Run;
  /** Imports rabbit as process 1, and does something while that has its turn. */
  whileHeld: (during: () => Promise<unknown>) => Run;
};

const never = new AbortController().signal;
const patient = ['--max-wait', 'inf'];
const elsewhere = { PETSTORE_BASE_URL: 'http://127.0.0.1:4011/v1' };

const test = base.extend<Race>({
  /** The limit is known and far away, so that no request has to wait for another one. */
  petstore: async ({ petstore, sandbox }, use) => {
    sandbox.plan = plans.business;
    await petstore(['categories', 'list']);
    sandbox.requests.length = 0;
    await use(petstore);
  },

  importAs: ({ petstore, folder }, use) =>
    use((pid, text, flags = [...apply, ...patient], file, context = as(pid)) =>
      petstore(['categories', 'import', put(folder, text, file), ...flags], { context }),
    ),

  createRabbit: ({ petstore }, use) =>
    use((flags = patient, { context, ...options } = {}) =>
      petstore(['categories', 'create', 'rabbit', '--if-missing', '--json', ...flags], {
        ...options,
        context: { ...as(2), ...context },
      }),
    ),

  whileHeld: ({ importAs, sandbox }, use) =>
    use((during) => {
      sandbox.reactions.push((_request, forward) => during().then(forward));
      return importAs(1, 'name\nrabbit\n', ['--timeout', '1h', ...apply], 'held.csv');
    }),
});

/** A process of its own on this machine. */
function as(pid: number): Partial<Context> {
  return { owner: { pid, host: 'here', born: 'once' } };
}

describe('processes on one machine that create the same names', () => {
  test('ten with --if-missing create one category', async ({ createRabbit, sandbox, forward }) => {
    const authorization = `Bearer ${testKey}`;
    const send: Context['send'] = (request) =>
      forward({ ...request, headers: { ...request.headers, authorization } });
    const env = { PETSTORE_API_KEY: 'another-key-0123456789' };

    const runs = Array.from({ length: 10 }, (_, n) =>
      createRabbit(patient, { context: { ...as(100 + n), send }, ...(n % 2 === 1 && { env }) }),
    );

    for (const { exitCode, stdout } of await Promise.all(runs)) {
      expect([exitCode, JSON.parse(stdout).id]).toEqual([0, 1]);
    }
    expect(sandbox.categories).toHaveLength(1);
  });

  test('a second import waits for the first one', async ({ importAs, sandbox, clock }) => {
    const others: Run[] = [];
    sandbox.react = reactTo('cat', async (_request, forward) => {
      others.push(importAs(2, three, [...apply, '--max-wait', '3s']));
      others.push(importAs(3, three, [...apply, '--max-wait', '30s']));
      await clock.sleep(5_000, never);
      return forward();
    });

    const first = await importAs(1, three, [...apply, '--max-wait', '1m']);
    const [impatient, patient] = await Promise.all(others);

    expect([first.exitCode, impatient?.exitCode, patient?.exitCode]).toEqual([0, 75, 0]);
    expect(countsOf(patient?.stdout ?? '')).toEqual({ existing: 3 });
    expect(namesIn(sandbox)).toEqual(['cat', 'dog', 'emu']);
  });

  test('a file that changes meanwhile makes no copy', async ({ importAs, sandbox, clock }) => {
    const others: Run[] = [];
    // The list as it was before anything was created.
    sandbox.reactions.push(async () => {
      others.push(importAs(2, `${three}fox,\n`));
      await Promise.race([...others, clock.sleep(5_000, never)]);
      return { status: 200, headers: {}, body: Readable.from([Buffer.from('[]')]) };
    });

    await importAs(1, three);
    const [changed] = await Promise.all(others);

    expect(changed?.exitCode).toBe(0);
    expect(namesIn(sandbox)).toEqual(['cat', 'dog', 'emu', 'fox']);
  });

  test.for<[what: string, argv: string[], env?: Record<string, string>]>([
    ['an import with --dry-run', ['import', 'rabbit.csv', '--dry-run']],
    ['a create at another service', ['create', 'rabbit', '--if-missing'], elsewhere],
  ])('%s does not wait', async ([, argv, env = {}], { petstore, whileHeld, folder }) => {
    put(folder, 'name\nrabbit\n', 'rabbit.csv');
    const words = argv.map((word) => (word.endsWith('.csv') ? join(folder, word) : word));
    const codes: number[] = [];

    await whileHeld(async () => {
      const options = { env, context: as(2) };
      const run = await petstore(['categories', ...words, '--max-wait', '0'], options);
      codes.push(run.exitCode);
    });

    expect(codes).toEqual([0]);
  });
});

describe('a process that creates by name while another one does', () => {
  test.for(['rabbit', ' RABBIT', 'cat'])(
    'waits as long as --max-wait, shows that, and is then refused with the holder named: %j',
    async (name, { petstore, whileHeld, sandbox, clock }) => {
      const argv = ['categories', 'create', name, '--if-missing', '--json', '--max-wait', '90s'];
      const results: Awaited<Run>[] = [];
      let waited = 0;

      const first = await whileHeld(async () => {
        const start = clock.uptime();
        results.push(await petstore(argv, { context: as(2) }));
        waited = clock.uptime() - start;
      });
      const then = await petstore(argv, { context: as(2) });

      const [second] = results;
      const events = second?.events() ?? [];
      expect([first.exitCode, second?.exitCode, then.exitCode]).toEqual([0, 75, 0]);
      expectTold(waited, 90);
      expect(events[0]).toMatchObject({ event: 'wait', reason: 'claimed', pid: 1 });
      expect(events.filter(({ event }) => event === 'wait')).toHaveLength(3);
      expect(events.at(-1)).toMatchObject({
        kind: 'rate_limited',
        outcome: 'not_sent',
        message: 'process 1 on here has been importing since 2026-11-20T15:04:00Z',
        hint: expect.stringContaining('--max-wait'),
      });
      expect(namesIn(sandbox)).toEqual([...new Set([name, 'rabbit'])].sort());
    },
  );

  test.for([
    ['90s', /giving up in 1m 2[789]s \(15:05:30Z\): /],
    ['inf', /, waiting for it to finish$/],
  ] as const)('says how long: %s', async ([maxWait, says], { petstore, whileHeld, clock }) => {
    const argv = ['categories', 'create', 'rabbit', '--if-missing', '--max-wait', maxWait];
    let stderr = '';

    await whileHeld(async () => {
      const ctrlC = new AbortController();
      void clock.sleep(10_000, never).then(() => ctrlC.abort(interrupted(130)));
      const ended = await petstore(argv, { context: as(2), signal: ctrlC.signal });
      ({ stderr } = ended);
    });

    const lines = stderr.split('\n').filter((line) => !line.startsWith('rate limit'));
    const [wait, ...rest] = lines;
    expect(wait).toContain('process 1 on here has been importing since 2026-11-20T15:04:00Z');
    expect(wait).toMatch(says);
    expect(rest).toEqual(['petstore: interrupted', 'Nothing was sent.', '']);
  });
});

test('a machine that slept has watched nobody: who has the turn keeps it', async ({
  importAs,
  petstore,
  sandbox,
  clock,
}) => {
  let sleptMs = 0;
  const uptime = () => clock.uptime() + sleptMs;
  const isRunning = () => undefined;
  const context = (pid: number) => ({ ...as(pid), uptime, isRunning });
  const others: Run[] = [];
  sandbox.react = reactTo('cat', async (_request, forward) => {
    const argv = ['categories', 'create', 'rabbit', '--if-missing', ...patient];
    others.push(petstore(argv, { context: context(2) }));
    await clock.sleep(3_000, never);
    sleptMs += 3_600_000;
    await clock.sleep(3_000, never);
    return forward();
  });

  const first = await importAs(1, three, [...apply, ...patient], undefined, context(1));
  const [second] = await Promise.all(others);

  expect([first.exitCode, second?.exitCode]).toEqual([0, 0]);
  expect(namesIn(sandbox)).toEqual(['cat', 'dog', 'emu', 'rabbit']);
});

describe('an import gives way to others', () => {
  test('while it waits for the limit, and lists again after that', async ({
    petstore,
    importAs,
    sandbox,
    forward,
    clock,
  }) => {
    const slow = { ...plans.free, minute: { limit: 4, length: 60_000 } };
    sandbox.plan = slow;
    const authorization = `Bearer ${testKey}`;
    const send: Context['send'] = (request) =>
      forward({ ...request, headers: { ...request.headers, authorization } });
    const env = { PETSTORE_API_KEY: 'another-key-0123456789' };
    const create = ['categories', 'create', 'emu', '--if-missing', '--max-wait', '0'];

    const first = importAs(1, three);
    await clock.sleep(20_000, never);
    sandbox.plan = plans.business;
    const second = await petstore(create, { context: { ...as(2), send }, env });
    sandbox.plan = slow;
    const { exitCode, stdout } = await first;

    expect([exitCode, second.exitCode]).toEqual([0, 0]);
    expect(countsOf(stdout)).toEqual({ created: 2, differs: 1 });
    expect(namesIn(sandbox)).toEqual(['cat', 'dog', 'emu']);
  });

  test.for([1, 2, 10])(
    'at a limit of %d a minute, where each one creates',
    async (limit, { importAs, petstore, sandbox }) => {
      sandbox.plan = { ...plans.business, minute: { limit, length: 60_000 } };
      const rows = (n: number) => `name\n${n} a\n${n} b\n${n} c\n`;
      const create = (n: number) =>
        petstore(['categories', 'create', `${n}`, '--if-missing', ...patient], { context: as(n) });

      const runs = [1, 2].map((n) => importAs(n, rows(n), undefined, `${n}.csv`));
      const ends = await Promise.all([...runs, create(3), create(4)]);

      expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
      expect(namesIn(sandbox)).toEqual(['1 a', '1 b', '1 c', '2 a', '2 b', '2 c', '3', '4']);
    },
  );

  test('while it asks', async ({ petstore, createRabbit, folder, sandbox }) => {
    const codes: number[] = [];
    const terminal = atTerminal(async () => {
      codes.push((await createRabbit(['--max-wait', '0'])).exitCode);
      return true;
    });

    const file = put(folder, 'name\nrabbit\ncat\n');
    const { exitCode } = await petstore(['categories', 'import', file], terminal);

    expect([exitCode, ...codes]).toEqual([0, 0]);
    expect(namesIn(sandbox)).toEqual(['cat', 'rabbit']);
  });
});

describe('a create with --if-missing', () => {
  test.for([
    ['rabbit', 'exists, takes no turn', 0, 'GET'],
    ['emu', 'does not exist, waits for its turn', 75, 'GET'],
  ] as const)('of %s, which %s', async (row, { petstore, whileHeld, sandbox }) => {
    const [name, , exitCode, sent] = row;
    const argv = ['categories', 'create', name, '--if-missing', '--max-wait', '0'];
    sandbox.categories.push({ id: exact('7'), name: 'rabbit' });
    const codes: number[] = [];

    await whileHeld(async () => {
      codes.push((await petstore(argv, { context: as(2) })).exitCode);
      sandbox.requests.shift();
      expect(methods(sandbox)).toBe(sent);
    });

    expect(codes).toEqual([exitCode]);
  });

  test('lists again if another one had the turn since its list', async ({
    createRabbit,
    sandbox,
    clock,
  }) => {
    const others: Run[] = [];
    sandbox.reactions.push(async () => {
      others.push(createRabbit(patient, { context: as(1) }));
      await clock.sleep(5_000, never);
      return { status: 200, headers: {}, body: Readable.from([Buffer.from('[]')]) };
    });

    const second = await createRabbit();
    const [first] = await Promise.all(others);

    expect([first?.exitCode, second.exitCode, second.stdout]).toEqual([0, 0, first?.stdout]);
    expect(namesIn(sandbox)).toEqual(['rabbit']);
    expect(methods(sandbox)).toBe('GET GET POST GET');
  });

  test('sends nothing if its state folder is a file', async ({ createRabbit, sandbox, folder }) => {
    await rm(join(folder, 'state'), { recursive: true, force: true });
    writeFileSync(join(folder, 'state'), '');

    const { exitCode, events } = await createRabbit();

    expect([exitCode, sandbox.requests.length]).toEqual([74, 0]);
    expect(events().at(-1)).toMatchObject({ kind: 'output', outcome: 'not_sent' });
  });

  test('that waited creates no copy by an old list', async ({ createRabbit, sandbox, clock }) => {
    const others: Run[] = [];
    const create: Reaction = async (_request, forward) => {
      others.push(createRabbit());
      await clock.sleep(5_000, never);
      return forward();
    };
    sandbox.reactions.push(reply(200, []), create, reply(200, []));

    const first = await createRabbit(patient, { context: as(1) });
    const [second] = await Promise.all(others);

    expect([first.exitCode, second?.exitCode, second?.stdout]).toEqual([0, 0, first.stdout]);
    expect(sandbox.categories).toHaveLength(1);
  });

  test('gives its turn back when it fails', async ({ createRabbit, sandbox }) => {
    sandbox.reactions.push(networkError('ENOTFOUND'));
    await createRabbit(patient, { context: as(1) });
    sandbox.categories.push({ id: exact('7'), name: 'rabbit' });

    expect(await createRabbit(['--max-wait', '0'])).toMatchObject({ exitCode: 0 });
  });
});
