import { describe } from 'vitest';
import type { ApiRequest, ApiResponse, SendRequest } from '../../../src/api/exchange.ts';
import { retry } from '../../../src/api/retry.ts';
import type { Context } from '../../../src/context.ts';
import type { Event } from '../../../src/events.ts';
import { gate } from '../../../src/pacing/gate.ts';
import { openFileLog } from '../../../src/pacing/log.ts';
import { startTime } from '../../support/clock.ts';
import { expect, test } from '../../support/petstore.ts';
import { responseNow } from '../../support/wire.ts';

const request: ApiRequest = {
  operation: 'POST /categories',
  method: 'POST',
  url: new URL('http://127.0.0.1:4010/v1/categories'),
  headers: {},
  body: '{}',
  maxBytes: 1_000,
  waitUntil: Number.POSITIVE_INFINITY,
};

describe('the longest wait of a request', () => {
  test('counts from when it is the next to go, also after it was refused with 429', async ({
    clock,
    folder,
  }) => {
    const { signal } = new AbortController();
    const fields = { boot: 'this-one', random: () => 0.5, signal, isRunning: () => true };
    const context = { ...clock, ...fields, owner: { pid: 4242, host: 'here' } };
    const report = () => {};
    const log = openFileLog(folder, 'gate');
    let requests = 0;
    // One a minute; the fourth request, which is the third caller's first, is refused for a minute and a half.
    const answer: SendRequest = async () => {
      requests += 1;
      const limited = { 'x-ratelimit-limit': '1', 'x-ratelimit-remaining': '0' };
      const reset = { 'x-ratelimit-reset': String(Math.ceil(clock.now() / 1_000) + 60) };
      const refused = requests === 4;
      const headers = refused ? { 'retry-after': '90' } : { ...limited, ...reset };
      return responseNow(clock, refused ? 429 : 201, headers);
    };
    const limit = { log, report, timeout: 30_000 };
    const paced = gate(answer, context as unknown as Context, limit);
    const send = retry(paced, context as unknown as Context, report);
    const waitUntil = () => clock.uptime() + 180_000;
    await send({ ...request, waitUntil: waitUntil() });

    const calls = [1, 2, 3, 4].map(() => send({ ...request, waitUntil: waitUntil() }));

    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses).toEqual([201, 201, 201, 201]);
    expect(requests).toBe(6);
  });
});

describe('requests that wait for a limit at the same time', () => {
  test('go in the order they came, and only the next one to go reports its wait', async ({
    clock,
    folder,
  }) => {
    const owner = { pid: 4242, host: 'here' };
    const isRunning = () => true;
    const { signal } = new AbortController();
    const context = { ...clock, boot: 'this-one', random: () => 0.5, signal, owner, isRunning };
    const events: Event[] = [];
    const send = gate(answer, context as unknown as Context, {
      log: openFileLog(folder, 'gate'),
      report: (event) => events.push(event),
      timeout: 30_000,
    });
    let left = 1;
    const order: string[] = [];
    await send(request);

    const names = ['first', 'second', 'third'];
    await Promise.all(names.map((body) => send({ ...request, body })));

    expect(order.slice(1)).toEqual(names);
    const waits = events.filter((event) => event.event === 'wait');
    const going = new Set<symbol>();
    for (const { by, waitMs } of waits) {
      if (waitMs > 0) going.add(by);
      else expect(going.delete(by)).toBe(true);
      expect(going.size).toBeLessThanOrEqual(1);
    }
    expect(waits.length).toBeGreaterThan(0);
    expect(going.size).toBe(0);

    /** All is used up with the first answer; the next window has enough. */
    async function answer({ body = '' }: ApiRequest): Promise<ApiResponse> {
      order.push(body);
      left -= 1;
      const reset = Math.floor((clock.now() - startTime) / 60_000 + 1) * 60 + startTime / 1_000;
      const headers = {
        date: new Date(clock.now()).toUTCString(),
        'x-ratelimit-limit': '60',
        'x-ratelimit-remaining': String(left < 0 ? 60 + left : left),
        'x-ratelimit-reset': String(reset),
      };
      return responseNow(clock, 201, headers);
    }
  });
});
