import { rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe } from 'vitest';
import type { Clock } from '../support/clock.ts';
import { apply, countsOf, put, reactTo, three } from '../support/import-cases.ts';
import {
  test as base,
  expect,
  type Fixtures,
  networkError,
  reply,
  testKey,
} from '../support/petstore.ts';
import { stateFiles } from '../support/state-files.ts';
import { expectTold } from '../support/told.ts';
import { type Context, exact, interrupted, plans, type WireAnswer } from '../support/values.ts';

/** Time passes fast here while another process writes to its disk. */
const patient = ['--max-wait', 'inf'];
const ifMissing = ['categories', 'create', 'rabbit', '--if-missing', '--json'];

/** The limit is known and far away, so that no request has to wait for another one. */
const test = base.extend<Pick<Fixtures, 'petstore'>>({
  petstore: async ({ petstore, sandbox }, use) => {
    sandbox.plan = plans.business;
    await petstore(['categories', 'list']);
    sandbox.requests.length = 0;
    await use(petstore);
  },
});

/** A process of its own on this machine. */
const as = (pid: number): Partial<Context> => ({ owner: { pid, host: 'here', born: 'once' } });

/** The list as it was before anything was created, which takes five seconds or as long as something else does. */
const slowList =
  (clock: Clock, meanwhile: () => Promise<unknown>) => async (): Promise<WireAnswer> => {
    await Promise.race([meanwhile(), clock.sleep(5_000, new AbortController().signal)]);
    return { status: 200, headers: {}, body: Readable.from([Buffer.from('[]')]) };
  };

const names = (sandbox: { categories: readonly { name: string }[] }) =>
  sandbox.categories.map(({ name }) => name).sort();

