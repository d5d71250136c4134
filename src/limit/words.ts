import { type Failure, unsentFailure } from '../errors.ts';
import type { Wait } from '../events.ts';
import { duration, isoTime } from '../time.ts';
import type { Denied, Reason } from './decide.ts';

export function waitWords({
  reason,
  limit,
}: Denied): Pick<Wait, 'reason' | 'why' | 'next' | 'limit' | 'remaining'> {
  const why = describeReason(reason, limit);
  const window = limit === undefined ? {} : { limit, remaining: 0 };
  return { reason: waitReason(reason), why, next: 'next request', ...window };
}

function describeReason(reason: Reason, limit: number | undefined): string {
  switch (reason) {
    case 'minute':
      return `rate limit reached (${limit}/min)`;
    case 'day':
      return `rate limit reached (${limit}/day)`;
    case 'tripped':
      return 'rate limit exceeded (429) three times in a row';
    case 'banned':
      return 'your API key is temporarily banned';
    case '429':
      return 'rate limit exceeded (429)';
    case 'unavailable':
      return 'the service is unavailable';
    default:
      return 'another request is in flight';
  }
}

export function waitReason(reason: Reason): Wait['reason'] {
  if (reason === 'minute') return 'window';
  return reason === 'busy' ? 'probe' : reason;
}

export function tooLate(denied: Denied, now: number): Failure {
  const { waitMs } = denied;
  const retryAfter = Math.ceil(waitMs / 1_000);
  const when = { resetAt: now + waitMs, retryAfter };
  return unsentFailure('rate_limited', inWords(denied), nextStep(denied, now, retryAfter), when);
}

function nextStep(denied: Denied, now: number, seconds: number): string {
  const { reason, sinceMs, mayEndEarly } = denied;
  const when = moment(denied, now);
  if (reason === 'banned' && sinceMs !== undefined) {
    const since = isoTime(now - sinceMs);
    return `Banned since ${since}; retry in ${when}. Nothing is sent before then; see petstore limits`;
  }
  if (mayEndEarly) return `Retry in ${when}`;
  if (reason === 'day') {
    return `Retry in ${when}. A higher plan allows more; after a change: petstore limits --reset`;
  }
  return `Retry in ${when}, or let petstore wait: --max-wait ${seconds + 1}s`;
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

export function inWords({ reason, limit, isReported }: Denied): string {
  switch (reason) {
    case 'minute':
      return `rate limit reached: ${limit} requests per minute`;
    case 'day':
      return `rate limit reached: ${limit} requests per day`;
    case '429':
      return 'rate limit exceeded (429)';
    case 'unavailable':
      return 'the service is unavailable (503)';
    case 'tripped':
      return 'rate limit exceeded (429) three times in a row; nothing is sent for five minutes';
    case 'banned':
      return isReported
        ? 'your API key is temporarily banned: too many requests after a 429'
        : 'your API key seems to be temporarily banned: it was rejected after a 429';
    default:
      return 'other requests with this key are in flight';
  }
}
