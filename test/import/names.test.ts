import { rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe } from 'vitest';
import {
  apply,
  countsOf,
  creates,
  everyRow,
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
  type RunOptions,
  reply,
  testKey,
} from '../support/petstore.ts';
import { stateFiles } from '../support/state-files.ts';
import { expectTold } from '../support/told.ts';
import { type Context, exact, interrupted, plans } from '../support/values.ts';

type Race = {
  petstore: Fixtures['petstore'];
  /** Imports a text as a process of its own. */
  importAs: (pid: number, text: string, flags?: readonly string[], file?: string) => Run;
  /** Creates rabbit with --if-missing as process 2. */
  createRabbit: (flags?: readonly string[], options?: RunOptions) => Run;
  /** Imports rabbit as process 1, and does something while that holds the name. */
  whileHeld: (during: () => Promise<unknown>) => Run;
  /** Answers the next list as it was before anything was created, five seconds later or when `meanwhile` has ended. */
  listSlowly: (meanwhile: () => Promise<unknown>) => void;
};

const never = new AbortController().signal;
const patient = ['--max-wait', 'inf'];

const test = base.extend<Race>({
  /** The limit is known and far away, so that no request has to wait for another one. */
  petstore: async ({ petstore, sandbox }, use) => {
    sandbox.plan = plans.business;
    await petstore(['categories', 'list']);
    sandbox.requests.length = 0;
    await use(petstore);
  },

  importAs: ({ petstore, folder }, use) =>
    use((pid, text, flags = [...apply, ...patient], file) =>
      petstore(['categories', 'import', put(folder, text, file), ...flags], { context: as(pid) }),
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

  listSlowly: ({ sandbox, clock }, use) =>
    use((meanwhile) => {
      sandbox.reactions.push(async () => {
        await Promise.race([meanwhile(), clock.sleep(5_000, never)]);
        return { status: 200, headers: {}, body: Readable.from([Buffer.from('[]')]) };
      });
    }),
});

/** A process of its own on this machine. */
function as(pid: number): Partial<Context> {
  return { owner: { pid, host: 'here', born: 'once' } };
}

describe('processes on one machine that create the same names', () => {
  test('ten creates with --if-missing and two keys create one category', async ({
    createRabbit,
    sandbox,
    forward,
  }) => {
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

  test('two imports of different files that share names create each name once', async ({
    importAs,
    sandbox,
  }) => {
    const results = await Promise.all([
      importAs(1, 'name\ndog\ncat\nemu\n', undefined, 'one.csv'),
      importAs(2, 'name\nemu\nfox\ndog\ncat\n', undefined, 'two.csv'),
    ]);

    expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    // Either may have been the first.
    const counts = results.map(({ stdout }) => countsOf(stdout));
    expect(counts.map(({ existing }) => existing ?? 0).sort()).toEqual([0, 3]);
    expect(namesIn(sandbox)).toEqual(['cat', 'dog', 'emu', 'fox']);
  });

  test.for([
    ['existing', apply],
    ['created_before', everyRow],
  ] as const)(
    'a second import of a file waits for the first one, and says %s with %j',
    async ([outcome, flags], { importAs, sandbox, clock }) => {
      const others: Run[] = [];
      sandbox.react = reactTo('cat', async (_request, forward) => {
        others.push(importAs(2, three, [...flags, '--max-wait', '3s']));
        others.push(importAs(3, three, [...flags, '--max-wait', '30s']));
        await clock.sleep(5_000, never);
        return forward();
      });

      const first = await importAs(1, three, [...flags, '--max-wait', '1m']);
      const [impatient, patient] = await Promise.all(others);

      expect([first.exitCode, impatient?.exitCode, patient?.exitCode]).toEqual([0, 74, 0]);
      expect(countsOf(patient?.stdout ?? '')).toEqual({ [outcome]: 3 });
      expect(namesIn(sandbox)).toEqual(['cat', 'dog', 'emu']);
    },
  );

  test('an import and a create with --if-missing create a name once', async ({
    importAs,
    createRabbit,
    listSlowly,
    sandbox,
  }) => {
    const others: Run[] = [];
    listSlowly(async () => others.push(createRabbit()) > 0 && others[0]);

    await importAs(1, 'name\nrabbit\ncat\n');
    await Promise.all(others);

    expect(namesIn(sandbox)).toEqual(['cat', 'rabbit']);
  });

  test.for([
    ['creates no name twice', apply, { counts: { existing: 3, created: 1 } }, 'cat dog emu fox'],
    ['is refused if that import is not finished', everyRow, undefined, 'cat dog'],
  ] as const)(
    'a file that changes while its import waits for the list %s',
    async ([, flags, result, names], { importAs, listSlowly, sandbox }) => {
      const others: Run[] = [];
      if (!result) sandbox.react = reactTo('emu', reply(401, ''));
      const argv = [...flags, ...patient];
      listSlowly(async () => others.push(importAs(2, `${three}fox,\n`, argv)) > 0 && others[0]);

      await importAs(1, three, argv);
      const [changed] = await Promise.all(others);

      if (result) expect(JSON.parse(changed?.stdout ?? '')).toMatchObject(result);
      else {
        expect(changed).toMatchObject({ exitCode: 2, stdout: '' });
        expect(changed?.stderr).toContain('the file has changed since its import was started');
      }
      expect(namesIn(sandbox)).toEqual(names.split(' '));
    },
  );

  test.for([
    ['of other names', 'cat', apply],
    ['of the same name with --dry-run', 'rabbit', [...apply, '--dry-run']],
    ['of the same name with --allow-duplicates', 'rabbit', everyRow],
  ] as const)(
    'an import %s does not wait for another one',
    async ([, name, flags], { importAs, whileHeld }) => {
      const codes: number[] = [];
      const text = `name\n${name}\n`;

      await whileHeld(async () => {
        codes.push((await importAs(2, text, [...flags, '--max-wait', '0'])).exitCode);
      });

      expect(codes).toEqual([0]);
    },
  );
});

describe('a process whose names are held by another one', () => {
  test.for(['rabbit', ' RABBIT', 'rabbit\u00a0'])(
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
      expect([first.exitCode, second?.exitCode, then.exitCode]).toEqual([0, 74, 0]);
      expectTold(waited, 90);
      expect(events[0]).toMatchObject({ event: 'wait', reason: 'claimed', pid: 1 });
      expect(events.filter(({ event }) => event === 'wait')).toHaveLength(3);
      expect(events.at(-1)).toMatchObject({
        kind: 'output',
        outcome: 'not_sent',
        message: 'process 1 on here has been importing the same names since 2026-11-20T15:04:00Z',
        hint: expect.stringContaining('--max-wait'),
      });
      expect(namesIn(sandbox)).toEqual([...new Set([name, 'rabbit'])].sort());
    },
  );

  test.for([
    ['90s', /^giving up in 1m 2[789]s \(15:05:30Z\)$/, { waitMs: expect.any(Number) }],
    ['inf', /^waiting for it to finish$/, {}],
  ] as const)(
    'says how long it waits with --max-wait %s',
    async ([maxWait, says, end], { petstore, createRabbit, whileHeld, clock }) => {
      const flags = ['--if-missing', '--max-wait', maxWait];
      const results: Awaited<Run>[] = [];

      await whileHeld(async () => {
        const ctrlC = new AbortController();
        void clock.sleep(10_000, never).then(() => ctrlC.abort(interrupted(130)));
        const options = { context: as(2), signal: ctrlC.signal };
        results.push(
          ...(await Promise.all([
            petstore(['categories', 'create', 'rabbit', ...flags], options),
            createRabbit(flags, options),
          ])),
        );
      });

      const [text, json] = results;
      expect([text?.exitCode, text?.stdout]).toEqual([130, '']);
      const [wait = '', ...rest] = text?.stderr.split('\n') ?? [];
      expect(wait).toMatch(/^petstore: process 1 is importing the same names, /);
      expect(wait.split(', ')[1]).toMatch(says);
      expect(rest).toEqual(['petstore: interrupted', 'Nothing was sent.', '']);
      const [event] = json?.events() ?? [];
      expect(event).toEqual(expect.objectContaining({ reason: 'claimed', pid: 1, ...end }));
      if (maxWait === 'inf') expect(event).toEqual({ event: 'wait', reason: 'claimed', pid: 1 });
    },
  );

  test('creates them at another service meanwhile', async ({ createRabbit, whileHeld }) => {
    const env = { PETSTORE_BASE_URL: 'http://127.0.0.1:4011/v1' };
    const codes: number[] = [];

    await whileHeld(async () => {
      codes.push((await createRabbit(['--max-wait', '0'], { env })).exitCode);
    });

    expect(codes).toEqual([0]);
  });

  test('goes on once somebody has removed the file that the error names', async ({
    createRabbit,
    whileHeld,
    folder,
  }) => {
    const codes: number[] = [];

    await whileHeld(async () => {
      const { exitCode, events } = await createRabbit(['--max-wait', '0']);
      const hint = String(events().at(-1)?.hint);
      for (const { path } of stateFiles(folder)) if (hint.includes(path)) rmSync(path);
      codes.push(exitCode, (await createRabbit(['--max-wait', '0'])).exitCode);
    });

    expect(codes).toEqual([74, 0]);
  });
});

describe('a create with --if-missing', () => {
  test('says what it cannot prevent where its state folder is a file, and goes on', async ({
    createRabbit,
    sandbox,
    folder,
  }) => {
    await rm(join(folder, 'state'), { recursive: true, force: true });
    writeFileSync(join(folder, 'state'), '');

    const { exitCode, events } = await createRabbit();

    expect([exitCode, sandbox.categories.length]).toEqual([0, 1]);
    expect(events()).toContainEqual({
      event: 'notice',
      message: expect.stringContaining('another petstore process may create the same name'),
    });
  });

  test('holds its name until its create is done', async ({ createRabbit, sandbox, clock }) => {
    const codes: number[] = [];
    sandbox.react = reactTo('rabbit', async (_request, forward) => {
      const release = clock.hold();
      codes.push((await createRabbit(['--max-wait', '0'])).exitCode);
      release();
      return forward();
    });

    codes.push((await createRabbit(patient, { context: as(1) })).exitCode);

    expect(codes).toEqual([74, 0]);
    expect(creates(sandbox)).toEqual(['rabbit']);
  });

  test('leaves nothing of its claim behind', async ({ createRabbit, folder }) => {
    // What a first one needs stays: the folder for the names, and their lock.
    await createRabbit();
    const paths = () =>
      stateFiles(folder)
        .map(({ path }) => path)
        .filter((path) => !/\.lock|limits/.test(path.slice(folder.length)));
    const before = paths();

    expect(await createRabbit()).toMatchObject({ exitCode: 0 });

    expect(paths()).toEqual(before);
  });

  test('releases its name when it fails', async ({ createRabbit, sandbox }) => {
    sandbox.reactions.push(networkError('ENOTFOUND'));
    await createRabbit(patient, { context: as(1) });
    sandbox.categories.push({ id: exact('7'), name: 'rabbit' });

    expect(await createRabbit(['--max-wait', '0'])).toMatchObject({ exitCode: 0 });
  });
});
