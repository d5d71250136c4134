import { describe } from 'vitest';
import { startTime } from '../support/clock.ts';
import { cutBefore } from '../support/import-cases.ts';
import { expect, networkError, type Reaction, reply, test } from '../support/petstore.ts';
import {
  expectTold,
  list,
  listNow,
  minute,
  never,
  refusal,
  respondAfter,
  second,
  watchInFlight,
  windowHeaders,
} from '../support/told.ts';
import { plans } from '../support/values.ts';

const limits = ['limits', '--json'];

describe('the last request of a window', () => {
  test.for<[string, Reaction, sent: number]>([
    ['is spent if its response was lost', cutBefore, 2],
    ['is left if it never left', networkError('ECONNREFUSED'), 3],
  ])('%s', async ([, reaction, sent], { petstore, sandbox }) => {
    sandbox.reactions.push(reply(200, [], windowHeaders(60, 1)), reaction);
    await petstore(listNow);

    await petstore(listNow);

    expect(sandbox.requests).toHaveLength(sent);
  });
});

test('without a Date a window ends by the clock of the machine', async ({ petstore, sandbox }) => {
  const { date: _, ...headers } = windowHeaders(60, 0, 30);
  sandbox.reactions.push(reply(200, [], headers));
  await petstore(listNow);

  const { events, exitCode } = await petstore(listNow);

  expect(exitCode).toBe(75);
  expectTold(Date.parse(String(events()[0]?.resetAt)) - startTime, 30);
});

