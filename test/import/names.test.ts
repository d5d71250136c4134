import { Readable } from 'node:stream';
import { describe } from 'vitest';
import {
  apply,
  atTerminal,
  test as base,
  methods,
  namesIn,
  patient,
  put,
  type Run,
  reactTo,
  three,
} from '../support/import-cases.ts';
import {
  expect,
  networkError,
  type Reaction,
  type RunOptions,
  testKey,
} from '../support/petstore.ts';
import { stories } from '../support/story.ts';
import { never, second } from '../support/told.ts';
import { plans, type Send } from '../support/values.ts';

const test = base.extend<{
  /** Runs a command as a process of its own on this machine. */
  runAs: (pid: number, line: readonly string[], options?: RunOptions) => Run;
  /** Sends with the key of the sandbox, whatever key the process has. */
  withAnotherKey: RunOptions;
}>({
  /** The limit is known and far away, so that no request has to wait for another one. */
  runAs: async ({ petstore, sandbox }, use) => {
    sandbox.plan = plans.business;
    await petstore('categories list');
    sandbox.requests.length = 0;
    await use((pid, line, options) =>
      petstore(['categories', ...line], {
        ...options,
        context: { owner: { pid, host: 'here', born: 'once' }, ...options?.context },
      }),
    );
  },

  withAnotherKey: ({ forward }, use) => {
    const authorization = `Bearer ${testKey}`;
    const send: Send = (request) =>
      forward({ ...request, headers: { ...request.headers, authorization } });
    return use({ env: { PETSTORE_API_KEY: 'another-key-0123456789' }, context: { send } });
  },
});

const createRabbit = ['create', 'rabbit', '--if-missing', '--json'];
const importing = (file: string) => ['import', file, ...apply, ...patient];

/** Answers as the list was before anything was created, once something else was done. */
function oldListAfter(during: () => Promise<unknown>): Reaction {
  return async () => {
    await during();
    return { status: 200, headers: {}, body: Readable.from([Buffer.from('[]')]) };
  };
}

test('ten with --if-missing create one category', async ({ runAs, sandbox, withAnotherKey }) => {
  const runs = Array.from({ length: 10 }, (_, n) =>
    runAs(100 + n, [...createRabbit, ...patient], n % 2 === 1 ? withAnotherKey : {}),
  );

  for (const { exitCode, json } of await Promise.all(runs)) {
    expect([exitCode, json.id]).toEqual([0, 1]);
  }
  expect(sandbox.categories).toHaveLength(1);
});

test('a file that changes while it is imported makes no copy', async ({
  runAs,
  sandbox,
  folder,
  clock,
}) => {
  const others: Run[] = [];
  const importAnother = async () => {
    others.push(runAs(2, importing(put(folder, `${three}fox,\n`))));
    await Promise.race([...others, clock.sleep(5 * second, never)]);
  };
  sandbox.reactions.push(oldListAfter(importAnother));

  const first = await runAs(1, importing(put(folder, three)));
  const [changed] = await Promise.all(others);

  expect([first.exitCode, changed?.exitCode]).toEqual([0, 0]);
  expect(namesIn(sandbox)).toEqual(['cat', 'dog', 'emu', 'fox']);
});

const held = `plan 999/min
    create owl
    file pets.csv name rabbit
    import pets.csv --timeout 1h & < after 100s
    1s later`;

stories(
  'while another process creates by name,',
  `
  what creates nothing of its names at its service does not wait
    ${held}
    categories import pets.csv --dry-run --max-wait 0
    create! owl --if-missing
    PETSTORE_BASE_URL=http://127.0.0.1:4011/v1 create! rabbit --if-missing

  a create waits as long as --max-wait, says so, and names the holder
    ${held}
    create rabbit --if-missing --max-wait 90s => 75; at 91s; waits claimed claimed claimed; event {"event":"wait","pid":4243}; event {"kind":"rate_limited","outcome":"not_sent"}
    create rabbit --if-missing --max-wait inf => at 100s; json {"id":2}

  a create says how long it waits
    ${held}
    categories create emu --if-missing --max-wait 20s => 75; says s (15:04:21Z): process 4243 on here has been importing since 2026-11-20T15:04:00Z; says Nothing was created.
    categories create emu --if-missing --max-wait inf => at 100s; says , waiting for it to finish
    list => json [{"name":"owl"},{"name":"rabbit"},{"name":"emu"}]
`,
);

