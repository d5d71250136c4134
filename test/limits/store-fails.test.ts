import { describe } from 'vitest';
import { startTime } from '../support/clock.ts';
import { type Machines, noticesOf, shownUrl, test } from '../support/machines.ts';
import type { EngineFault } from '../support/memory-engine.ts';
import { expect, type Fixtures, reply } from '../support/petstore.ts';
import {
  expectTold,
  list,
  listNow,
  never,
  refusal,
  respondAfter,
  second,
  windowHeaders,
} from '../support/told.ts';
import { interrupted } from '../support/values.ts';

const blockSince = { reason: '429', since: 1e12 };
const owner = { pid: 7, host: 'gone' };

/** Lets the first machine be told to wait while the store is gone, which then is back. */
async function tellAlone({ run, engine }: Machines, sandbox: Fixtures['sandbox']): Promise<void> {
  engine.fault = 'refuses';
  sandbox.reactions.push(refusal(900));
  await run('one', listNow);
  engine.fault = undefined;
}

describe('without their store, machines', () => {
  test.for<[fault: EngineFault, says: string]>([
    ['refuses', 'is unreachable (ECONNREFUSED)'],
    ['silent', 'timed out'],
    ['full', 'is out of memory'],
    ['password', 'rejected the user name or password'],
    ['loses the reply', 'closed the connection'],
  ])(
    'go on alone when it %s: one notice, half a second at most, and no secret',
    async ([fault, says], { machines: { run, engine }, clock, sandbox }) => {
      engine.fault = fault;
      sandbox.reactions.push(reply(500, {}));

      const result = await run('one', list);

      expect(result.exitCode).toBe(0);
      expect(noticesOf(result)).toMatchObject([{ message: expect.stringContaining(says) }]);
      expect(noticesOf(result)).toMatchObject([{ message: expect.stringContaining(shownUrl) }]);
      expect(result.stderr + result.stdout).not.toMatch(/p4ss|ci:/);
      // The list is sent again after a pause.
      expect(clock.now() - startTime).toBeLessThanOrEqual(500 + 250 + 200);
      expect(sandbox.requests).toHaveLength(2);
    },
  );

  test.for([
    ['a wait until a word', { block: { ...blockSince, until: 'tomorrow' } }],
    ['a wait without end', { block: { ...blockSince, until: 9e14 } }],
    ['a request without end', { permits: { z: { expiresAt: 9e14, owner } }, probe: 'z' }],
  ] as const)(
    'go on alone, and believe nothing, if somebody has put %s into it',
    async ([, put], { machines: { run, engine } }) => {
      await run('one', list);
      const [key = ''] = engine.keys();
      const stamp = { at: 1e12, wall: startTime, uptime: startTime, boot: 'server' };
      engine.put(key, JSON.stringify({ state: { permits: {}, refusals: 0, ...put }, stamp }));

      const alone = await run('one', listNow);
      engine.flush();
      const back = await run('one', listNow);

      expect([alone.exitCode, back.exitCode]).toEqual([0, 0]);
      expect([noticesOf(alone).length, noticesOf(back).length]).toEqual([1, 0]);
    },
  );

  test('end at Ctrl-C although it is silent, and without a word of it', async ({
    machines: { run, engine },
    clock,
    sandbox,
  }) => {
    engine.fault = 'silent';
    const ctrlC = new AbortController();

    const ended = run('one', list, { signal: ctrlC.signal });
    await clock.sleep(150, never);
    const stoppedAt = clock.now();
    ctrlC.abort(interrupted(130));
    const result = await ended;

    expect(result.exitCode).toBe(130);
    expect(clock.now() - stoppedAt).toBeLessThanOrEqual(100);
    expect(noticesOf(result)).toEqual([]);
    expect(sandbox.requests).toHaveLength(0);
  });

  test('leave a quarter to the others', async ({ machines: { run, engine }, sandbox }) => {
    engine.fault = 'refuses';
    // Others take ten between two of ours.
    const remaining = [60, 49, 38, 27, 25];
    sandbox.reactions.push(...remaining.map((left) => reply(200, [], windowHeaders(100, left))));

    const codes = [];
    for (let n = 0; n < 6; n += 1) codes.push((await run('one', listNow)).exitCode);

    expect(codes).toEqual([0, 0, 0, 0, 0, 75]);
    expect(sandbox.requests).toHaveLength(5);
  });

  test.for<[what: string, told: () => Response, until: number]>([
    ['a 429', () => refusal(900), 900],
    ['a minute that is used up', () => reply(200, [], windowHeaders(60, 0)), 60],
    ['a day that is used up', () => reply(200, [], windowHeaders(1_000, 0, 72_000)), 72_000],
  ])(
    'keep to what they knew of, whoever was told it: %s',
    async ([, told, until], { machines: { run, engine }, clock, sandbox }) => {
      sandbox.reactions.push(told());
      await run('one', listNow);
      await clock.sleep(30 * second, never);
      await run('two', listNow);
      engine.fault = 'refuses';

      for (const machine of ['one', 'two']) {
        const { exitCode, events } = await run(machine, listNow);
        expect(exitCode, machine).toBe(75);
        expectTold(Date.parse(String(events().at(-1)?.resetAt)) - startTime, until);
      }
      expect(sandbox.requests).toHaveLength(1);
    },
  );

  test('keep to a wait that they are in when it goes', async ({
    machines: { run, engine },
    clock,
    sandbox,
  }) => {
    sandbox.reactions.push(refusal(30));
    await run('one', listNow);
    const sleep = (ms: number, signal: AbortSignal) => {
      if (clock.now() > startTime + 2_000) engine.fault = 'refuses';
      return clock.sleep(ms, signal);
    };

    const waited = await run('two', list, { context: { sleep } });

    expect(waited.exitCode).toBe(0);
    expect(clock.now()).toBeGreaterThanOrEqual(startTime + 30_000);
    expect(noticesOf(waited)).toHaveLength(1);
    expect(sandbox.requests).toHaveLength(2);
  });
});

