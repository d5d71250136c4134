import { describe } from 'vitest';
import type { ApiRequest } from '../../../src/api/exchange.ts';
import type { Context } from '../../../src/context.ts';
import { type Cell, memoryCell } from '../../../src/disk/cell.ts';
import type { Outcome } from '../../../src/limit/learn.ts';
import { openLimit, type Snapshot, withClocks } from '../../../src/limit/limit.ts';
import { createTurns } from '../../../src/limit/turns.ts';
import { type Clock, startTime } from '../../support/clock.ts';
import { expect, test } from '../../support/petstore.ts';

const minute = 60_000;
const lastOfMinute: Outcome = {
  ...{ kind: 'response', status: 200, limit: 1, remaining: 0, jitter: 0.5 },
  reset: { at: startTime + minute, inMs: minute },
};

/** Returns the turns of one process. */
function createProcess(clock: Clock, cell: Cell<Snapshot> = memoryCell(), isRunning = () => true) {
  const { now, uptime, sleep } = clock;
  const { signal } = new AbortController();
  const clocks = () => ({ wall: now(), uptime: uptime(), boot: 'b00t' });
  const limit = openLimit(withClocks(cell, clocks), async () => {});
  const own = { now, uptime, sleep, signal, random: () => 0.5, owner: { pid: 7, host: 'here' } };
  const context = { ...own, isRunning } as Partial<Context> as Context;
  const turns = createTurns(context, { limit, report: () => {}, timeoutMs: 30_000 });
  const take = (hooks: Partial<ApiRequest> = {}) =>
    turns.take({ waitUntil: Number.POSITIVE_INFINITY, ...hooks } as ApiRequest);
  return { limit, take };
}

describe('requests of one process', () => {
  test('are not overtaken if one between them gives up', async ({ clock }) => {
    const { take } = createProcess(clock);
    const giveUp = new AbortController();
    const reason = new Error('enough');
    const queuedMs: number[] = [];
    await (await take()).end(lastOfMinute);

    const first = take();
    const second = take({ signal: giveUp.signal });
    giveUp.abort(reason);
    await expect(second).rejects.toBe(reason);
    const third = take({ onQueued: (ms) => void queuedMs.push(ms) });
    await (await first).end(lastOfMinute);
    await third;

    expect(queuedMs[0]).toBeGreaterThanOrEqual(minute);
  });

  test('wait for one that takes a little longer than its timeout', async ({ clock }) => {
    const { take } = createProcess(clock);
    const first = await take();
    const second = take();
    await clock.sleep(33_000, new AbortController().signal);
    await first.end(lastOfMinute);

    await second;

    expect(clock.now() - startTime).toBeGreaterThanOrEqual(minute);
  });

  test('look for killed processes once a second', async ({ clock }) => {
    let looks = 0;
    const isRunning = () => {
      looks += 1;
      return true;
    };
    const { take } = createProcess(clock, memoryCell(), isRunning);
    const first = await take();
    const second = take();
    await clock.sleep(10_000, new AbortController().signal);
    await first.end(lastOfMinute);

    await second;

    expect(looks).toBeGreaterThan(0);
    expect(looks).toBeLessThanOrEqual(11);
  });

  test('count once if each change of the limit is made but not confirmed', async ({ clock }) => {
    const { limit, take } = createProcess(clock, createUnsureCell());

    await (await take()).end({ kind: 'unsent' });
    await (await take()).end(lastOfMinute);

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