describe('processes on one machine that create the same names', () => {
  test('ten creates with --if-missing at the same time create one category', async ({
    petstore,
    sandbox,
  }) => {
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        petstore([...ifMissing, ...patient], { context: as(100 + n) }),
      ),
    );

    expect(results.map(({ exitCode }) => exitCode)).toEqual(Array(10).fill(0));
    expect(results.map(({ stdout }) => JSON.parse(stdout).id)).toEqual(Array(10).fill(1));
    expect(sandbox.categories).toHaveLength(1);
  });

  test('two creates with --if-missing and different keys create one category', async ({
    petstore,
    sandbox,
    forward,
  }) => {
    const authorization = `Bearer ${testKey}`;
    const send: Context['send'] = (request) =>
      forward({ ...request, headers: { ...request.headers, authorization } });

    await Promise.all([
      petstore([...ifMissing, ...patient], { context: { ...as(1), send } }),
      petstore([...ifMissing, ...patient], {
        env: { PETSTORE_API_KEY: 'another-key-0123456789' },
        context: { ...as(2), send },
      }),
    ]);

    expect(sandbox.categories).toHaveLength(1);
  });

  test('two imports of different files that share names create each name once', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const one = put(folder, 'name\ndog\ncat\nemu\n', 'one.csv');
    const two = put(folder, 'name\nemu\nfox\ndog\ncat\n', 'two.csv');

    const results = await Promise.all([
      petstore(['categories', 'import', one, ...apply, ...patient], { context: as(1) }),
      petstore(['categories', 'import', two, ...apply, ...patient], { context: as(2) }),
    ]);

    expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    // Either may have been the first.
    const counts = results.map(({ stdout }) => countsOf(stdout));
    expect(counts.map(({ existing }) => existing ?? 0).sort()).toEqual([0, 3]);
    expect(names(sandbox)).toEqual(['cat', 'dog', 'emu', 'fox']);
  });

  test.for([
    ['existing', []],
    ['created_before', ['--allow-duplicates']],
  ] as const)(
    'a second import of a file waits for the first one, and says %s with %j',
    async ([outcome, flags], { petstore, sandbox, folder, clock }) => {
      const argv = ['categories', 'import', put(folder, three), ...flags, ...apply, '--max-wait'];
      const others: ReturnType<typeof petstore>[] = [];
      const start = () => {
        for (const maxWait of ['3s', '30s']) {
          others.push(petstore([...argv, maxWait], { context: as(others.length + 2) }));
        }
        return clock.sleep(5_000, new AbortController().signal);
      };
      sandbox.react = reactTo('cat', (_request, forward) => start().then(forward));

      const first = await petstore([...argv, '1m'], { context: as(1) });
      const [impatient, patient] = await Promise.all(others);

      expect([first.exitCode, impatient?.exitCode, patient?.exitCode]).toEqual([0, 74, 0]);
      expect(countsOf(patient?.stdout ?? '')).toEqual({ [outcome]: 3 });
      expect(names(sandbox)).toEqual(['cat', 'dog', 'emu']);
    },
  );

  test('an import and a create with --if-missing create a name once', async ({
    petstore,
    sandbox,
    folder,
    clock,
  }) => {
    const path = put(folder, 'name\nrabbit\ncat\n');
    let second: ReturnType<typeof petstore> | undefined;
    const create = () => {
      second = petstore([...ifMissing, ...patient], { context: as(2) });
      return second;
    };
    sandbox.reactions.push(slowList(clock, create));

    await petstore(['categories', 'import', path, ...apply, ...patient], { context: as(1) });
    await second;

    expect(names(sandbox)).toEqual(['cat', 'rabbit']);
  });

  test('a file that changes while its import waits for the list creates no name twice', async ({
    petstore,
    sandbox,
    folder,
    clock,
  }) => {
    const path = put(folder, three);
    let second: ReturnType<typeof petstore> | undefined;
    const change = () => {
      put(folder, `${three}fox,\n`);
      second = petstore(['categories', 'import', path, ...apply, ...patient], { context: as(2) });
      return second;
    };
    sandbox.reactions.push(slowList(clock, change));

    const first = await petstore(['categories', 'import', path, ...apply, ...patient], {
      context: as(1),
    });
    const then = await second;

    expect(first.exitCode).toBe(0);
    expect(countsOf(then?.stdout ?? '')).toEqual({ existing: 3, created: 1 });
    expect(names(sandbox)).toEqual(['cat', 'dog', 'emu', 'fox']);
  });

  test('a file that changes while its import waits for the list is refused if that import is not finished', async ({
    petstore,
    sandbox,
    folder,
    clock,
  }) => {
    const path = put(folder, three);
    const argv = ['categories', 'import', path, '--allow-duplicates', ...apply, ...patient];
    let second: ReturnType<typeof petstore> | undefined;
    sandbox.react = reactTo('emu', reply(401, ''));
    const change = () => {
      put(folder, `${three}fox,\n`);
      second = petstore(argv, { context: as(2) });
      return second;
    };
    sandbox.reactions.push(slowList(clock, change));

    await petstore(argv, { context: as(1) });
    const then = await second;

    expect(then).toMatchObject({ exitCode: 2, stdout: '' });
    expect(then?.stderr).toContain('the file has changed since its import was started');
    expect(names(sandbox)).toEqual(['cat', 'dog']);
  });

  test('imports without a common name do not wait for each other', async ({
    petstore,
    sandbox,
    folder,
    clock,
  }) => {
    const one = put(folder, 'name\ndog\n', 'one.csv');
    const two = put(folder, 'name\ncat\n', 'two.csv');
    let meanwhile = -1;
    sandbox.react = reactTo('dog', async (_request, forward) => {
      const release = clock.hold();
      const { exitCode } = await petstore(['categories', 'import', two, ...apply, ...patient], {
        context: as(2),
      });
      meanwhile = exitCode;
      release();
      return forward();
    });

    await petstore(['categories', 'import', one, ...apply, ...patient], { context: as(1) });

    expect(meanwhile).toBe(0);
    expect(names(sandbox)).toEqual(['cat', 'dog']);
  });
});

