import { maxRetryAfterMs } from '../api/limits.ts';
import { guard, isOpen } from './decide.ts';
import { learnOffset, learnWindows } from './learn.ts';
import { type Block, type Lease, type Ledger, serverTime } from './ledger.ts';
import type { Answered, Refused } from './records.ts';
import { agree, expire } from './window.ts';

const second = 1_000;
const longestBackoff = 60 * second;
const refusalsUntilTrip = 3;
const tripTime = 300 * second;
/** How long after a refusal a key that stops working is taken as banned. */
const banSuspicion = 600 * second;

/**
 * The ledger after a 429 (interface document, section 8): what the service told is a floor; guard, jitter and exponential
 * backoff come on top, and after three in a row nothing is sent for five minutes. `lease` is the refused request's.
 */
export function learnRefusal(ledger: Ledger, entry: Refused, lease: Lease | undefined): Ledger {
  const known = learnOffset(ledger, entry);
  const learned = learnWindows(known, entry);
  const { block } = ledger;
  const refusals = isBefore(block, entry, lease) ? ledger.refusals : ledger.refusals + 1;
  const asked = entry.wait ?? untilReset(known, entry);
  // No service can ask for more; a damaged line might.
  const retryAfter = Math.min(Math.max(asked, second), maxRetryAfterMs);
  const end = entry.at + retryAfter + guard + backoff(refusals, entry.jitter);
  const until = Math.max(end, block?.until ?? 0);
  const trip = refusals >= refusalsUntilTrip;
  const { minute } = learned;
  const usedUp = minute?.told && entry.remaining === 0 && agree(minute.reset, entry.reset ?? 0);
  return {
    ...learned,
    // Unless it is told to be used up, what was believed of the minute is wrong: one request will find out anew.
    minute: usedUp ? minute : expire(minute),
    refusals,
    block: trip ? tripped('tripped', entry.at, until) : { reason: '429', since: entry.at, until },
  };
}

/** The ledger after the body of that 429, which says that the key is banned: the wait is as long as its head said. */
export function learnBan(ledger: Ledger, at: number): Ledger {
  const { block } = ledger;
  if (!block || block.reason === 'unavailable' || at >= block.until) return ledger;
  return { ...ledger, block: { ...block, reason: 'banned', told: true } };
}

/** The ledger after any other answer; a 503 may tell everybody to wait as well. */
export function learnAnswer(ledger: Ledger, entry: Answered, lease: Lease | undefined): Ledger {
  const learned = learnOutcome(ledger, entry, lease);
  return entry.wait === undefined ? learned : { ...learned, block: postpone(learned.block, entry) };
}

/** The circuit closes, unless a key that worked stopped working after a refusal. */
function learnOutcome(ledger: Ledger, entry: Answered, lease: Lease | undefined): Ledger {
  const { block, workedAt } = ledger;
  const learned = learnWindows(learnOffset(ledger, entry), entry);
  // The request was sent before the refusal, so its response says nothing about the time after it. A window that another
  // response has reported since then stays.
  if (isBefore(block, entry, lease)) {
    return isOpen(ledger, 'minute', entry.at)
      ? learned
      : { ...learned, minute: expire(learned.minute) };
  }
  if (looksBanned(ledger, entry)) {
    return { ...learned, block: tripped('banned', entry.at, block?.until ?? 0) };
  }
  return {
    ...learned,
    refusals: entry.status >= 500 ? ledger.refusals : 0,
    workedAt: entry.status < 400 ? entry.at : workedAt,
  };
}

/** The wait that is told without a refusal; one that is in force keeps its reason, and gets no shorter. */
function postpone(block: Block | undefined, { at, wait = 0, jitter }: Answered): Block {
  const until = at + Math.min(Math.max(wait, second), maxRetryAfterMs) + guard + backoff(1, jitter);
  return block && at < block.until
    ? { ...block, until: Math.max(block.until, until) }
    : { reason: 'unavailable', since: at, until };
}

/** Whether a request was granted before the block that stands now; without its lease the clock has to tell. */
function isBefore(
  block: Block | undefined,
  { sent }: Answered | Refused,
  lease: Lease | undefined,
): boolean {
  if (!block || block.reason === 'unavailable') return false;
  return lease ? lease.block !== block.since : sent <= block.since;
}

function looksBanned({ block, workedAt }: Ledger, { status, at }: Answered): boolean {
  const refused = block !== undefined && block.reason !== 'unavailable';
  const lately = refused && at - block.since < banSuspicion;
  return lately && workedAt !== undefined && (status === 401 || status === 403);
}

function tripped(reason: 'tripped' | 'banned', at: number, until: number): Block {
  return { reason, since: at, until: Math.max(until, at + tripTime) };
}

function untilReset(ledger: Ledger, { remaining, reset, at }: Refused): number {
  return remaining === 0 && reset !== undefined ? reset - serverTime(ledger, at) : 0;
}

/** Full jitter from the second refusal on; the first only spreads those who wait for the same moment. */
function backoff(refusals: number, jitter: number): number {
  if (refusals === 1) return jitter * 250;
  const most = Math.min(longestBackoff, second * 2 ** (refusals - 1));
  return most / 2 + (jitter * most) / 2;
}
