import { Failure } from '../errors.ts';
import type { WaitEvent } from '../events.ts';
import type { Decision, Reason } from './decide.ts';

type Denied = Extract<Decision, { granted: false }>;

/** The reason as the `wait` event tells it. */
export function waitReason(reason: Reason): WaitEvent['reason'] {
  switch (reason) {
    case 'minute':
      return 'window';
    case 'busy':
      return 'probe';
    case 'banned':
      return 'tripped';
    default:
      return reason;
  }
}

/** The failure for a request whose turn would come too late; times in ms of this machine's clock. */
export function tooLate(decision: Decision, until: number, now: number): Failure {
  const seconds = Math.ceil((until - now) / 1_000);
  const why = decision.granted ? 'other requests are on their way' : inWords(decision);
  const time = `${new Date(Math.ceil(until / 1_000) * 1_000).toISOString().slice(0, -5)}Z`;
  const isDay = !decision.granted && decision.reason === 'day';
  const other = isDay
    ? 'a higher plan has more'
    : `or let petstore wait: --max-wait ${seconds + 1}s`;
  return new Failure('rate_limited', why, {
    consequence: 'Nothing was sent.',
    hint: `Again at ${time} (in ${seconds} s); ${other}`,
    outcome: 'not_sent',
    resetAt: until,
    retryAfter: seconds,
  });
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
    case 'tripped':
      return 'refused with 429 three times in a row; nothing is sent for five minutes';
    case 'banned':
      return 'the key stopped working after a 429, possibly a temporary ban; nothing is sent for five minutes';
    default:
      return 'other requests with this key are on their way';
  }
}