describe('a process whose names are held by another one', () => {
  /** Runs `during` while process 1 holds the name "rabbit" in an import. */
  const whileHeld =
    (during: () => Promise<void>) =>
    async (_request: unknown, forward: () => Promise<never>): Promise<never> => {
      await during();
      return forward();
    };

  test.for(['rabbit', ' RABBIT'])(
    'waits as long as --max-wait, shows that, and is then refused with the holder named: "%s"',
    async (name, { petstore, sandbox, folder, clock }) => {
      const path = put(folder, 'name\nrabbit\n');
      let second: Awaited<ReturnType<typeof petstore>> | undefined;
      let waited = 0;
      sandbox.reactions.push(
        whileHeld(async () => {
          const start = clock.uptime();
          second = await petstore(
            ['categories', 'create', name, '--if-missing', '--json', '--max-wait', '90s'],
            { context: as(2) },
          );
          waited = clock.uptime() - start;
        }) as never,
      );

      const first = await petstore(['categories', 'import', path, '--timeout', '1h', ...apply], {
        context: as(1),
      });

      expect(first.exitCode).toBe(0);
      expect(second).toMatchObject({ exitCode: 74, stdout: '' });
      expectTold(waited, 90);
      expect(second?.events()[0]).toMatchObject({ event: 'wait', reason: 'claimed', pid: 1 });
      expect(second?.events().filter(({ event }) => event === 'wait')).toHaveLength(3);
      expect(second?.events().at(-1)).toMatchObject({
        kind: 'output',
        outcome: 'not_sent',
        message: 'process 1 on here has been importing the same names since 2026-11-20T15:04:00Z',
        hint: expect.stringContaining('--max-wait'),
      });
      expect(names(sandbox)).toEqual(['rabbit']);
    },
  );

  test.for([
    ['90s', /^giving up in 1m 2[789]s \(15:05:30Z\)$/],
    ['inf', /^waiting for it to finish$/],
  ] as const)(
    'says so in words with --max-wait %s',
    async ([maxWait, says], { petstore, sandbox, folder, clock }) => {
      const path = put(folder, 'name\nrabbit\n');
      const ctrlC = new AbortController();
      let second: Awaited<ReturnType<typeof petstore>> | undefined;
      sandbox.reactions.push(
        whileHeld(async () => {
          void clock.sleep(10_000, ctrlC.signal).then(() => ctrlC.abort(interrupted(130)));
          second = await petstore(
            ['categories', 'create', 'rabbit', '--if-missing', '--max-wait', maxWait],
            {
              context: as(2),
              signal: ctrlC.signal,
            },
          );
        }) as never,
      );

      await petstore(['categories', 'import', path, '--timeout', '1h', ...apply], {
        context: as(1),
      });

      expect(second).toMatchObject({ exitCode: 130, stdout: '' });
      const [wait = '', ...rest] = second?.stderr.split('\n') ?? [];
      expect(wait).toMatch(/^petstore: process 1 is importing the same names, /);
      expect(wait.split(', ')[1]).toMatch(says);
      expect(rest).toEqual(['petstore: interrupted', 'Nothing was sent.', '']);
    },
  );

  test('says in JSON no end of a wait that only the other one ends', async ({
    petstore,
    sandbox,
    folder,
    clock,
  }) => {
    const path = put(folder, 'name\nrabbit\n');
    const ctrlC = new AbortController();
    let second: Awaited<ReturnType<typeof petstore>> | undefined;
    sandbox.reactions.push(
      whileHeld(async () => {
        void clock.sleep(10_000, ctrlC.signal).then(() => ctrlC.abort(interrupted(130)));
        second = await petstore([...ifMissing, '--max-wait', 'inf', '--json'], {
          context: as(2),
          signal: ctrlC.signal,
        });
      }) as never,
    );

    await petstore(['categories', 'import', path, '--timeout', '1h', ...apply], {
      context: as(1),
    });

    const [wait, ...rest] = second?.events() ?? [];
    expect(wait).toEqual({ event: 'wait', reason: 'claimed', pid: 1 });
    expect(rest.map(({ event }) => event)).toEqual(['error']);
  });

  test.for(['Rabbit', ' rabbit', 'rabbit\u00a0'])(
    'sends nothing for one that the service may take for the same, %j',
    async (name, { petstore, sandbox, folder }) => {
      const path = put(folder, 'name\nrabbit\n');
      const argv = ['categories', 'create', name, '--if-missing', '--max-wait', '0'];
      let second: Awaited<ReturnType<typeof petstore>> | undefined;
      sandbox.reactions.push(
        whileHeld(async () => {
          second = await petstore(argv, { context: as(2) });
        }) as never,
      );

      const importing = ['categories', 'import', path, '--timeout', '1h', ...apply];
      const first = await petstore(importing, { context: as(1) });
      const then = await petstore(argv, { context: as(2) });

      expect([first.exitCode, second?.exitCode, then.exitCode]).toEqual([0, 74, 0]);
      expect(names(sandbox)).toEqual([name, 'rabbit'].sort());
    },
  );

  test.for([['--dry-run'], ['--allow-duplicates']] as const)(
    'does not wait with %s',
    async ([flag], { petstore, sandbox, folder, clock }) => {
      const one = put(folder, 'name\nrabbit\n', 'one.csv');
      const two = put(folder, 'name\nrabbit\ncat\n', 'two.csv');
      let second: Awaited<ReturnType<typeof petstore>> | undefined;
      sandbox.react = reactTo('rabbit', async (_request, forward) => {
        const release = clock.hold();
        const argv = ['categories', 'import', two, flag, '--max-wait', '0', ...apply];
        second = await petstore(argv, { context: as(2) });
        release();
        return forward();
      });

      await petstore(['categories', 'import', one, ...apply], { context: as(1) });

      expect(second?.exitCode).toBe(0);
    },
  );

  test('creates them at another service meanwhile', async ({ petstore, sandbox, folder }) => {
    const path = put(folder, 'name\nrabbit\n');
    let second: Awaited<ReturnType<typeof petstore>> | undefined;
    sandbox.reactions.push(
      whileHeld(async () => {
        second = await petstore([...ifMissing, '--max-wait', '0'], {
          env: { PETSTORE_BASE_URL: 'http://127.0.0.1:4011/v1' },
          context: as(2),
        });
      }) as never,
    );

    await petstore(['categories', 'import', path, '--timeout', '1h', ...apply], {
      context: as(1),
    });

    expect(second?.exitCode).toBe(0);
  });

  test('goes on once somebody has removed the file that the error names', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const path = put(folder, 'name\nrabbit\n');
    const argv = [...ifMissing, '--max-wait', '0'];
    const codes: number[] = [];
    let named: string[] = [];
    sandbox.reactions.push(
      whileHeld(async () => {
        const { exitCode, events } = await petstore(argv, { context: as(2) });
        const hint = String(events().at(-1)?.hint);
        named = stateFiles(folder).flatMap(({ path }) => (hint.includes(path) ? [path] : []));
        for (const file of named) rmSync(file);
        codes.push(exitCode, (await petstore(argv, { context: as(2) })).exitCode);
      }) as never,
    );

    const importing = ['categories', 'import', path, '--timeout', '1h', ...apply];
    await petstore(importing, { context: as(1) });

    expect(named).toHaveLength(1);
    expect(codes).toEqual([74, 0]);
  });
});

