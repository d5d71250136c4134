import { type Failure, unsentFailure } from '../errors.ts';
import { duration, isoTime } from '../time.ts';
import type { Denied } from './decide.ts';

export function rateLimitFailure(denied: Denied, now: number): Failure {
  const { waitMs } = denied;
  const retryAfter = Math.ceil(waitMs / 1_000);
  const [sentence, advice] = explain(denied);
  const hint = `Retry in ${moment(denied, now)}${advice}`;
  return unsentFailure('rate_limited', sentence, hint, { resetAt: now + waitMs, retryAfter });
}

export function describeWait(denied: Denied, now: number): string {
  return `${describeReason(denied)}; next request in ${moment(denied, now)}`;
}

export function describeReason(denied: Denied): string {
  return explain(denied)[0];
}

/** Returns the reason of a wait as a sentence, and what the user can do instead of coming back later. */
function explain({ reason, limit, waitMs }: Denied): readonly [sentence: string, advice: string] {
  const orWait = `, or let petstore wait with --max-wait ${Math.ceil(waitMs / 1_000) + 1}s.`;
  const orUpgrade = '. A higher plan allows more; after a change, run petstore limits --reset.';
  const reasons: Readonly<Record<Denied['reason'], readonly [string, string]>> = {
    window: [`rate limit reached: ${limit} requests per minute`, orWait],
    day: [`rate limit reached: ${limit} requests per day`, orUpgrade],
    '429': ['rate limit exceeded', orWait],
    tripped: ['rate limit exceeded after each wait', orWait],
    banned: ['the service says your key is banned', '. See: petstore limits'],
    unavailable: ['the service is unavailable (503)', orWait],
    probe: ['other requests with this key are in flight', '.'],
  };
  return reasons[reason];
}

function moment({ waitMs }: Denied, now: number): string {
  return `${duration(waitMs)} (${isoTime(now + waitMs)})`;
}
