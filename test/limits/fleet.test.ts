import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { startTime } from '../support/clock.ts';
import { type Fleet, shownUrl, test } from '../support/fleet.ts';
import type { EngineFault } from '../support/memory-engine.ts';
import { expect, type Fixtures, reply, silence } from '../support/petstore.ts';
import { interrupted } from '../support/values.ts';

const never = new AbortController().signal;
const list = ['categories', 'list', '--json'];
const listNow = [...list, '--max-wait', '0'];
const refusal = (seconds: number) => reply(429, '', { 'retry-after': String(seconds) });
const notices = (result: { events: () => readonly Record<string, unknown>[] }) =>
  result.events().filter(({ event }) => event === 'notice');

/** The first machine is told to wait while the store is gone, which then is back. */
async function tellAlone({ run, engine }: Fleet, sandbox: Fixtures['sandbox']): Promise<void> {
  engine.fault = 'refuses';
  sandbox.reactions.push(refusal(900));
  await run('one', [...list, '--max-wait', '0']);
  engine.fault = undefined;
}

describe('machines with a limit store', () => {
  test('wait for what another one was told', async ({ fleet: { run, engine }, clock, sandbox }) => {
    sandbox.reactions.push(refusal(30));
    await run('one', [...list, '--max-wait', '0']);

    const denied = await run('two', [...list, '--max-wait', '0']);
    const waited = await run('two', list);

    expect(denied.exitCode).toBe(75);
    expect(denied.events().at(-1)).toMatchObject({ outcome: 'not_sent', kind: 'rate_limited' });
    expect(waited.exitCode).toBe(0);
    expect(clock.now()).toBeGreaterThanOrEqual(startTime + 30_000);
    expect(sandbox.requests).toHaveLength(2);
    expect(engine.keys()).toEqual([expect.stringMatching(/^petstore:lim:[0-9a-f]{32}$/)]);
  });

  test('end at Ctrl-C without waiting for a store that is silent, and without a word of it', async ({
    fleet: { run, engine },
    clock,
    sandbox,
  }) => {
    engine.fault = 'silent';
    const ctrlC = new AbortController();
    const { signal } = ctrlC;

    const ended = run('one', list, { signal });
    await clock.sleep(150, new AbortController().signal);
    const stoppedAt = clock.now();
    ctrlC.abort(interrupted(130));
    const result = await ended;

    expect(result.exitCode).toBe(130);
    expect(clock.now() - stoppedAt).toBeLessThanOrEqual(100);
    expect(notices(result)).toEqual([]);
    expect(sandbox.requests).toHaveLength(0);
  });

  test('keep to a wait that they knew of when the store is gone, whoever was told it', async ({
    fleet: { run, engine },
    sandbox,
  }) => {
    sandbox.reactions.push(refusal(900));
    await run('one', [...list, '--max-wait', '0']);
    await run('two', [...list, '--max-wait', '0']);
    engine.fault = 'refuses';

    const again = [
      await run('one', [...list, '--max-wait', '0']),
      await run('two', [...list, '--max-wait', '0']),
    ];

    expect(again.map(({ exitCode }) => exitCode)).toEqual([75, 75]);
    expect(sandbox.requests).toHaveLength(1);
  });

  test('keep to a wait that they were told alone when the store is back, and tell it the others', async ({
    fleet,
    sandbox,
  }) => {
    const { run } = fleet;
    await tellAlone(fleet, sandbox);

    const again = await run('one', [...list, '--max-wait', '0']);
    const other = await run('two', [...list, '--max-wait', '0']);

    expect([again.exitCode, other.exitCode]).toEqual([75, 75]);
    expect(sandbox.requests).toHaveLength(1);
  });

  test('tell the store of a wait once, not at each start', async ({ fleet, sandbox }) => {
    const { run, engine } = fleet;
    await tellAlone(fleet, sandbox);
    await run('one', [...list, '--max-wait', '0']);
    const before = engine.changes;

    await run('one', [...list, '--max-wait', '0']);
    await run('one', [...list, '--max-wait', '0']);

    expect(engine.changes).toBe(before);
  });

  test('forget by --reset on another one what they were told alone', async ({
    fleet,
    sandbox,
    clock,
  }) => {
    const { run } = fleet;
    await tellAlone(fleet, sandbox);
    await run('one', ['limits']);
    await clock.sleep(5_000, new AbortController().signal);
    await run('two', ['limits', '--reset']);

    expect((await run('one', [...list, '--max-wait', '0'])).exitCode).toBe(0);
  });

  test('of another key or service wait for nothing', async ({ fleet: { run }, clock, sandbox }) => {
    sandbox.reactions.push(refusal(30));
    await run('one', [...list, '--max-wait', '0']);

    const PETSTORE_BASE_URL = 'http://127.0.0.1:4011/v1';
    const other = await run('two', list, { env: { PETSTORE_BASE_URL } });

    expect(other.exitCode).toBe(0);
    expect(clock.now()).toBe(startTime);
  });

  test('look at the store every five seconds of a long wait, not more often', async ({
    fleet: { run, engine },
    sandbox,
  }) => {
    sandbox.reactions.push(refusal(60));
    await run('one', [...list, '--max-wait', '0']);
    const before = engine.commands;

    await run('two', list);

    // One every five seconds, another one at first, and what its turn takes.
    expect(engine.commands - before).toBeLessThanOrEqual(13 + 1 + 5);
  });

  test.for<{ fault: EngineFault; says: string }>([
    { fault: 'refuses', says: 'is unreachable (ECONNREFUSED)' },
    { fault: 'silent', says: 'timed out' },
    { fault: 'full', says: 'is out of memory' },
    { fault: 'password', says: 'rejected the user name or password' },
  ])(
    'go on alone when it $fault: one notice, half a second at most, and no secret',
    async ({ fault, says }, { fleet: { run, engine }, clock, sandbox }) => {
      engine.fault = fault;

      const result = await run('one', ['categories', 'create', 'rabbit', '--if-missing', '--json']);

      expect(result.exitCode).toBe(0);
      expect(notices(result)).toMatchObject([{ message: expect.stringContaining(says) }]);
      expect(notices(result)).toMatchObject([{ message: expect.stringContaining(shownUrl) }]);
      expect(result.stderr + result.stdout).not.toMatch(/p4ss|ci:/);
      // The first request starts a minute, of which the second sees one less.
      expect(clock.now() - startTime).toBeLessThanOrEqual(500 + 200);
      expect(sandbox.requests).toHaveLength(2);
    },
  );

  test('use a store whose answer a stalled machine reads late: a timer that fires late proves nothing', async ({
    fleet: { run, engine },
    clock,
  }) => {
    engine.delay = () => clock.sleep(1_500, never);
    // Nothing here is in time: each timer fires 300 ms late.
    const sleep = (ms: number, signal: AbortSignal) => clock.sleep(ms + 300, signal);

    const result = await run('one', list, { context: { sleep } });

    expect(result.exitCode).toBe(0);
    expect(notices(result)).toEqual([]);
    expect(engine.changes).toBe(2);
  });

  test('go on alone after five seconds at most, also on a machine that is stalled all the time', async ({
    fleet: { run, engine },
    clock,
  }) => {
    engine.fault = 'silent';
    const sleep = (ms: number, signal: AbortSignal) => clock.sleep(ms + 300, signal);

    const result = await run('one', list, { context: { sleep } });

    expect(result.exitCode).toBe(0);
    expect(notices(result)).toHaveLength(1);
    expect(clock.now() - startTime).toBeLessThan(6_000);
  });

  test('take along what the store knew when it goes midway: a wait in force stays in force', async ({
    fleet: { run, engine },
    clock,
    sandbox,
  }) => {
    sandbox.reactions.push(refusal(30));
    // The answer to the request comes when the store is gone.
    sandbox.react = () => {
      engine.fault = 'refuses';
      return undefined;
    };
    await run('one', [...list, '--max-wait', '0']);
    const sleep = (ms: number, signal: AbortSignal) => {
      if (clock.now() > startTime + 2_000) engine.fault = 'refuses';
      return clock.sleep(ms, signal);
    };

    const waited = await run('two', list, { context: { sleep } });
    const next = await run('two', [...list, '--max-wait', '0']);

    expect(waited.exitCode).toBe(0);
    expect(clock.now()).toBeGreaterThanOrEqual(startTime + 30_000);
    expect(notices(waited)).toHaveLength(1);
    expect(next.exitCode).toBe(0);
  });

  test('leave a quarter when they go on alone', async ({ fleet: { run, engine }, sandbox }) => {
    engine.fault = 'refuses';
    const limit = (remaining: number) =>
      reply(200, '[]', {
        'x-ratelimit-limit': '100',
        'x-ratelimit-remaining': String(remaining),
        'x-ratelimit-reset': String(startTime / 1_000 + 60),
      });
    // Others take ten between two of ours.
    sandbox.reactions.push(...[60, 49, 38, 27, 25].map(limit));

    const codes = [];
    for (let n = 0; n < 6; n += 1) {
      codes.push((await run('one', [...list, '--max-wait', '0'])).exitCode);
    }

    expect(codes).toEqual([0, 0, 0, 0, 0, 75]);
    expect(sandbox.requests).toHaveLength(5);
  });

  test('count as spent what others have in flight when the store goes', async ({
    fleet: { run, engine },
    sandbox,
    clock,
    folder,
  }) => {
    const limit = (remaining: number) =>
      reply(200, '[]', {
        'x-ratelimit-limit': '60',
        'x-ratelimit-remaining': String(remaining),
        'x-ratelimit-reset': String(startTime / 1_000 + 60),
      });
    sandbox.reactions.push(limit(18));
    await run('one', list);
    const release = clock.hold();
    const areConnecting = new Promise<void>((resolve) => {
      let count = 0;
      sandbox.connect = () => {
        count += 1;
        if (count === 3) resolve();
        return silence;
      };
    });
    const others = [1, 2, 3].map(() => run('two', list));
    await areConnecting;
    sandbox.connect = async () => {};
    sandbox.react = () => {
      engine.fault = 'refuses';
      return limit(17);
    };
    const file = join(folder, 'pets.csv');
    writeFileSync(file, 'name\nfirst\n');

    const { exitCode } = await run('one', [
      'categories',
      'import',
      file,
      '--yes',
      '--max-wait',
      '0',
    ]);

    expect(exitCode).toBe(75);
    expect(sandbox.requests.map(({ method }) => method)).toEqual(['GET', 'GET']);
    release();
    await Promise.all(others);
  });

  test.for([
    ['a wait without end', { block: { reason: '429', since: 1e12, until: 9e14 } }],
    ['a wait until a word', { block: { reason: '429', since: 1e12, until: 'tomorrow' } }],
    [
      'a limit that is a word',
      { minute: { limit: 'few', remaining: 0, expected: 0, endsAt: 2e12 } },
    ],
    ['no requests in flight', { permits: null }],
  ] as const)(
    'go on alone, and believe nothing, if somebody has put %s into the store',
    async ([, fields], { fleet: { run, engine } }) => {
      await run('one', list);
      const [key = ''] = engine.keys();
      const stamp = { at: 1e12, wall: startTime, uptime: startTime, boot: 'server' };
      engine.put(key, JSON.stringify({ state: { permits: {}, refusals: 0, ...fields }, stamp }));

      const alone = await run('one', listNow);
      engine.flush();
      const back = await run('one', listNow);

      expect([alone.exitCode, back.exitCode]).toEqual([0, 0]);
      expect([notices(alone).length, notices(back).length]).toEqual([1, 0]);
    },
  );

  test('go back when it returns, and tell it what they heard meanwhile', async ({
    fleet: { run, engine },
    clock,
    sandbox,
  }) => {
    engine.fault = 'refuses';
    sandbox.reactions.push(refusal(30));
    const sleep = (ms: number, signal: AbortSignal) => {
      if (clock.now() > startTime + 8_000) engine.fault = undefined;
      return clock.sleep(ms, signal);
    };

    const back = run('one', list, { context: { sleep } });
    await clock.sleep(20_000, new AbortController().signal);
    const other = await run('two', [...list, '--max-wait', '0']);

    expect(other.exitCode).toBe(75);
    expect(notices(other)).toEqual([]);
    expect((await back).exitCode).toBe(0);
    expect(notices(await back)).toHaveLength(1);
    expect(clock.now()).toBeGreaterThanOrEqual(startTime + 30_000);
    expect(sandbox.requests).toHaveLength(2);
  });

  test('do not keep others waiting for a request that ended while the store was gone', async ({
    fleet: { run, engine },
    clock,
    sandbox,
  }) => {
    sandbox.reactions.push(
      async (_request, forward) => {
        engine.fault = 'refuses';
        return forward();
      },
      refusal(20),
      async (_request, forward) => forward(),
    );

    // Its second request waits until the store is back.
    const sleep = (ms: number, signal: AbortSignal) => {
      if (clock.now() > startTime + 8_000) engine.fault = undefined;
      return clock.sleep(ms, signal);
    };
    await run('one', ['categories', 'create', 'rabbit', '--if-missing', '--json'], {
      context: { sleep },
    });
    const { stdout } = await run('two', ['limits', '--json']);

    expect(JSON.parse(stdout).inFlight).toBe(0);
    // Nor does it wait for its own lease.
    expect(clock.now() - startTime).toBeLessThan(25_000);
  });

  test('say once in a run that the store is gone, however often it goes', async ({
    fleet: { run, engine },
    clock,
    sandbox,
  }) => {
    sandbox.reactions.push(refusal(60));
    const sleep = (ms: number, signal: AbortSignal) => {
      // It is there for a while, every twenty seconds.
      engine.fault = (clock.now() - startTime) % 20_000 < 12_000 ? 'refuses' : undefined;
      return clock.sleep(ms, signal);
    };
    engine.fault = 'refuses';

    const result = await run('one', list, { context: { sleep } });

    expect(result.exitCode).toBe(0);
    expect(engine.commands).toBeGreaterThan(0);
    expect(notices(result)).toHaveLength(1);
  });

  test('send one request at a time when they go on alone', async ({
    fleet: { run, engine },
    sandbox,
    clock,
  }) => {
    engine.fault = 'refuses';
    await run('one', list);
    sandbox.reactions.push('stall');
    const stalled = run('one', [...list, '--timeout', '20s']);
    const start = clock.now();
    const other = await run('one', [...list, '--max-wait', '5s']);

    expect(other.exitCode).toBe(75);
    expect(clock.now() - start).toBeLessThan(10_000);
    await stalled;
  });

  test('forget by --reset what they keep themselves as well', async ({ fleet, sandbox, clock }) => {
    const { run, engine } = fleet;
    await tellAlone(fleet, sandbox);
    await run('one', ['limits', '--reset']);
    engine.fault = 'refuses';

    expect((await run('one', list)).exitCode).toBe(0);
    expect(clock.now() - startTime).toBeLessThan(5_000);
  });
});