describe('a create with --if-missing', () => {
  test('says what it cannot prevent where its state folder is a file, and goes on', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    await rm(join(folder, 'state'), { recursive: true });
    writeFileSync(join(folder, 'state'), '');

    const result = await petstore(ifMissing);

    expect(result.exitCode).toBe(0);
    expect(result.events()).toContainEqual({
      event: 'notice',
      message: expect.stringContaining('another petstore process could create the same name'),
    });
    expect(sandbox.categories).toHaveLength(1);
  });

  test('holds its name until its create is done', async ({ petstore, sandbox, clock }) => {
    let second: Awaited<ReturnType<typeof petstore>> | undefined;
    sandbox.react = reactTo('rabbit', async (_request, forward) => {
      const release = clock.hold();
      second = await petstore([...ifMissing, '--max-wait', '0'], { context: as(2) });
      release();
      return forward();
    });

    const first = await petstore(ifMissing, { context: as(1) });

    expect([first.exitCode, second?.exitCode]).toEqual([0, 74]);
    expect(sandbox.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
    expect(names(sandbox)).toEqual(['rabbit']);
  });

  test('leaves nothing of its claim behind', async ({ petstore, folder }) => {
    // What a first one needs stays: the folder for the names, and their lock.
    await petstore(ifMissing);
    const paths = () =>
      stateFiles(folder)
        .map(({ path }) => path)
        .filter((path) => !/\.lock|limits/.test(path.slice(folder.length)));
    const before = paths();

    expect(await petstore(ifMissing)).toMatchObject({ exitCode: 0 });

    expect(paths()).toEqual(before);
  });

  test('releases its name when it fails', async ({ petstore, sandbox }) => {
    sandbox.reactions.push(networkError('ENOTFOUND'));
    await petstore(ifMissing, { context: as(1) });
    sandbox.categories.push({ id: exact('7'), name: 'rabbit' });

    const result = await petstore([...ifMissing, '--max-wait', '0'], { context: as(2) });

    expect(result.exitCode).toBe(0);
  });
});
