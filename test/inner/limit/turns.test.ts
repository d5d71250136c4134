import { describe } from 'vitest';
import type { ApiRequest, ApiResponse } from '../../../src/api/exchange.ts';
import { readLimits } from '../../../src/api/limits.ts';
import type { Context } from '../../../src/context.ts';
import { memoryCell } from '../../../src/disk/cell.ts';
import type { Wait } from '../../../src/events.ts';
import { withRateLimit } from '../../../src/limit/gate.ts';
import { openLimit, type Snapshot, withClocks } from '../../../src/limit/limit.ts';
import { type Clock, startTime } from '../../support/clock.ts';
import { expect, test } from '../../support/petstore.ts';
import { request } from '../../support/wire.ts';

const windowMs = 60_000;

/** Returns one process in front of a service that allows one request a minute, each of which takes so long. */
function createProcess(clock: Clock, latencyMs: number, isRunning = () => true) {
  const { now, uptime, sleep } = clock;
  const { signal } = new AbortController();
  const clocks = () => ({ wall: now(), uptime: uptime(), boot: 'b00t' });
  const limit = openLimit(withClocks(memoryCell<Snapshot>(), clocks), async () => {});
  const waits: Wait[] = [];
  const sentAt: number[] = [];
  const own = { now, uptime, sleep, signal, random: () => 0.5, owner: { pid: 7, host: 'here' } };
  const send = async (): Promise<ApiResponse> => {
    sentAt.push(now() - startTime);
    await sleep(latencyMs, signal);
    const headers = {
      'x-ratelimit-limit': '1',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String((startTime + sentAt.length * windowMs) / 1_000),
    };
    const at = now();
    const limits = readLimits(headers, at);
    return { status: 200, headers, limits, bytes: new Uint8Array(), sentAt: at, receivedAt: at };
  };
  const report = (event: { event: string }) => void waits.push(event as Wait);
  const context = { ...own, isRunning } as Partial<Context> as Context;
  const sendInTurn = withRateLimit(send, context, { limit, report, timeoutMs: 30_000 });
  return {
    limit,
    sentAt,
    waits,
    send: (maxWaitMs: number, hooks: Partial<ApiRequest> = {}) =>
      sendInTurn({
        ...request(),
        operation: 'GET /categories',
        method: 'GET',
        maxBytes: 1_000,
        waitUntil: uptime() + maxWaitMs,
        ...hooks,
      }),
  };
}

describe('requests of one process', () => {
  test('go in the order they came, and wait for the limit only from their turn on', async ({
    clock,
  }) => {
    const { send, sentAt, waits } = createProcess(clock, 0);
    const queuedMs: number[] = [];
    const onQueued = (ms: number) => void queuedMs.push(Math.round(ms / windowMs));

    const ends = await Promise.all([1, 2, 3].map(() => send(65_000, { onQueued })));

    expect(ends.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(sentAt.map((at) => Math.round(at / windowMs))).toEqual([0, 1, 2]);
    expect(queuedMs).toEqual([0, 0, 1]);
    expect(new Set(waits.map(({ by }) => by)).size).toBe(2);
  });

  test('are all told that the limit puts them off, but not of a wait for those in flight', async ({
    clock,
  }) => {
    const { send } = createProcess(clock, 5_000);
    const putOffAt: number[][] = [[], []];
    const first = send(0);
    const rest = putOffAt.map((moments) =>
      send(300_000, { onWait: () => void moments.push(clock.now() - startTime) }),
    );

    await Promise.all([first, ...rest]);

    for (const [start = 0] of putOffAt) {
      expect(start).toBeGreaterThanOrEqual(5_000);
      expect(start).toBeLessThan(10_000);
    }
  });

  test.for(['its signal', 'beforeSending'])(
    'give their permit back if %s ends one',
    async (what, { clock }) => {
      const { send, limit, sentAt } = createProcess(clock, 0);
      const reason = new Error('enough');
      const hooks: Partial<ApiRequest> =
        what === 'its signal'
          ? { signal: AbortSignal.abort(reason) }
          : {
              beforeSending() {
                throw reason;
              },
            };

      await expect(send(0, hooks)).rejects.toBe(reason);

      expect(sentAt).toEqual([]);
      expect(await limit.change((state) => [state, state.permits])).toEqual({});
      expect((await send(0)).status).toBe(200);
    },
  );

  test('look for killed processes once a second', async ({ clock }) => {
    let looks = 0;
    const isRunning = () => {
      looks += 1;
      return true;
    };
    const { send } = createProcess(clock, 10_000, isRunning);

    await Promise.all([send(0), send(300_000)]);

    expect(looks).toBeGreaterThan(0);
    expect(looks).toBeLessThanOrEqual(11);
  });
});
