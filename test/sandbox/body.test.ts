import { describe, expect, test } from 'vitest';
import { createSandboxApp } from '../../src/sandbox/app.ts';
import { maxBody } from '../../src/sandbox/body.ts';
import { plans } from '../../src/sandbox/quota.ts';
import { answer } from '../../src/sandbox/service.ts';
import { sampleState } from '../../src/sandbox/state.ts';
import { startTime } from '../support/clock.ts';

const piece = 64 * 1024;
const longest = 32 * maxBody;

/** Sends a body of 32 MiB, and tells how many bytes of it were asked for. */
async function sendLong({
  key = 'the-key',
  host = '127.0.0.1',
  method = 'POST',
  path = '/v1/categories',
  length = undefined as number | undefined,
  state = sampleState(),
}) {
  let asked = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (asked === longest) return controller.close();
        asked += piece;
        controller.enqueue(new Uint8Array(piece).fill(0x20));
      },
    },
    { highWaterMark: 0 },
  );
  const headers = {
    'content-type': 'application/json',
    ...(key && { authorization: `Bearer ${key}` }),
    ...(length !== undefined && { 'content-length': String(length) }),
  };
  const app = createSandboxApp({
    key: 'the-key',
    now: () => startTime,
    answer: (request) => answer(state, plans.free, request),
  });
  const init = { method, headers, body, duplex: 'half' };
  const response = await app.fetch(new Request(`http://${host}${path}`, init as RequestInit));
  return { asked, status: response.status, headers: response.headers, body: await response.json() };
}

describe('the sandbox reads a body', () => {
  test.for([
    ['without a key', 401, { key: '' }],
    ['with another key', 401, { key: 'another-key' }],
    ['under the name of another host', 403, { host: 'evil.example' }],
    ['where it has no use for one', 404, { method: 'PUT' }],
    ['where it has no such path', 404, { path: '/elsewhere' }],
    ['that says it is too long', 413, { length: maxBody + 1 }],
  ] as const)('not at all %s', async ([, status, request]) => {
    expect(await sendLong(request)).toMatchObject({ asked: 0, status, body: { status } });
  });

  test('up to 1 MiB, and answers with an Error and the limit when there is more', async () => {
    const { asked, status, headers, body } = await sendLong({});

    expect({ asked, status }).toEqual({ asked: maxBody + piece, status: 413 });
    expect(body).toEqual({
      status,
      code: 'body_too_large',
      message: expect.stringMatching(/1 MiB/),
    });
    expect(headers.get('x-ratelimit-remaining')).toBe('59');
  });

  test('of exactly 1 MiB', async () => {
    const state = sampleState();
    const app = createSandboxApp({
      key: 'the-key',
      now: () => startTime,
      answer: (request) => answer(state, plans.free, request),
    });
    const body = '{"name":"fish"}'.padEnd(maxBody);
    const headers = { authorization: 'Bearer the-key', 'content-type': 'application/json' };

    const response = await app.fetch(
      new Request('http://127.0.0.1/v1/categories', { method: 'POST', headers, body }),
    );

    expect(response.status).toBe(201);
  });

  test('and says 429 to one that is too long when the limit is used up', async () => {
    const state = sampleState();
    for (let n = 0; n < 60; n += 1) {
      answer(state, plans.free, { at: startTime, operation: 'listOrders', key: 'valid' });
    }

    expect(await sendLong({ state })).toMatchObject({ status: 429 });
  });
});

test('requests without the key cost its limit nothing and bring it no ban', async () => {
  const state = sampleState();
  for (let n = 0; n < 100; n += 1) await sendLong({ key: 'another-key', state });

  const { headers } = await sendLong({ state });

  expect(headers.get('x-ratelimit-remaining')).toBe('59');
});
