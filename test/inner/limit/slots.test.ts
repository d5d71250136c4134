import { describe } from 'vitest';
import type { Context } from '../../../src/context.ts';
import type { RequestEnd } from '../../../src/limit/learn.ts';
import { openLimit } from '../../../src/limit/limit.ts';
import { createSlots } from '../../../src/limit/slots.ts';
import type { Snapshot } from '../../../src/limit/state.ts';
import type { ApiRequest } from '../../../src/request/exchange.ts';
import { type Cell, memoryCell } from '../../../src/store/cell.ts';
import { type Clock, startTime } from '../../support/clock.ts';
import { expect, test } from '../../support/petstore.ts';
import { never } from '../../support/told.ts';

const minute = 60_000;
const lastOfMinute: RequestEnd = {
  kind: 'response',
  status: 200,
  limit: 1,
  remaining: 0,
  jitter: 0.5,
  reset: { at: startTime + minute, inMs: minute },
};

/** Returns the slots of one process. */
function createProcess(clock: Clock, cell: Cell<Snapshot> = memoryCell()) {
  const { now, uptime, sleep } = clock;
  const clocks = () => ({ wall: now(), uptime: uptime(), boot: 'b00t' });
  const limit = openLimit(
    cell,
    clocks,
    async () => {},
    (error) => error,
  );
  const own = { now, uptime, sleep, signal: never, random: () => 0.5, isRunning: () => true };
  const context = { ...own, owner: { pid: 7, host: 'here' } } as Partial<Context> as Context;
  const slots = createSlots(context, { limit, report: () => {}, timeoutMs: 30_000 });
  const take = (hooks: Partial<ApiRequest> = {}) =>
    slots.take({ waitUntil: Number.POSITIVE_INFINITY, ...hooks } as ApiRequest);
  return { limit, take, goOn: slots.goOn };
}

describe('requests of one process', () => {
  test('are not overtaken if one between them gives up', async ({ clock }) => {
    const { take } = createProcess(clock);
    const giveUp = new AbortController();
    const reason = new Error('enough');
    await (await take()).end(lastOfMinute);

    const first = take();
    const second = take({ signal: giveUp.signal });
    giveUp.abort(reason);
    await expect(second).rejects.toBe(reason);
    const third = take();
    await (await first).end(lastOfMinute);
    const { queuedMs } = await third;

    expect(queuedMs).toBeGreaterThanOrEqual(minute);
  });

  test('leave no permit behind if they give up while it is granted', async ({ clock }) => {
    const giveUp = new AbortController();
    const cell = memoryCell<Snapshot>();
    const replace: typeof cell.replace = (seen, next) => {
      giveUp.abort(new Error('enough'));
      return cell.replace(seen, next);
    };
    const { limit, take } = createProcess(clock, { ...cell, replace });

    await expect(take({ signal: giveUp.signal })).rejects.toThrow('enough');

    await expect(limit.change((state) => [state, state.permits])).resolves.toEqual({});
  });

  test.for([50, 300, 2_000])(
    'leave a place to other commands, at %i ms a response',
    async (ms, { clock }) => {
      const cell = memoryCell<Snapshot>();
      const endOfTest = clock.uptime() + 100 * ms;
      let sent = 0;
      const isBusy = () => clock.uptime() < endOfTest;
      const request = async ({ take, goOn }: ReturnType<typeof createProcess>) => {
        const askedAt = clock.uptime();
        const slot = await take();
        const waitedMs = clock.uptime() - askedAt;
        await clock.sleep(ms, never);
        sent += 1;
        await slot.end({
          ...lastOfMinute,
          limit: 1e6,
          remaining: 1e6 - sent,
          reset: endOfMinute(),
        });
        goOn();
        return waitedMs;
      };

      const [rows, command] = [createProcess(clock, cell), createProcess(clock, cell)];
      await request(command);
      const work = async () => {
        while (isBusy()) await request(rows);
      };
      const workers = Array.from({ length: 40 }, work);
      const waits: number[] = [];
      while (isBusy()) {
        waits.push(await request(command));
        await clock.sleep(3.3 * ms, never);
      }
      await Promise.all(workers);

      expect(Math.max(...waits)).toBeLessThan(100);
      // 16 at a time, once so many responses have shown that the service bears it.
      expect(sent).toBeGreaterThan(1_000);

      function endOfMinute() {
        const inMs = minute - ((clock.now() - startTime) % minute);
        return { at: clock.now() + inMs, inMs };
      }
    },
  );

  test('wait for one that takes a little longer than its timeout', async ({ clock }) => {
    const { take } = createProcess(clock);
    const first = await take();
    const second = take();
    await clock.sleep(33_000, never);
    await first.end(lastOfMinute);

    await second;

    expect(clock.now() - startTime).toBeGreaterThanOrEqual(minute);
  });

  test('are not sent once their permit has run out, as after the process was stopped', async ({
    clock,
  }) => {
    const { take } = createProcess(clock);
    const { isStillGranted } = await take();
    await clock.sleep(34_000, never);
    expect(await isStillGranted()).toBe(true);
    await clock.sleep(2_000, never);

    expect(await isStillGranted()).toBe(false);
  });

  test('count once if a change of the limit is made but not confirmed', async ({ clock }) => {
    // Two permits, and their ends.
    for (const unconfirmed of [1, 2, 3, 4]) {
      const { limit, take } = createProcess(clock, createUnsureCell(unconfirmed));

      await (await take()).end({ ...lastOfMinute, limit: 60, remaining: 59 });
      await (await take()).end({ kind: 'lost' });

      const { permits, minute } = await limit.change((state) => [state, state]);
      expect(permits).toEqual({});
      expect(minute?.remaining).toBe(58);
    }
  });
});

/** Returns a cell that makes one of its changes and then says that it did not, as after a process was suspended. */
function createUnsureCell(unconfirmed: number): Cell<Snapshot> {
  const cell = memoryCell<Snapshot>();
  let changes = 0;
  const replace: typeof cell.replace = async (seen, next) => {
    changes += 1;
    return (await cell.replace(seen, next)) && changes !== unconfirmed;
  };
  return { ...cell, replace };
}