describe('requests in flight', () => {
  test.for([
    [1_500, 0],
    [20_000, 75],
  ] as const)(
    'are waited for, also with --max-wait 0, for two seconds: one of %i ms',
    async ([takes, exitCode], { petstore, sandbox, clock }) => {
      sandbox.reactions.push(respondAfter(clock, takes));
      const first = petstore(list);

      const result = await petstore(listNow);

      expect(result.exitCode).toBe(exitCode);
      expect(result.events().filter(({ event }) => event === 'wait')).toEqual([]);
      expect((await first).exitCode).toBe(0);
    },
  );

  test('are told as the reason of a wait for them', async ({ petstore, sandbox, clock }) => {
    sandbox.reactions.push(respondAfter(clock, 20 * second));
    const first = petstore(list);

    const { events } = await petstore(list);

    const waits = events().filter(({ event }) => event === 'wait');
    expect(waits).toMatchObject([{ reason: 'probe' }]);
    await first;
  });

  test.for([
    [60, 0, 4],
    [60, 28, 5],
    [1_000, 140, 16],
  ] as const)(
    'where a minute allows %i, after %i responses, are %i at most',
    async ([limit, before, most], { petstore, sandbox, clock }) => {
      sandbox.plan = { ...plans.business, minute: { limit, length: minute } };
      for (let n = 0; n <= before; n += 1) await petstore(list);
      const inFlight = watchInFlight({ sandbox, clock });

      const ends = await Promise.all(Array.from({ length: 24 }, () => petstore(list)));

      expect(ends.filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
      expect(inFlight()).toBe(most);
    },
  );

  test('stay one at a time where no response names a limit', async ({
    petstore,
    sandbox,
    clock,
  }) => {
    const inFlight = watchInFlight({ sandbox, clock }, () => reply(200, []));

    await Promise.all(Array.from({ length: 24 }, () => petstore(list)));

    expect(inFlight()).toBe(1);
  });

  test('begin with one after a reset', async ({ petstore, sandbox, clock }) => {
    for (let n = 0; n <= 20; n += 1) await petstore(list);
    await clock.sleep(minute + 2 * second, never);
    const sentAt: number[] = [];
    sandbox.react = () => {
      sentAt.push(clock.now());
      return respondAfter(clock, 2 * second);
    };

    await Promise.all(Array.from({ length: 6 }, () => petstore(list)));

    const [first = 0, next = 0] = sentAt;
    expect(next - first).toBeGreaterThanOrEqual(2 * second);
    expect(sentAt).toHaveLength(6);
  });

  test('go one at a time again after a 429', async ({ petstore, sandbox, clock }) => {
    sandbox.plan = { ...plans.business, minute: { limit: 60, length: minute } };
    for (let n = 0; n <= 20; n += 1) await petstore(list);
    sandbox.reactions.push(reply(429, {}, { ...windowHeaders(60, 39), 'retry-after': '1' }));
    await petstore(list);
    const inFlight = watchInFlight({ sandbox, clock });

    await Promise.all(Array.from({ length: 6 }, () => petstore(list)));

    expect(inFlight()).toBe(1);
  });

  test('are a second apart after a 429 that nothing had foretold, for a minute', async ({
    petstore,
    sandbox,
    clock,
  }) => {
    const sentAt: number[] = [];
    sandbox.react = () => {
      sentAt.push(clock.now() - startTime);
      return sentAt.length === 1 ? reply(429, {}) : undefined;
    };

    for (let n = 0; n < 3; n += 1) await petstore(list);
    await clock.sleep(minute, never);
    for (let n = 0; n < 2; n += 1) await petstore(list);

    const apart = sentAt.slice(1).map((at, n) => Math.round((at - (sentAt[n] ?? 0)) / second));
    expect(apart).toEqual([3, 1, 1, 60, 0]);
  });
});

test('nothing is sent once the day is used up, also in its last minute, and the next day begins', async ({
  petstore,
  sandbox,
  clock,
}) => {
  const dayMs = 24 * 60 * minute;
  sandbox.plan = { ...plans.free, day: { limit: 3, length: dayMs } };
  await petstore(listNow);
  await clock.sleep(dayMs - minute, never);
  await petstore(listNow);
  await petstore(listNow);

  const denied = await petstore(listNow);
  await clock.sleep(minute + 2 * second, never);
  const nextDay = await petstore(listNow);

  expect([denied.exitCode, nextDay.exitCode]).toEqual([75, 0]);
  const [error] = denied.events();
  expect(error?.message).toBe('rate limit reached: 3 requests per day');
  expectTold(Date.parse(String(error?.resetAt)) - startTime, dayMs / second);
  expect(sandbox.requests).toHaveLength(4);
});

describe('limits', () => {
  test.for<[string, Reaction, used: number]>([
    ['counts a request of the day whose response was lost', cutBefore, 2],
    ['does not count a request of the day that was refused', refusal(1), 1],
  ])('%s', async ([, reaction, used], { petstore, sandbox }) => {
    sandbox.reactions.push(reaction);
    await petstore(list);

    const { stdout } = await petstore(limits);

    expect(sandbox.requests).toHaveLength(2);
    expect(JSON.parse(stdout).items[1].used).toBe(used);
  });

  test('counts our own requests of the day anew a day after the first', async ({
    petstore,
    clock,
  }) => {
    const used: unknown[] = [];
    for (const pause of [0, 1, 2, 25]) {
      await clock.sleep(pause * 60 * minute, never);
      await petstore(list);
      const { stdout } = await petstore(limits);
      used.push(JSON.parse(stdout).items[1].used);
    }

    expect(used).toEqual([1, 2, 3, 1]);
  });

  test('--reset forgets windows and waits', async ({ petstore, sandbox }) => {
    const headers = { ...windowHeaders(60, 0), 'retry-after': '900' };
    sandbox.reactions.push(reply(429, {}, headers));
    await petstore(listNow);

    await petstore('limits --reset');
    const { exitCode } = await petstore(listNow);

    expect(exitCode).toBe(0);
    expect(sandbox.requests).toHaveLength(2);
  });

  test('--reset does not forget a request in flight', async ({ petstore, sandbox, clock }) => {
    sandbox.reactions.push(respondAfter(clock, 20 * second));
    const first = petstore(list);
    await clock.sleep(second, never);

    const before = await petstore(limits);
    await petstore('limits --reset');
    const during = await petstore(limits);
    await first;
    const after = await petstore(limits);

    for (const { stdout } of [before, during]) {
      expect(JSON.parse(stdout)).toMatchObject({ inFlight: 1, wait: null });
    }
    expect(JSON.parse(after.stdout)).toMatchObject({ inFlight: 0, items: [{ remaining: 59 }, {}] });
  });
});

describe('the event of a wait for a window', () => {
  test.for<[string, string, number, Record<string, string>]>([
    ['the minute', 'window', 60, windowHeaders(60, 0)],
    ['the day', 'day', 3_600, windowHeaders(1_000, 0, 3_600)],
  ])('names %s, its limit and its end', async (row, { petstore, sandbox }) => {
    const [, reason, endsIn, headers] = row;
    sandbox.reactions.push(reply(200, [], headers));
    await petstore(list);

    const { events } = await petstore([...list, '--max-wait', 'inf']);

    const [{ resetAt, waitMs, ...wait } = {}] = events();
    const limit = Number(headers['x-ratelimit-limit']);
    expect(wait).toEqual({ event: 'wait', reason, limit, remaining: 0 });
    expectTold(Number(waitMs), endsIn);
    expectTold(Date.parse(String(resetAt)) - startTime, endsIn);
  });
});
