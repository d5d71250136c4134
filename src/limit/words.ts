import { type Failure, unsentFailure } from '../errors.ts';
import type { Wait } from '../events.ts';
import { duration, isoTime } from '../time.ts';
import type { Denied, Reason } from './decide.ts';
import { tripMs } from './learn.ts';

export function waitWords(
  denied: Denied,
): Pick<Wait, 'reason' | 'why' | 'next' | 'limit' | 'remaining'> {
  const { reason, limit } = denied;
  const [why] = describeReason(denied);
  const window = limit === undefined ? {} : { limit, remaining: 0 };
  return { reason: waitReason(reason), why, next: 'next request', ...window };
}

export function waitReason(reason: Reason): Wait['reason'] {
  return reason === 'minute' ? 'window' : reason;
}

export function rateLimitFailure(denied: Denied, now: number): Failure {
  const { waitMs } = denied;
  const retryAfter = Math.ceil(waitMs / 1_000);
  const when = { resetAt: now + waitMs, retryAfter };
  return unsentFailure('rate_limited', inWords(denied), nextStep(denied, now, retryAfter), when);
}

function nextStep(denied: Denied, now: number, seconds: number): string {
  const { reason, sinceMs } = denied;
  const when = moment(denied, now);
  if (reason === 'banned' && sinceMs !== undefined) {
    const since = isoTime(now - sinceMs);
    return `Banned since ${since}; nothing is sent for ${when}. See: petstore limits`;
  }
  if (reason === 'probe') return `Retry in ${when}.`;
  if (reason === 'day') {
    return `Retry in ${when}. A higher plan allows more; after a change, run petstore limits --reset.`;
  }
  return `Retry in ${when}, or let petstore wait with --max-wait ${seconds + 1}s.`;
}

export function describeWait(denied: Denied, now: number): string {
  const { reason, sinceMs } = denied;
  const next = `next request in ${moment(denied, now)}`;
  return reason === 'banned' && sinceMs !== undefined
    ? `${inWords(denied)}; since ${isoTime(now - sinceMs)}; ${next}; nothing is sent before then`
    : `${inWords(denied)}; ${next}`;
}

function moment({ waitMs }: Denied, now: number): string {
  return `${duration(waitMs)} (${isoTime(now + waitMs)})`;
}

export function inWords(denied: Denied): string {
  return describeReason(denied)[1];
}

/** Returns the reason for a status line, and for a sentence. */
function describeReason({ reason, limit }: Denied): readonly [short: string, long: string] {
  const words: Readonly<Record<Reason, readonly [short: string, long: string]>> = {
    minute: [
      `rate limit reached (${limit}/min)`,
      `rate limit reached: ${limit} requests per minute`,
    ],
    day: [`rate limit reached (${limit}/day)`, `rate limit reached: ${limit} requests per day`],
    '429': ['rate limit exceeded', 'rate limit exceeded'],
    tripped: [
      'rate limit exceeded after each wait',
      `rate limit exceeded after each wait; nothing is sent for ${duration(tripMs)}`,
    ],
    banned: ['your API key is temporarily banned', 'the service says your key is banned'],
    unavailable: ['the service is unavailable', 'the service is unavailable (503)'],
    probe: ['another request is in flight', 'other requests with this key are in flight'],
  };
  return words[reason];
}
