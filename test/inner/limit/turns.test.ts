import { describe } from 'vitest';
import type { ApiRequest, ApiResponse } from '../../../src/api/exchange.ts';
import { readLimits } from '../../../src/api/limits.ts';
import type { Context } from '../../../src/context.ts';
import { type Cell, memoryCell } from '../../../src/disk/cell.ts';
import type { Wait } from '../../../src/events.ts';
import { withRateLimit } from '../../../src/limit/gate.ts';
import { openLimit, type Snapshot, withClocks } from '../../../src/limit/limit.ts';
import { type Clock, startTime } from '../../support/clock.ts';
import { expect, test } from '../../support/petstore.ts';
import { request } from '../../support/wire.ts';

const windowMs = 60_000;
const enough = new Error('enough');

/** Returns one process in front of a service that allows one request a minute, each of which takes so long. */
function createProcess(
  clock: Clock,
  latencyMs: number,
  isRunning = () => true,
  cell: Cell<Snapshot> = memoryCell(),
) {
  const { now, uptime, sleep } = clock;
  const { signal } = new AbortController();
  const clocks = () => ({ wall: now(), uptime: uptime(), boot: 'b00t' });
  const limit = openLimit(withClocks(cell, clocks), async () => {});
  const waits: Wait[] = [];
  const sentAt: number[] = [];
  const own = { now, uptime, sleep, signal, random: () => 0.5, owner: { pid: 7, host: 'here' } };
  const send = async ({ onHead }: ApiRequest): Promise<ApiResponse> => {
    sentAt.push(now() - startTime);
    await sleep(latencyMs, signal);
    const headers = {
      'x-ratelimit-limit': '1',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String((startTime + sentAt.length * windowMs) / 1_000),
    };
    const at = now();
    const limits = readLimits(headers, at);
    const head = { status: 200, headers, limits, sentAt: at, receivedAt: at };
    onHead?.(head);
    return { ...head, bytes: new Uint8Array() };
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
    expect(queuedMs).toEqual([0, 1]);
    const waiting = new Map(waits.map(({ by, waitMs }) => [by, waitMs]));
    expect([...waiting.values()]).toEqual([0, 0]);
  });

  test('are not overtaken if one between them gives up', async ({ clock }) => {
    const { send } = createProcess(clock, 0);
    const giveUp = new AbortController();
    const queuedMs: number[] = [];
    await send(0);

    const first = send(300_000);
    const second = send(300_000, { signal: giveUp.signal });
    giveUp.abort(enough);
    await expect(second).rejects.toBe(enough);
    await Promise.all([first, send(300_000, { onQueued: (ms) => void queuedMs.push(ms) })]);

    expect(queuedMs[0]).toBeGreaterThanOrEqual(windowMs);
  });

  test('wait for one that takes a little longer than its timeout', async ({ clock }) => {
    const { send, sentAt } = createProcess(clock, 33_000);

    await Promise.all([send(0), send(300_000)]);

    expect(sentAt[1]).toBeGreaterThanOrEqual(windowMs);
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

  test.for<[string, (giveUp: AbortController) => Partial<ApiRequest>]>([
    [
      'its signal',
      (giveUp) => {
        giveUp.abort(enough);
        return { signal: giveUp.signal };
      },
    ],
    [
      'its signal, as soon as it has asked,',
      (giveUp) => {
        queueMicrotask(() => giveUp.abort(enough));
        return {
          signal: giveUp.signal,
          beforeSending() {
            throw new Error('it is too late');
          },
        };
      },
    ],
    [
      'beforeSending',
      () => ({
        beforeSending() {
          throw enough;
        },
      }),
    ],
  ])('give their permit back if %s ends one', async ([, hooks], { clock }) => {
    const { send, limit, sentAt } = createProcess(clock, 0);

    await expect(send(0, hooks(new AbortController()))).rejects.toBe(enough);

    expect(sentAt).toEqual([]);
    expect(await limit.change((state) => [state, state.permits])).toEqual({});
    expect((await send(0)).status).toBe(200);
  });

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

  test('go once, and count once, if each change of the limit is made but not confirmed', async ({
    clock,
  }) => {
    const { limit, send, sentAt } = createProcess(clock, 0, () => true, createUnsureCell());

    const failed = send(0, {
      beforeSending() {
        throw enough;
      },
    });
    await expect(failed).rejects.toBe(enough);
    expect((await send(0)).status).toBe(200);

    expect(sentAt).toHaveLength(1);
    const { permits, minute, ownCount } = await limit.change((state) => [state, state]);
    expect({ permits, minute, ownCount }).toMatchObject({
      permits: {},
      minute: { remaining: 0, expected: 0 },
      ownCount: { requests: 1 },
    });
  });
});

/** Returns a cell that makes each change and then says that it did not, as after a process was suspended. */
function createUnsureCell(): Cell<Snapshot> {
  const cell = memoryCell<Snapshot>();
  let isSure = true;
  return {
    read: cell.read,
    async replace(seen, next) {
      isSure = !isSure;
      return (await cell.replace(seen, next)) && isSure;
    },
  };
}
