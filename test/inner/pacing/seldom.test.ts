import fc from 'fast-check';
import { describe } from 'vitest';
import type { SendRequest } from '../../../src/api/exchange.ts';
import type { Context } from '../../../src/context.ts';
import type { Owner } from '../../../src/disk/owner.ts';
import { gate } from '../../../src/pacing/gate.ts';
import { type Log, openFileLog } from '../../../src/pacing/log.ts';
import { type Clock, createClock, startTime } from '../../support/clock.ts';
import { expect, test } from '../../support/petstore.ts';
import { request, responseNow } from '../../support/wire.ts';

const second = 1_000;
const lease = 600 * second;
const never = new AbortController().signal;
const other: Owner = { pid: 99, host: 'here', born: 'once' };

/** A process that waits at the log; `sent` is when its request leaves, in ms since the start of the test. */
function createWaiting(clock: Clock, log: Log, random = () => 0.5, delay = 0) {
  let looks = 0;
  let isAlive = true;
  const { now, uptime } = clock;
  const sleep: Clock['sleep'] = (ms, signal) => clock.sleep(ms + delay, signal);
  const context = {
    now,
    uptime,
    sleep,
    random,
    boot: 'this-one',
    signal: never,
    owner: { pid: 4242, host: 'here', born: 'once' },
    isRunning: () => isAlive,
  } satisfies Partial<Context> as Partial<Context> as Context;
  const read = () => {
    looks += 1;
    return log.read();
  };
  const send: SendRequest = async () => responseNow(clock);
  const limit = { log: { ...log, read }, report: () => {}, timeout: 30 * second };
  const paced = gate(send, context, limit);
  return {
    looks: () => looks,
    /** The process of the request that it waits for is killed. */
    kill: () => {
      isAlive = false;
    },
    async sent(maxWait = Number.POSITIVE_INFINITY): Promise<number> {
      const waitUntil = uptime() + maxWait;
      const whole = {
        operation: 'GET /categories',
        method: 'GET',
        maxBytes: 1_000,
        waitUntil,
      } as const;
      const { sentAt } = await paced({ ...request(), ...whole });
      return sentAt - startTime;
    },
  };
}

/** A 429 that came just now. */
function refuse(log: Log, clock: Clock, wait: number): void {
  const at = clock.now();
  const boot = { id: 'this-one', at: at - clock.uptime() };
  log.append({ k: 'refused', id: 'x', at, boot, sent: at, jitter: 0, wait });
}

/** What a response, --reset or another's grant writes, so many ms from now. */
async function later(clock: Clock, ms: number, action: () => unknown): Promise<void> {
  await clock.sleep(ms, never);
  action();
}

/** Another process has a request in flight. */
function sendSlowly(log: Log, clock: Clock, id = 'slow'): void {
  const at = clock.now();
  log.append({ k: 'ask', id, at, lease: at + lease, owner: other });
}