test('a machine that slept has watched nobody: who has the turn keeps it', async ({
  runAs,
  sandbox,
  folder,
  clock,
}) => {
  let sleptMs = 0;
  const uptime = () => clock.uptime() + sleptMs;
  const context = { uptime, isRunning: () => undefined };
  const others: Run[] = [];
  sandbox.react = reactTo('cat', async (_request, forward) => {
    others.push(runAs(2, [...createRabbit, ...patient], { context }));
    await clock.sleep(3 * second, never);
    sleptMs += 3_600_000;
    await clock.sleep(3 * second, never);
    return forward();
  });

  const first = await runAs(1, importing(put(folder, three)), { context });
  const [other] = await Promise.all(others);

  expect([first.exitCode, other?.exitCode]).toEqual([0, 0]);
  expect(namesIn(sandbox)).toEqual(['cat', 'dog', 'emu', 'rabbit']);
});

describe('an import gives way to others', () => {
  test('while it waits for the limit, and lists again after that', async ({
    runAs,
    sandbox,
    folder,
    clock,
    withAnotherKey,
  }) => {
    const slow = { ...plans.free, minute: { limit: 4, length: 60_000 } };
    sandbox.plan = slow;

    const first = runAs(1, importing(put(folder, three)));
    await clock.sleep(20 * second, never);
    sandbox.plan = plans.business;
    const create = ['create', 'emu', '--if-missing', '--max-wait', '0'];
    const other = await runAs(2, create, withAnotherKey);
    sandbox.plan = slow;
    const { exitCode, json } = await first;

    expect([exitCode, other.exitCode]).toEqual([0, 0]);
    expect(json.counts).toEqual({ created: 2, differs: 1 });
    expect(namesIn(sandbox)).toEqual(['cat', 'dog', 'emu']);
  });

  test.for([1, 10])(
    'at a limit of %d a minute: each creates',
    async (limit, { runAs, sandbox, folder }) => {
      sandbox.plan = { ...plans.business, minute: { limit, length: 60_000 } };
      const imports = [1, 2].map((n) =>
        runAs(n, importing(put(folder, `name\n${n} a\n${n} b\n`, `${n}.csv`))),
      );
      const create = runAs(3, ['create', '3', '--if-missing', ...patient]);

      const ends = await Promise.all([...imports, create]);

      expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
      expect(namesIn(sandbox)).toEqual(['1 a', '1 b', '2 a', '2 b', '3']);
    },
  );

  test('while it asks', async ({ runAs, folder, sandbox }) => {
    const codes: number[] = [];
    const terminal = atTerminal(async () => {
      codes.push((await runAs(2, [...createRabbit, '--max-wait', '0'])).exitCode);
      return true;
    });

    const file = put(folder, 'name\nrabbit\ncat\n');
    const { exitCode } = await runAs(1, ['import', file], terminal);

    expect([exitCode, ...codes]).toEqual([0, 0]);
    expect(namesIn(sandbox)).toEqual(['cat', 'rabbit']);
  });
});

describe('a create with --if-missing', () => {
  const patiently = [...createRabbit, ...patient];

  test('lists again if another one had the turn since its list', async ({
    runAs,
    sandbox,
    clock,
  }) => {
    const others: Run[] = [];
    const createMeanwhile = () => {
      others.push(runAs(1, patiently));
      return clock.sleep(5 * second, never);
    };
    sandbox.reactions.push(oldListAfter(createMeanwhile));

    const last = await runAs(2, patiently);
    const [first] = await Promise.all(others);

    expect([first?.exitCode, last.exitCode, last.stdout]).toEqual([0, 0, first?.stdout]);
    expect(namesIn(sandbox)).toEqual(['rabbit']);
    expect(methods(sandbox)).toBe('GET GET POST GET');
  });

  test('gives its turn back when it fails', async ({ runAs, sandbox }) => {
    sandbox.react = reactTo('rabbit', networkError('ENOTFOUND'));
    // A process that has ended leaves its turn in any case.
    const context = { isRunning: () => true };

    const first = await runAs(1, patiently, { context });
    const next = await runAs(2, [...createRabbit, '--max-wait', '0'], { context });

    expect([first.exitCode, next.exitCode]).toEqual([5, 0]);
  });
});
