import { windowMs } from '../plans.ts';
import { guard, isApart, isOpen } from './decide.ts';
import { type Apart, type Ledger, type Offset, serverTime } from './ledger.ts';
import type { Answered, Refused } from './records.ts';
import { agree, merge, type Reading, spend, type Window } from './window.ts';

/** A reset farther away than this is a day's, not a minute's: Date and reset may come from clocks that are a minute apart. */
const farthestMinute = 120_000;
/** What is assumed of a service that tells nothing: the smallest plan of the interface document, section 8. */
const assumedLimit = 60;

/** The ledger after what the Date header of an answer says of the two clocks; it tells whole seconds. */
export function learnOffset(ledger: Ledger, entry: Answered | Refused): Ledger {
  if (entry.date === undefined) return ledger;
  const seen = { low: entry.date - entry.at, high: entry.date + 1_000 - entry.sent };
  return { ...ledger, offset: intersect(ledger.offset, seen) };
}

/** Each answer narrows the offset down; one that contradicts the others means that a clock was set. */
export function intersect(known: Offset | undefined, seen: Offset): Offset {
  if (!known) return seen;
  const both = { low: Math.max(known.low, seen.low), high: Math.min(known.high, seen.high) };
  return both.low <= both.high ? both : seen;
}

/** The windows after an answer: the one it tells of, and the other one less a request. */
export function learnWindows(ledger: Ledger, entry: Answered | Refused): Ledger {
  const reading = readingOf(ledger, entry);
  const kind = reading && kindOf(ledger, reading, entry.at);
  const learned = {
    ...ledger,
    minute: kind === 'minute' ? read('minute') : spend(ledger.minute),
    day: kind === 'day' ? read('day') : spend(ledger.day),
  };
  const shared = reading && kind ? noticeOthers(ledger, learned, reading, kind, entry) : learned;
  const noticed = ledger.apart
    ? { ...shared, apart: countOthers(ledger, reading, kind, entry.at) }
    : shared;
  return kind === 'minute' ? noticed : { ...noticed, minute: ownMinute(noticed, entry, kind) };

  function read(kind: 'minute' | 'day'): Window | undefined {
    const inFlight = Object.keys(ledger.inFlight).length;
    return reading && merge(ledger[kind], reading, serverTime(ledger, entry.at), inFlight);
  }
}

/** What an answer tells of a window; nothing unless all three headers make sense and the reset is yet to come. */
function readingOf(ledger: Ledger, entry: Answered | Refused): Reading | undefined {
  const { limit, remaining, reset, at } = entry;
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined;
  return reset + guard > serverTime(ledger, at) ? { limit, remaining, reset } : undefined;
}

/**
 * Whether a reading tells of the minute or the day; the headers name no window. A far reset is a day's, and so is a near one
 * that is known as the end of this day.
 */
function kindOf(ledger: Ledger, { limit, reset }: Reading, at: number): 'minute' | 'day' {
  const { day } = ledger;
  const endOfDay = isOpen(ledger, 'day', at) && day?.limit === limit && agree(day.reset, reset);
  return endOfDay || reset - serverTime(ledger, at) > farthestMinute ? 'day' : 'minute';
}

/** While no reset is told of the minute we count it ourselves, from what little is told of it. */
function ownMinute(
  ledger: Ledger,
  { at, limit, remaining }: Answered | Refused,
  kind: 'day' | undefined,
): Window | undefined {
  const reported = kind === undefined ? { limit, remaining } : {};
  if (isOpen(ledger, 'minute', at)) {
    const { minute } = ledger;
    const lower = Math.min(minute?.remaining ?? 0, reported.remaining ?? Number.POSITIVE_INFINITY);
    return minute && !minute.told ? { ...minute, remaining: lower } : minute;
  }
  const most = reported.limit ?? ledger.minute?.limit ?? assumedLimit;
  const left = Math.min(most - 1, reported.remaining ?? most);
  const reset = serverTime(ledger, at) + windowMs.minute;
  return { limit: most, remaining: left, reset, expected: left, told: false };
}

/** What others took since our last answer, of which one request at a time is ours; a few quiet moments mean little. */
function countOthers(
  before: Ledger,
  reading: Reading | undefined,
  kind: 'minute' | 'day' | undefined,
  at: number,
): Apart | undefined {
  const { apart, minute } = before;
  if (!apart || !isApart(before, at)) return undefined;
  const same = minute !== undefined && reading !== undefined && agree(minute.reset, reading.reset);
  const taken = kind === 'minute' && same ? minute.remaining - 1 - reading.remaining : 0;
  const during = Math.max(0, at - apart.seen);
  return { ...apart, taken: Math.max(taken, apart.taken / 2), during, seen: at };
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
  const until = at + reading.reset - serverTime(after, at) + windowMs.minute;
  return { ...after, others: { until: Math.min(until, at + 2 * windowMs.minute), jitter } };
}
