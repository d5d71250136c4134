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

const blockSince = { reason: '429', since: 1e12 };
const owner = { pid: 7, host: 'gone' };
type Values = ReturnType<Machines['engine']['save']>;

/** Lets the first machine be told to wait while the store is gone, which then is back. */
async function tellAlone({ run, engine }: Machines, sandbox: Fixtures['sandbox']): Promise<void> {
  engine.fault = 'refuses';
  sandbox.reactions.push(refusal(900));
  await run('one', listNow);
  engine.fault = undefined;
}

describe('without their store, machines', () => {
  test.for<[fault: EngineFault, says: string]>([
    ['refuses', 'unreachable (ECONNREFUSED)'],
    ['silent', 'timed out'],
    ['full', 'OOM command not allowed'],
    ['password', 'wrong user name or password'],
    ['loses the reply', 'Connection is closed'],
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
    for (let n = 0; n < 80; n += 1) {
      engine.flush();
      // Neither in turns nor one machine after the other.
      const machine = `machine-${Math.floor(n * 6.18) % 10}`;
      codes.add((await run(machine, [...list, '--max-wait', 'inf'])).exitCode);
      await clock.sleep(300, never);
    }

    expect([...codes]).toEqual([0]);
    expect(sandbox.requests.length).toBeLessThanOrEqual(80 + Math.ceil(80 / 60));
  });

  const told: [what: string, told: () => Response, until: number][] = [
    ['a 429', () => refusal(900), 900],
    ['a minute that is used up', () => reply(200, [], windowHeaders(60, 0)), 60],
    ['a day that is used up', () => reply(200, [], windowHeaders(1_000, 0, 72_000)), 72_000],
  ];
  const losses: [how: string, lose: (engine: Machines['engine'], old: Values) => void][] = [
    ['is flushed', (engine) => engine.flush()],
    ['comes back empty', (engine) => engine.restore()],
    ['comes back with old values', (engine, old) => engine.restore(old)],
  ];
  test.for(
    told.flatMap(([what, ...wait]) =>
      losses.map(([how, lose]) => [what, how, lose, ...wait] as const),
    ),
  )(
    'forgets no wait that a machine knows of: %s, and it %s',
    async ([, , lose, tell, until], { machines: { run, engine }, clock, sandbox }) => {
      await run('zero', list);
      await run('one', list);
      const old = engine.save();
      sandbox.reactions.push(tell());
      await run('one', listNow);
      await run('two', listNow);
      lose(engine, old);
      // Another machine that knows nothing is first, and finds the end of its own window only.
      await run('zero', ['limits']);

      for (const machine of ['two', 'one', 'zero']) {
        const { exitCode, events } = await run(machine, listNow);
        expect(exitCode, machine).toBe(75);
        expectTold(Date.parse(String(events().at(-1)?.resetAt)) - startTime, until);
      }
      expect(sandbox.requests).toHaveLength(3);
      expect(clock.now() - startTime).toBeLessThan(10 * second);
    },
  );

  test('does not bring back a wait from before a --reset', async ({
    machines: { run, engine },
    sandbox,
  }) => {
    sandbox.reactions.push(refusal(900));
    await run('one', listNow);
    await run('two', listNow);
    const old = engine.save();
    await run('one', ['limits', '--reset']);
    engine.restore(old);

    expect((await run('one', listNow)).exitCode).toBe(0);
    expect((await run('two', listNow)).exitCode).toBe(0);
  });
});
