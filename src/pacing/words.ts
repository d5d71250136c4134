import { type Failure, unsentFailure } from '../errors.ts';
import type { RequestWait } from '../events.ts';
import { isoEnd } from '../text/iso-time.ts';
import type { Denied, Reason } from './decide.ts';

/** The reason as the `wait` event tells it. */
export function waitReason(reason: Reason): RequestWait {
  if (reason === 'minute') return 'window';
  return reason === 'busy' ? 'probe' : reason;
}

/** The failure for a request whose turn would come too late; times in ms of this machine's clock. */
export function tooLate(denied: Denied, now: number): Failure {
  const { until } = denied;
  const seconds = Math.ceil((until - now) / 1_000);
  const time = isoEnd(until);
  const hint = `Again at ${time} (in ${seconds} s)${wayOut(denied, seconds)}`;
  const when = { resetAt: until, retryAfter: seconds };
  return unsentFailure('rate_limited', inWords(denied), hint, when);
}

function wayOut({ reason, soon }: Denied, seconds: number): string {
  if (soon) return '';
  if (reason === 'day') return '; a higher plan has more: after a change, petstore limits --reset';
  return `; or let petstore wait: --max-wait ${seconds + 1}s`;
}

/** Why nothing may leave. */
export function inWords({ reason, limit }: Denied): string {
  switch (reason) {
    case 'minute':
      return `the limit of ${limit} requests a minute is used up`;
    case 'day':
      return `the limit of ${limit} requests a day is used up`;
    case '429':
      return 'the service said to wait (429)';
    case 'unavailable':
      return 'the service said to wait (503)';
    case 'tripped':
      return 'refused with 429 three times in a row; nothing is sent for five minutes';
    case 'banned':
      return 'the key stopped working after a 429, possibly a temporary ban; nothing is sent for five minutes';
    default:
      return 'other requests with this key are on their way';
  }
}