test('a store whose reply a busy machine reads late is used: a timer that fires late proves nothing', async ({
  machines: { run, engine },
  clock,
}) => {
  engine.delay = () => clock.sleep(1_500, never);
  const sleep = (ms: number, signal: AbortSignal) => clock.sleep(ms + 300, signal);

  const result = await run('one', list, { context: { sleep } });

  expect(result.exitCode).toBe(0);
  expect(noticesOf(result)).toEqual([]);
  expect(engine.changes).toBe(2);
});

describe('when their store is back, machines', () => {
  test('keep to a wait that they were told alone, and tell the others', async ({
    machines,
    sandbox,
  }) => {
    const { run } = machines;
    await tellAlone(machines, sandbox);

    const again = await run('one', listNow);
    const other = await run('two', listNow);

    expect([again.exitCode, other.exitCode]).toEqual([75, 75]);
    expect(sandbox.requests).toHaveLength(1);
  });

  test('wait for no request of theirs that ended meanwhile', async ({
    machines: { run, engine },
    clock,
    sandbox,
  }) => {
    sandbox.reactions.push(respondAfter(clock, 2 * second, () => refusal(20)));
    const first = run('one', list);
    await clock.sleep(second, never);
    engine.fault = 'refuses';
    await clock.sleep(9 * second, never);
    engine.fault = undefined;

    expect((await first).exitCode).toBe(0);
    expectTold(clock.now() - startTime, 22);
  });

  test('hear from it over a new connection if the old one stays silent', async ({
    machines: { run, engine },
    clock,
    sandbox,
  }) => {
    sandbox.reactions.push(refusal(3_600));
    await run('one', listNow);

    const waiting = run('two', [...list, '--max-wait', 'inf']);
    await clock.sleep(20_000, never);
    engine.mute();
    await clock.sleep(20_000, never);
    const release = clock.hold();
    await run('three', ['limits', '--reset']);
    const resetAt = clock.now();
    release();

    expect((await waiting).exitCode).toBe(0);
    expect(noticesOf(await waiting)).toHaveLength(1);
    expect(clock.now() - resetAt).toBeLessThanOrEqual(10_000);
  });
});

describe('a store that loses its values', () => {
  test('costs at most one 429 in each window, though it happens again and again', async ({
    machines: { run, engine },
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
      const machine = `machine-${Math.floor(n * 6.18) % 10}`;
      codes.add((await run(machine, [...list, '--max-wait', 'inf'])).exitCode);
      await clock.sleep(300, never);
    }

    expect([...codes]).toEqual([0]);
    expect(sandbox.requests.length).toBeLessThanOrEqual(150 + Math.ceil(150 / 60));
  });

  test('costs no 429 if others have the last requests of a minute in flight', async ({
    machines: { run, engine },
    clock,
    sandbox,
  }) => {
    sandbox.reactions.push(reply(200, [], windowHeaders(60, 3)));
    await run('one', list);
    let remaining = 3;
    sandbox.react = () => {
      remaining -= 1;
      const left = remaining;
      return respondAfter(clock, 5 * second, () => reply(200, [], windowHeaders(60, left)));
    };
    const others = [1, 2, 3].map(() => run('two', list));
    await clock.sleep(second, never);
    engine.flush();

    const { exitCode } = await run('one', listNow);

    expect(exitCode).toBe(75);
    for (const other of others) expect((await other).exitCode).toBe(0);
    expect(sandbox.requests).toHaveLength(4);
  });
});
