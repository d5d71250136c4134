import { isOpen } from './decide.ts';
import { type Ledger, type Offset, serverTime } from './ledger.ts';
import type { Answered, Refused } from './records.ts';
import { merge, type Reading, spend, type Window } from './window.ts';

/** A reset farther away than this is a day's, not a minute's. */
const farthestMinute = 65_000;
const minuteLength = 60_000;
/** What is assumed of a service that tells nothing: the smallest plan of the interface document, section 8. */
const assumedLimit = 60;

/** The ledger after what the Date header of an answer says of the two clocks; it tells whole seconds. */
export function learnOffset(ledger: Ledger, entry: Answered | Refused): Ledger {
  if (entry.date === undefined) return ledger;
  const seen = { low: entry.date - entry.at, high: entry.date + 1_000 - entry.sent };
  return { ...ledger, offset: intersect(ledger.offset, seen) };
}

/** Each answer narrows the offset down; one that contradicts the others means that a clock was set. */
function intersect(known: Offset | undefined, seen: Offset): Offset {
  if (!known) return seen;
  const both = { low: Math.max(known.low, seen.low), high: Math.min(known.high, seen.high) };
  return both.low <= both.high ? both : seen;
}

/** The windows after an answer: the one it tells of, and the other one less a request. */
export function learnWindows(ledger: Ledger, entry: Answered | Refused): Ledger {
  const reading = readingOf(entry);
  const kind = reading && kindOf(ledger, reading, entry.at);
  const learned = {
    ...ledger,
    minute: kind === 'minute' ? read('minute') : spend(ledger.minute),
    day: kind === 'day' ? read('day') : spend(ledger.day),
    ...(kind === 'day' && { dayLimits: withLimit(ledger.dayLimits, reading?.limit) }),
  };
  const noticed = reading && kind ? noticeOthers(ledger, learned, reading, kind, entry) : learned;
  if (isOpen(noticed, 'minute', entry.at)) return noticed;
  return { ...noticed, minute: ownMinute(noticed, entry.at) };

  function read(kind: 'minute' | 'day'): Window | undefined {
    return reading && merge(ledger[kind], reading, serverTime(ledger, entry.at));
  }
}

/** Whether a reading tells of the day: the headers name no window, but a day's reset was far away once. */
function kindOf(ledger: Ledger, { limit, reset }: Reading, at: number): 'minute' | 'day' {
  const far = reset - serverTime(ledger, at) > farthestMinute;
  return far || ledger.dayLimits.includes(limit) ? 'day' : 'minute';
}

function readingOf({ limit, remaining, reset }: Answered | Refused): Reading | undefined {
  return limit === undefined || remaining === undefined || reset === undefined
    ? undefined
    : { limit, remaining, reset };
}

/** While nothing is told of the minute we count it ourselves, from this answer on. */
function ownMinute(ledger: Ledger, at: number): Window {
  const limit = ledger.minute?.limit ?? assumedLimit;
  const remaining = limit - 1;
  const reset = serverTime(ledger, at) + minuteLength;
  return { limit, remaining, reset, expected: remaining, told: false };
}

/** Less is left than all our own requests explain: for this window and the next others are taken into account. */
function noticeOthers(
  before: Ledger,
  after: Ledger,
  reading: Reading,
  kind: 'minute' | 'day',
  { at, jitter }: Answered | Refused,
): Ledger {
  const known = before[kind];
  const sameWindow = known?.told && after[kind]?.reset === known.reset;
  const unexplained = known !== undefined && reading.remaining < known.expected;
  if (!sameWindow || !unexplained) return after;
  const until = at + reading.reset - serverTime(after, at) + minuteLength;
  return { ...after, others: { until: Math.min(until, at + 2 * minuteLength), jitter } };
}

function withLimit(limits: readonly number[], limit: number | undefined): readonly number[] {
  return limit === undefined || limits.includes(limit) ? limits : [...limits, limit];
}
