import { describe } from 'vitest';
import type { ApiRequest } from '../../../src/api/exchange.ts';
import { sendOnce } from '../../../src/api/send.ts';
import type { Context } from '../../../src/context.ts';
import { gate } from '../../../src/pacing/gate.ts';
import type { SharedLog } from '../../../src/pacing/log.ts';
import { type Log, openFileLog } from '../../../src/pacing/log.ts';
import type { Entry } from '../../../src/pacing/records.ts';
import { type Clock, startTime } from '../../support/clock.ts';
import { expect, test } from '../../support/petstore.ts';

const second = 1_000;
const { signal } = new AbortController();

const create: ApiRequest = {
  operation: 'POST /categories',
  method: 'POST',
  url: new URL('https://pets.example/v1/categories'),
  headers: {},
  body: '{"name":"rabbit"}',
  maxBytes: 1_000,
  waitUntil: Number.POSITIVE_INFINITY,
};

/** The gate before a service whose connections take some steps to establish; `left` tells when requests left, in seconds. */
function createStack(clock: Clock, log: SharedLog, connects: (() => Promise<void> | void)[]) {
  const left: number[] = [];
  const context = {
    ...clock,
    boot: 'this-one',
    random: () => 0.5,
    signal,
    owner: { pid: 4242, host: 'here' },
    isRunning: () => true,
    async send({ onSent, lastCheck }) {
      await connects.shift()?.();
      await lastCheck?.();
      onSent();
      left.push((clock.now() - startTime) / second);
      return { status: 201, headers: {}, body: (async function* () {})() };
    },
  } satisfies Partial<Context> as Partial<Context> as Context;
  const report = () => {};
  const exchange = gate(sendOnce(context, 30_000), context, { log, report, timeout: 30_000 });
  return { left, exchange };
}

const refuse = (log: Log, at: number, wait: number) =>
  log.append({ k: 'refused', id: 'other', at, sent: at, jitter: 0, wait });

describe('a request whose connection was slow', () => {
  test('waits when another process was told to wait meanwhile, and its turn is free again', async ({
    folder,
    clock,
  }) => {
    const log = openFileLog(folder, 'scope');
    const entries: Entry[] = [];
    const recording = {
      read: log.read,
      append(entry: Entry) {
        entries.push(entry);
        return log.append(entry);
      },
    };
    const slow = async () => {
      await clock.sleep(2.5 * second, signal);
      refuse(log, clock.now(), 60 * second);
      await clock.sleep(1.4 * second, signal);
    };
    const { left, exchange } = createStack(clock, recording, [slow]);

    await exchange(create);

    expect(left).toHaveLength(1);
    expect(left[0]).toBeGreaterThanOrEqual(62.5);
    expect(left[0]).toBeLessThan(65);
    expect(entries.map(({ k }) => k)).toEqual(['ask', 'unsent', 'ask', 'answer']);
    expect(log.read().counted?.requests).toBe(1);
  });

  test('waits when an answer said meanwhile that nothing is left', async ({ folder, clock }) => {
    const log = openFileLog(folder, 'scope');
    const slow = async () => {
      const at = clock.now();
      const told = { limit: 60, remaining: 0, reset: at + 30 * second, date: at };
      log.append({ k: 'answer', id: 'other', at, sent: at, jitter: 0, status: 200, ...told });
    };
    const { left, exchange } = createStack(clock, log, [slow]);

    await exchange(create);

    expect(left).toEqual([expect.any(Number)]);
    expect(left[0]).toBeGreaterThanOrEqual(30);
  });

  test('waits for another turn when its process was stopped for longer than its lease', async ({
    folder,
    clock,
  }) => {
    const log = openFileLog(folder, 'scope');
    const stopped = () => {
      // Another process has taken the lease for over, and its own request is the one to find out the limit.
      const at = startTime + 36 * second;
      log.append({ k: 'ask', id: 'other', at, lease: at + 35 * second });
      void clock.sleep(40 * second, signal).then(() => {
        log.append({ k: 'unsent', id: 'other', at: clock.now() });
      });
    };
    const { left, exchange } = createStack(clock, log, [stopped]);

    await exchange(create);

    expect(left).toHaveLength(1);
    expect(left[0]).toBeGreaterThanOrEqual(40);
  });

  test('tells its caller that its turn was returned before it gets ready anew', async ({
    folder,
    clock,
  }) => {
    const log = openFileLog(folder, 'scope');
    const { exchange } = createStack(clock, log, [
      () => void refuse(log, clock.now(), 10 * second),
    ]);
    const steps: string[] = [];

    await exchange({
      ...create,
      beforeSending: () => void steps.push('ready'),
    });

    expect(steps).toEqual(['ready', 'ready']);
  });

  test('leaves at once when nothing was told meanwhile', async ({ folder, clock }) => {
    const log = openFileLog(folder, 'scope');
    const { left, exchange } = createStack(clock, log, [() => clock.sleep(5 * second, signal)]);

    await exchange(create);

    expect(left).toEqual([5]);
  });
});

describe('with a limit store', () => {
  const far = (log: Log, takes = async () => {}) => {
    let looks = 0;
    const shared: SharedLog = {
      isRemote: () => true,
      read() {
        looks += 1;
        return log.read();
      },
      async append(entry) {
        const ledger = log.append(entry);
        await takes();
        return ledger;
      },
    };
    return { shared, looks: () => looks };
  };

  test.for([
    { what: 'costs no further command', takes: 0, commands: 1 },
    { what: 'costs none either where the store takes 300 ms', takes: 300, commands: 1 },
    { what: 'looks once more where its own process was stopped', takes: 3_000, commands: 2 },
  ])(
    'a request that leaves right after its grant $what',
    async ({ takes, commands }, { folder, clock }) => {
      const { shared, looks } = far(openFileLog(folder, 'scope'), () => clock.sleep(takes, signal));
      const { left, exchange } = createStack(clock, shared, []);

      await exchange(create);

      expect(left).toEqual([takes / second]);
      expect(looks()).toBe(commands);
    },
  );

  test('a request whose connection was slow looks once more', async ({ folder, clock }) => {
    const log = openFileLog(folder, 'scope');
    const { shared } = far(log);
    const slow = async () => {
      await clock.sleep(second, signal);
      refuse(log, clock.now(), 60 * second);
    };
    const { left, exchange } = createStack(clock, shared, [slow]);

    await exchange(create);

    expect(left).toHaveLength(1);
    expect(left[0]).toBeGreaterThanOrEqual(61);
  });
});
