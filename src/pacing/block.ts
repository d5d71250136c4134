import { learnOffset, learnWindows } from './learn.ts';
import { type Block, type Ledger, serverTime } from './ledger.ts';
import type { Answered, Refused } from './records.ts';
import { expire } from './window.ts';

const second = 1_000;
const minute = 60 * second;
/** As for a reset: what is told in whole seconds may be rounded down. */
const guard = second;
const longestBackoff = minute;
const refusalsUntilTrip = 3;
const tripTime = 5 * minute;
/** How long after a refusal a key that stops working is taken as banned. */
const banSuspicion = 10 * minute;

/**
 * The ledger after a 429 (interface document, section 8): what the service told is a floor; guard, jitter and exponential
 * backoff come on top, and after three in a row nothing is sent for five minutes.
 */
export function learnRefusal(ledger: Ledger, entry: Refused): Ledger {
  const known = learnOffset(ledger, entry);
  const { minute, ...learned } = learnWindows(known, entry);
  const { block } = ledger;
  const sameMoment = block !== undefined && entry.sent <= block.since;
  const refusals = sameMoment ? ledger.refusals : ledger.refusals + 1;
  const told = Math.max(entry.wait ?? untilReset(known, entry), second);
  const end = entry.at + told + guard + backoff(refusals, entry.jitter);
  const until = Math.max(end, block?.until ?? 0);
  const trip = refusals >= refusalsUntilTrip;
  return {
    ...learned,
    // Whatever was believed of the minute is wrong: one request will find out anew.
    minute: expire(minute),
    refusals,
    block: trip ? tripped('tripped', entry.at, until) : { reason: '429', since: entry.at, until },
  };
}

/** The ledger after any other answer: the circuit closes, unless a key that worked stopped working after a refusal. */
export function learnAnswer(ledger: Ledger, entry: Answered): Ledger {
  const learned = learnWindows(learnOffset(ledger, entry), entry);
  if (entry.sent <= (ledger.block?.since ?? 0)) return learned;
  if (looksBanned(ledger, entry)) return { ...learned, block: tripped('banned', entry.at, 0) };
  const workedAt = entry.status < 400 ? entry.at : ledger.workedAt;
  return { ...learned, refusals: 0, workedAt };
}

function looksBanned({ block, workedAt }: Ledger, { status, at }: Answered): boolean {
  const lately = block !== undefined && at - block.since < banSuspicion;
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