describe('a process that waits for a reset', () => {
  test('reads the log every five seconds, and sends at the very end of the wait', async ({
    folder,
    clock,
  }) => {
    const log = openFileLog(folder, 'scope');
    refuse(log, clock, 60 * second);
    const waiting = createWaiting(clock, log);

    expect(await waiting.sent()).toBe(61 * second);

    expect(waiting.looks()).toBeLessThanOrEqual(2 + 61 / 5 + 1);
  });

  test.for([0.1, 2.4, 4.9, 17.2, 58])(
    'notices within five seconds that the wait was reset after %d s',
    async (after, { folder, clock }) => {
      const log = openFileLog(folder, 'scope');
      refuse(log, clock, 900 * second);
      const reset = later(clock, after * second, () => log.append({ k: 'clear', at: clock.now() }));

      const sent = await createWaiting(clock, log).sent();
      await reset;

      expect(sent).toBeGreaterThanOrEqual(after * second);
      expect(sent).toBeLessThanOrEqual((after + 5) * second);
    },
  );

  test('fails within five seconds of a refusal that makes the wait too long, with nothing sent', async ({
    folder,
    clock,
  }) => {
    const log = openFileLog(folder, 'scope');
    refuse(log, clock, 30 * second);
    const refusal = later(clock, 11 * second, () => refuse(log, clock, 900 * second));

    await expect(createWaiting(clock, log).sent(120 * second)).rejects.toThrow(/rate limit/);
    await refusal;

    expect(clock.now() - startTime).toBeLessThanOrEqual(16 * second);
  });

  test('never sends before the last wait that was written has ended, nor later than at its end', async ({
    folder,
  }) => {
    let files = 0;
    const waits = fc.array(fc.record({ at: fc.nat(80_000), wait: fc.nat(60_000) }), {
      minLength: 1,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(waits, async (news) => {
        const clock = createClock();
        files += 1;
        const log = openFileLog(folder, `scope${files}`);
        refuse(log, clock, 20 * second);
        const waiting = createWaiting(clock, log).sent();
        let over = false;
        const told = news.map(({ at, wait }) =>
          later(clock, at, () => {
            if (!over) refuse(log, clock, wait);
          }),
        );
        const end = () => log.read().block?.until ?? 0;
        const sent = await waiting;
        over = true;
        await Promise.all(told);

        expect(sent).toBe(end() - startTime);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a process that waits for a request in flight', () => {
  const ends = [0.05, 0.4, 1.3, 3, 7, 20, 33, 64, 100].map((after) => ({ after }));

  test.for(ends)(
    'sends soon after its response, which comes after $after s: a tenth of that time later at most',
    async ({ after }, { folder, clock }) => {
      const log = openFileLog(folder, 'scope');
      const at = clock.now();
      sendSlowly(log, clock);
      const ended = later(clock, after * second, () => {
        const now = clock.now();
        log.append({ k: 'answer', id: 'slow', at: now, sent: at, status: 200, jitter: 0 });
      });

      const sent = await createWaiting(clock, log, () => 0.99).sent();
      await ended;

      expect(sent).toBeGreaterThanOrEqual(after * second);
      expect(sent).toBeLessThanOrEqual(after * second * 1.1 + 60);
    },
  );

  test.for(ends)(
    'writes it off as lost when its process is killed after $after s: a tenth of that time later, or a second',
    async ({ after }, { folder, clock }) => {
      const log = openFileLog(folder, 'scope');
      sendSlowly(log, clock, 'dead');
      const waiting = createWaiting(clock, log, () => 0.99);
      const killed = later(clock, after * second, waiting.kill);

      const sent = await waiting.sent();
      await killed;

      expect(log.read().counted?.requests).toBe(2);
      expect(sent).toBeGreaterThanOrEqual(after * second);
      expect(sent).toBeLessThanOrEqual(after * second * 1.1 + second + 60);
    },
  );

  test('looks the less often the longer no line comes, and often again after one', async ({
    folder,
    clock,
  }) => {
    const log = openFileLog(folder, 'scope');
    sendSlowly(log, clock);
    const waiting = createWaiting(clock, log);
    const looks: number[] = [];
    const counted = [1, 100, 160, 170].map((moment) =>
      later(clock, moment * second, () => {
        looks.push(waiting.looks());
        // The end of another request, and the log is not silent any more.
        if (moment === 160) log.append({ k: 'lost', id: 'y', at: clock.now() });
        if (moment === 170) log.append({ k: 'lost', id: 'slow', at: clock.now() });
      }),
    );

    await waiting.sent();
    await Promise.all(counted);

    const [first = 0, before = 0, minute = 0, after = 0] = looks;
    expect(first).toBeGreaterThan(15);
    // A minute of silence, and ten seconds with a line.
    expect(minute - before).toBeLessThanOrEqual(60 / 3.75 + 1);
    expect(after - minute).toBeGreaterThan(8);
  });

  test.for([
    { delay: 0, least: 40, most: 55 },
    { delay: 10, least: 8, most: 13 },
    { delay: 40, least: 3, most: 5 },
    { delay: 500, least: 1, most: 3 },
  ])(
    'looks less often where it wakes $delay ms late, and sends a second and that later at most',
    async ({ delay, least, most }, { folder, clock }) => {
      const log = openFileLog(folder, 'scope');
      sendSlowly(log, clock);
      const waiting = createWaiting(clock, log, () => 0.5, delay);
      const looks: number[] = [];
      const busy = Array.from({ length: 20 }, (_, n) =>
        later(clock, 100 * (n + 1), () => {
          looks.push(waiting.looks());
          log.append({ k: 'lost', id: n === 19 ? 'slow' : 'y', at: clock.now() });
        }),
      );

      const sent = await waiting.sent();
      await Promise.all(busy);

      expect(looks.at(-1)).toBeGreaterThanOrEqual(least);
      expect(looks.at(-1)).toBeLessThanOrEqual(most);
      expect(sent).toBeLessThanOrEqual(3 * second + delay);
    },
  );

  test('gives up at the end of --max-wait, not when it would have looked next', async ({
    folder,
    clock,
  }) => {
    const log = openFileLog(folder, 'scope');
    sendSlowly(log, clock);

    await expect(createWaiting(clock, log).sent(60 * second)).rejects.toThrow(/in flight/);

    expect(clock.now() - startTime).toBeLessThanOrEqual(60 * second + 60);
  });

  test('takes its place when the lease is over, not when it would have looked next', async ({
    folder,
    clock,
  }) => {
    const log = openFileLog(folder, 'scope');
    const at = clock.now();
    log.append({ k: 'ask', id: 'slow', at, lease: at + 60 * second });

    expect(await createWaiting(clock, log).sent()).toBeLessThanOrEqual(60 * second + 60);
  });
});
