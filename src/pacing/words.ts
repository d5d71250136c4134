import { type Failure, unsentFailure } from '../errors.ts';
import type { Wait } from '../events.ts';
import { duration, isoTime } from '../time.ts';
import type { Denied, Reason } from './decide.ts';

/** Returns what the event of a wait says besides its time. */
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

/** The reason as the `wait` event tells it. */
export function waitReason(reason: Reason): Wait['reason'] {
  if (reason === 'minute') return 'window';
  return reason === 'busy' ? 'probe' : reason;
}

/** The failure for a request whose turn would come too late; times in ms of this machine's clock. */
export function tooLate(denied: Denied, now: number): Failure {
  const { until } = denied;
  const seconds = Math.ceil((until - now) / 1_000);
  const when = { resetAt: until, retryAfter: seconds };
  return unsentFailure('rate_limited', inWords(denied), whatToDo(denied, now, seconds), when);
}

function whatToDo(denied: Denied, now: number, seconds: number): string {
  const { reason, since } = denied;
  const when = moment(denied, now);
  return reason === 'banned' && since !== undefined
    ? `Banned since ${isoTime(since)}; retry in ${when}. Nothing is sent before then; see petstore limits`
    : `Retry in ${when}${wayOut(denied, seconds)}`;
}

function wayOut({ reason, soon }: Denied, seconds: number): string {
  if (soon) return '';
  if (reason === 'day')
    return '. A higher plan allows more; after a change: petstore limits --reset';
  return `, or let petstore wait: --max-wait ${seconds + 1}s`;
}

/** "4m 58s (2026-11-20T15:09:07Z)" */
function moment({ until }: Denied, now: number): string {
  return `${duration(until - now)} (${isoTime(until)})`;
}

/** A wait that is in force: why, and until when. */
export function describeWait(denied: Denied, now: number): string {
  const { reason, since } = denied;
  const next = `next request in ${moment(denied, now)}`;
  return reason === 'banned' && since !== undefined
    ? `${inWords(denied)}; since ${isoTime(since)}; ${next}; nothing is sent before then`
    : `${inWords(denied)}; ${next}`;
}

/** Why nothing may leave. */
export function inWords({ reason, limit, told }: Denied): string {
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
      return told
        ? 'your API key is temporarily banned: too many requests after a 429'
        : 'your API key seems to be temporarily banned: it was rejected after a 429';
    default:
      return 'other requests with this key are in flight';
  }
}
