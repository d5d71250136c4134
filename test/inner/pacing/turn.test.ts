import { describe } from 'vitest';
import { createClient } from '../../../src/api/client.ts';
import { createCategory } from '../../../src/api/endpoints.ts';
import type { RateLimitHooks } from '../../../src/api/exchange.ts';
import { retry } from '../../../src/api/retry.ts';
import { sendOnce } from '../../../src/api/send.ts';
import type { Context } from '../../../src/context.ts';
import { gate } from '../../../src/pacing/gate.ts';
import { type Log, openFileLog } from '../../../src/pacing/log.ts';
import type { Clock } from '../../support/clock.ts';
import { expect, networkError, test } from '../../support/petstore.ts';

type Reaction = { readonly status: number; readonly headers?: Record<string, string> } | Error;

/** Creates a category through the client, the retries and the gate; `steps` tells what happened, in order. */
function createStack(clock: Clock, log: Log, reactions: Reaction[] = [], onTheWay = () => {}) {
  const steps: string[] = [];
  const report = () => {};
  const context = {
    now: clock.now,
    uptime: clock.uptime,
    boot: 'this-one',
    sleep: clock.sleep,
    random: () => 0.5,
    signal: new AbortController().signal,
    owner: { pid: 4242, host: 'here' },
    isRunning: () => true,
    async send({ onSent, lastCheck }) {
      await lastCheck?.();
      const { status, headers = {} } = next(reactions.shift());
      onSent();
      steps.push(`sent, ${status}`);
      onTheWay();
      return {
        status,
        headers,
        body: (async function* () {
          yield Buffer.from('{"id":1,"name":"rabbit"}');
        })(),
      };
    },
  } satisfies Partial<Context> as Partial<Context> as Context;
  const paced = gate(sendOnce(context, 30_000), context, { log, report, timeout: 30_000 });
  const client = createClient({
    context,
    send: retry(paced, context, report),
    baseUrl: new URL('https://pets.example/v1'),
    key: { value: 'key', source: 'the test' },
    maxWaitMs: 3_600_000,
    userAgent: 'test',
    report,
  });
  return {
    steps,
    create: (turn: RateLimitHooks) =>
      client.call(createCategory, { body: { name: 'rabbit' } }, turn),
  };

  function next(reaction: Reaction = { status: 201 }) {
    if (!(reaction instanceof Error)) return reaction;
    steps.push(reaction.message);
    throw reaction;
  }
}

const reason = new Error('enough');

describe('what is to be done before sending', () => {
  test.for([
    { when: '', by: 0 },
    { when: ', also when then the clock was set', by: 3_600_000 },
  ])(
    'is done again when meanwhile another request was told to wait$when',
    async ({ by }, { folder, clock }) => {
      const log = openFileLog(folder, 'scope');
      const { create, steps } = createStack(clock, log);
      const start = clock.now();
      const boot = { id: 'this-one', at: start - clock.uptime() };
      const refusal = { id: 'other', at: start, sent: start, jitter: 0, wait: 30_000, boot };
      const beforeSending = () => {
        if (steps.length === 0) {
          log.append({ k: 'refused', ...refusal });
          clock.set(by);
        }
        steps.push(`ready after ${Math.floor((clock.service() - start) / 1_000)} s`);
      };

      await create({ beforeSending });

      expect(steps).toEqual(['ready after 0 s', 'ready after 31 s', 'sent, 201']);
    },
  );

  test('is done for each attempt: after it was granted and before it leaves', async ({
    folder,
    clock,
  }) => {
    const log = openFileLog(folder, 'scope');
    const refused = { status: 429, headers: { 'retry-after': '1' } };
    const { create, steps } = createStack(clock, log, [refused, networkError('ECONNREFUSED')]);
    const beforeSending = () => {
      steps.push(`${Object.keys(log.read().inFlight).length} granted`, 'ready');
    };

    await create({ beforeSending });

    expect(steps).toEqual(
      ['sent, 429', 'ECONNREFUSED', 'sent, 201'].flatMap((end) => ['1 granted', 'ready', end]),
    );
  });

  test('keeps the request back when it fails: its error is the call’s, and the turn is free again', async ({
    folder,
    clock,
  }) => {
    const log = openFileLog(folder, 'scope');
    const { create, steps } = createStack(clock, log);
    let tries = 0;
    const beforeSending = () => {
      tries += 1;
      throw reason;
    };

    await expect(create({ beforeSending })).rejects.toBe(reason);

    expect(tries).toBe(1);
    expect(steps).toEqual([]);
    expect(log.read().inFlight).toEqual({});
    expect(log.read().counted).toBeUndefined();
  });
});

describe('the signal of a turn', () => {
  test('ends the wait for the limit at once', async ({ folder, clock }) => {
    const log = openFileLog(folder, 'scope');
    const at = clock.now();
    log.append({ k: 'refused', id: 'other', at, sent: at, jitter: 0, wait: 60_000 });
    const { create, steps } = createStack(clock, log);
    clock.hold();
    const stop = new AbortController();
    const call = create({ signal: stop.signal });
    await new Promise(setImmediate);
    stop.abort(reason);

    await expect(call).rejects.toBe(reason);
    expect(clock.now()).toBe(at);
    expect(steps).toEqual([]);
  });

  test('asks for no turn when it was aborted before', async ({ folder, clock }) => {
    const log = openFileLog(folder, 'scope');
    const { create, steps } = createStack(clock, log);

    await expect(create({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);

    expect(log.read().latest).toBeUndefined();
    expect(steps).toEqual([]);
  });

  test('gives a turn back that was granted meanwhile', async ({ folder, clock }) => {
    const log = openFileLog(folder, 'scope');
    const stop = new AbortController();
    const append: Log['append'] = (entry) => {
      const ledger = log.append(entry);
      if (entry.k === 'ask') stop.abort(reason);
      return ledger;
    };
    const { create, steps } = createStack(clock, { ...log, append });
    const beforeSending = async () => void steps.push('ready');

    await expect(create({ signal: stop.signal, beforeSending })).rejects.toBe(reason);

    expect(steps).toEqual([]);
    expect(log.read().inFlight).toEqual({});
  });

  test('ends the pause before another attempt', async ({ folder, clock }) => {
    const { create, steps } = createStack(clock, openFileLog(folder, 'scope'), [
      networkError('ECONNREFUSED'),
    ]);
    clock.hold();
    const stop = new AbortController();
    const call = create({ signal: stop.signal });
    await new Promise(setImmediate);
    stop.abort(reason);

    await expect(call).rejects.toBe(reason);
    expect(steps).toEqual(['ECONNREFUSED']);
  });

  test('leaves a request alone that is on its way', async ({ folder, clock }) => {
    const stop = new AbortController();
    const onTheWay = () => stop.abort(reason);
    const { create, steps } = createStack(clock, openFileLog(folder, 'scope'), [], onTheWay);

    await expect(create({ signal: stop.signal })).resolves.toMatchObject({ name: 'rabbit' });

    expect(steps).toEqual(['sent, 201']);
  });

  test('keeps back a request that was given up while it got ready', async ({ folder, clock }) => {
    const stop = new AbortController();
    const { create, steps } = createStack(clock, openFileLog(folder, 'scope'));
    const beforeSending = async () => stop.abort(reason);

    await expect(create({ signal: stop.signal, beforeSending })).rejects.toBe(reason);

    expect(steps).toEqual([]);
  });
});
