import { setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import { expect } from 'vitest';
import { type Clock, startTime } from './clock.ts';
import { type Fixtures, type Reaction, reply } from './petstore.ts';

export const second = 1_000;
export const minute = 60 * second;
/** For sleeps that nobody ends. */
export const never = new AbortController().signal;
setMaxListeners(0, never);

export const list = ['categories', 'list', '--json'];
/** A list that does not wait. */
export const listNow = [...list, '--max-wait', '0'];

/** Returns a 429, or another response with a Retry-After. */
export function refusal(seconds: number, status = 429): Response {
  return reply(status, {}, { 'retry-after': String(seconds) });
}

/** Returns the headers of a window that ends that many seconds after the start of the test. */
export function windowHeaders(
  limit: number,
  remaining: number,
  endsIn = 60,
): Record<string, string> {
  return {
    date: new Date(startTime).toUTCString(),
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(startTime / second + endsIn),
  };
}

type Respond = Extract<Reaction, (...args: never) => unknown>;

/** Responds after that time: as the sandbox does, or with what `respond` returns then. */
export function respondAfter(clock: Clock, ms: number, respond?: () => Response): Respond {
  return async ({ onSent }, forward) => {
    if (respond) onSent();
    await clock.sleep(ms, never);
    if (!respond) return forward();
    const { status, headers, body } = respond();
    return { status, headers: Object.fromEntries(headers), body: body ?? Readable.from([]) };
  };
}

/** Lets each response take two seconds. Returns how many requests were in flight at most. */
export function watchInFlight(
  { clock, sandbox }: Pick<Fixtures, 'clock' | 'sandbox'>,
  respond?: () => Response,
): () => number {
  let inFlight = 0;
  let most = 0;
  sandbox.react = () => async (request, forward) => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    const answer = await respondAfter(clock, 2 * second, respond)(request, forward);
    inFlight -= 1;
    return answer;
  };
  return () => most;
}

/** Expects a wait to be as long as the service said, and at most 3 s longer. */
export function expectTold(waitedMs: number, toldSeconds: number): void {
  expect(waitedMs).toBeGreaterThanOrEqual(toldSeconds * second);
  expect(waitedMs).toBeLessThanOrEqual(toldSeconds * second + 3_000);
}
