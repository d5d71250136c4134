import { describe } from 'vitest';
import type { SendRequest } from '../../../src/api/exchange.ts';
import type { Context } from '../../../src/context.ts';
import type { Owner } from '../../../src/disk/owner.ts';
import { gate } from '../../../src/pacing/gate.ts';
import type { SharedLog } from '../../../src/pacing/log.ts';
import { openFileLog } from '../../../src/pacing/log.ts';
import { type Clock, startTime } from '../../support/clock.ts';
import { expect, test } from '../../support/petstore.ts';
import { request, responseNow } from '../../support/wire.ts';

const me: Owner = { pid: 4242, host: 'here', born: 'once' };
const other: Owner = { ...me, pid: 99 };
const lease = 35_000;

function contextOf(clock: Clock, fields: Partial<Context> = {}): Context {
  const { now, uptime, sleep } = clock;
  const { signal } = new AbortController();
  const random = () => 0.5;
  const isRunning = () => true;
  return {
    now,
    uptime,
    boot: 'this-one',
    sleep,
    random,
    signal,
    owner: me,
    isRunning,
    ...fields,
  } as Partial<Context> as Context;
}

const report = () => {};
const apiRequest = {
  ...request(),
  operation: 'GET /categories',
  method: 'GET' as const,
  maxBytes: 1_000,
  waitUntil: Number.POSITIVE_INFINITY,
};
const answerFrom =
  (clock: Clock): SendRequest =>
  async () =>
    responseNow(clock);

describe('a request that was granted', () => {
  test('does not leave when a 429 of another one came with the grant', async ({
    folder,
    clock,
  }) => {
    const log = openFileLog(folder, 'scope');
    const left: number[] = [];
    const send: SendRequest = (request) => {
      left.push(clock.now());
      return answerFrom(clock)(request);
    };
    let refusals = 1;
    // What a process has to say at a time is one step, and so is what two of them say at the same time.
    const together: SharedLog = {
      read: log.read,
      append(...entries) {
        const ledger = log.append(...entries);
        if (entries[0].k !== 'ask' || refusals === 0) return ledger;
        refusals -= 1;
        const at = clock.now();
        return log.append({ k: 'refused', id: 'x', at, sent: at, jitter: 0, wait: 30_000 });
      },
    };
    const limit = { log: together, report, timeout: 30_000 };

    await gate(send, contextOf(clock), limit)(apiRequest);

    expect(left).toHaveLength(1);
    expect(left[0]).toBeGreaterThanOrEqual(startTime + 31_000);
    expect(log.read().inFlight).toEqual({});
  });
});

describe('a request of a killed process', () => {
  test('gives its slot back as soon as somebody waits for it', async ({ folder, clock }) => {
    const log = openFileLog(folder, 'scope');
    log.append({ k: 'ask', id: 'dead', at: clock.now(), lease: clock.now() + lease, owner: other });
    const context = contextOf(clock, { isRunning: ({ pid }) => pid !== other.pid });

    await gate(answerFrom(clock), context, { log, report, timeout: 30_000 })(apiRequest);

    expect(clock.now()).toBe(startTime);
    expect(log.read().inFlight).toEqual({});
    expect(log.read().counted?.requests).toBe(2);
  });

  test.for([
    { what: 'of one that runs', owner: other },
    { what: 'whose line names no process', owner: undefined },
  ])(
    '$what keeps its slot until its lease is over, and is looked at once a second at most',
    async ({ owner }, { folder, clock }) => {
      const log = openFileLog(folder, 'scope');
      log.append({ k: 'ask', id: 'slow', at: clock.now(), lease: clock.now() + lease, owner });
      let looks = 0;
      const isRunning = () => {
        looks += 1;
        return owner !== undefined;
      };

      await gate(answerFrom(clock), contextOf(clock, { isRunning }), {
        log,
        report,
        timeout: 30_000,
      })(apiRequest);

      expect(clock.now()).toBeGreaterThanOrEqual(startTime + lease);
      expect(looks).toBeLessThanOrEqual(owner ? 36 : 0);
      expect(looks).toBeGreaterThanOrEqual(owner ? 15 : 0);
    },
  );

  test('is spent once, however many find it at a time', ({ folder }) => {
    const log = openFileLog(folder, 'scope');
    const reset = startTime + 60_000;
    const told = {
      at: startTime,
      sent: startTime,
      status: 200,
      jitter: 0,
      limit: 60,
      remaining: 3,
      reset,
    };
    log.append({ k: 'answer', id: 'first', ...told });
    log.append({ k: 'ask', id: 'dead', at: startTime, lease: startTime + lease, owner: other });

    for (let n = 0; n < 3; n += 1) log.append({ k: 'lost', id: 'dead', at: startTime });

    expect(log.read().minute?.remaining).toBe(2);
    expect(log.read().counted?.requests).toBe(2);
  });

  test('is still known as its own when the clock was set back and the log went on in a new file', ({
    folder,
  }) => {
    const log = openFileLog(folder, 'scope');
    log.append({ k: 'ask', id: 'dead', at: startTime, lease: startTime + lease, owner: other });
    const back = startTime - 3_600_000;
    log.append({ k: 'ask', id: 'next', at: back, lease: back + lease, owner: me });
    for (let n = 0; n < 1_000; n += 1)
      log.append({ k: 'unsent', id: `long-name-of-a-request-${n}`, at: back });

    expect(log.read().inFlight.dead?.owner).toEqual(other);
  });
});