describe('a limit store that loses what it was told', () => {
  const machines = Array.from({ length: 10 }, (_, n) => `machine-${n}`);

  test('does no harm when it goes while no process runs: what each machine was told last is on its own disk', async ({
    fleet: { run, engine },
    clock,
    sandbox,
  }) => {
    for (let n = 0; n < 60; n += 1) await run(`machine-${n % 10}`, list);
    engine.fault = 'refuses';

    const results = await Promise.all(
      machines.map(async (machine, n) => {
        await clock.sleep(1_200 * n + 1, never);
        return run(machine, list);
      }),
    );

    expect(results.map(({ exitCode }) => exitCode)).toEqual(machines.map(() => 0));
    // Not one is refused and sent again.
    expect(sandbox.requests).toHaveLength(70);
  });

  test('lets a machine go on at once that was alone with it', async ({
    fleet: { run, engine },
    clock,
    sandbox,
  }) => {
    await run('one', list);
    await clock.sleep(20_000, never);
    engine.fault = 'refuses';

    expect((await run('one', [...list, '--max-wait', '0'])).exitCode).toBe(0);
    expect(sandbox.requests).toHaveLength(2);
  });

  test('again and again costs at most one 429 in each window', async ({
    fleet: { run, engine },
    clock,
    sandbox,
  }) => {
    sandbox.react = () => {
      if (sandbox.requests.length % 3 === 0) engine.flush();
      return undefined;
    };
    const codes = new Set<number>();
    for (let n = 0; n < 150; n += 1) {
      engine.flush();
      // Neither in turns nor one machine after the other.
      codes.add(
        (await run(`machine-${Math.floor(n * 6.18) % 10}`, [...list, '--max-wait', 'inf']))
          .exitCode,
      );
      await clock.sleep(300, never);
    }

    expect([...codes]).toEqual([0]);
    expect(sandbox.requests.length).toBeLessThanOrEqual(150 + Math.ceil(150 / 60));
  });

  test('is told again by a process that runs what was left', async ({
    fleet: { run, engine },
    sandbox,
    clock,
  }) => {
    sandbox.reactions.push(async (_request, forward) => {
      engine.flush();
      return forward();
    });

    const result = await run('one', list);
    await run('two', list);
    const { stdout } = await run('one', ['limits', '--json']);

    expect(notices(result)).toEqual([]);
    expect(JSON.parse(stdout).minute.remaining).toBe(58);
    expect(clock.now()).toBe(startTime);
  });

  test('hears from a machine what is left, though not what was cleared for all since', async ({
    fleet: { run },
    clock,
  }) => {
    await run('one', list);
    await clock.sleep(5_000, never);
    await run('two', ['limits', '--reset']);

    const { stdout } = await run('one', ['limits', '--json']);
    const other = await run('two', ['limits', '--json']);

    expect(JSON.parse(stdout).minute.remaining).toBe(undefined);
    expect(JSON.parse(other.stdout).minute.remaining).toBe(undefined);
  });
});
