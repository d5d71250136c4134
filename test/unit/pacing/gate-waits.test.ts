import { describe } from 'vitest';
import type { Answer, ApiRequest } from '../../../src/api/exchange.ts';
import type { Context } from '../../../src/context.ts';
import type { Event } from '../../../src/events.ts';
import { gate } from '../../../src/pacing/gate.ts';
import { openSharedLog } from '../../../src/pacing/log.ts';
import { startTime } from '../../support/clock.ts';
import { expect, test } from '../../support/petstore.ts';

const request: ApiRequest = {
  operation: 'POST /categories',
  method: 'POST',
  url: new URL('http://127.0.0.1:4010/v1/categories'),
  headers: {},
  body: '{}',
  maxBytes: 1_000,
  waitUntil: Number.POSITIVE_INFINITY,
};

describe('requests that wait for a limit at the same time', () => {
  test('tell their waits apart: each has one of its own, and ends it once', async ({
    clock,
    folder,
  }) => {
    const owner = { pid: 4242, host: 'here' };
    const isRunning = () => true;
    const { signal } = new AbortController();
    const context = { ...clock, boot: 'this-one', random: () => 0.5, signal, owner, isRunning };
    const events: Event[] = [];
    const send = gate(answer, context as unknown as Context, {
      log: openSharedLog(folder, 'gate'),
      report: (event) => events.push(event),
      timeout: 30_000,
    });
    let left = 1;
    await send(request);

    await Promise.all([1, 2, 3].map(() => send(request)));

    const waits = events.filter((event) => event.event === 'wait');
    expect(new Set(waits.map(({ by }) => by)).size).toBe(3);
    expect(new Set(waits.filter(({ waitMs }) => waitMs === 0).map(({ by }) => by)).size).toBe(3);

    /** All is used up with the first answer; the next window has enough. */
    async function answer(): Promise<Answer> {
      left -= 1;
      const reset = Math.floor((clock.now() - startTime) / 60_000 + 1) * 60 + startTime / 1_000;
      return {
        status: 201,
        headers: {
          date: new Date(clock.now()).toUTCString(),
          'x-ratelimit-limit': '60',
          'x-ratelimit-remaining': String(left < 0 ? 60 + left : left),
          'x-ratelimit-reset': String(reset),
        },
        bytes: new Uint8Array(),
        sentAt: clock.now(),
        receivedAt: clock.now(),
      };
    }
  });
});
