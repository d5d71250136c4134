import type { RateLimit } from '../api/rate-limit.ts';

/** What is known about the limit of one key. All times are ms of this machine's clock. */
export type Ledger = {
  /** The newest word of the service on its current window. */
  readonly window: RateLimit | undefined;
  /** Nothing may leave before this. */
  readonly blockedUntil: number;
  /** 429 answers since the last other answer. */
  readonly refusals: number;
};

export const emptyLedger: Ledger = { window: undefined, blockedUntil: 0, refusals: 0 };

/** One answer as far as the limit is concerned. */
export type Word = {
  readonly refused: boolean;
  readonly rateLimit: RateLimit | undefined;
  /** What Retry-After asks for, in ms. */
  readonly retryAfter: number | undefined;
  readonly receivedAt: number;
  /** In [0, 1): spreads the processes that wait for the same moment. */
  readonly random: number;
};

export type Turn = {
  /** The earliest moment a request may leave; in the past when it may leave now. */
  readonly at: number;
  readonly reason: 'window' | '429';
  readonly limit: number | undefined;
};

/** Reset is told in whole seconds and may be rounded down. */
const guard = 1_000;
const firstBackoff = 1_000;
const longestBackoff = 60_000;
const refusalsUntilTrip = 3;
/** How long nothing is sent after three refusals in a row. */
const tripTime = 300_000;

/** When the next request may leave. */
export function nextTurn(ledger: Ledger): Turn {
  const { window, blockedUntil } = ledger;
  const resetAt = window && window.remaining <= 0 ? window.resetAt + guard : 0;
  return {
    at: Math.max(blockedUntil, resetAt),
    reason: blockedUntil >= resetAt && blockedUntil > 0 ? '429' : 'window',
    limit: window?.limit,
  };
}

/** A request is leaving: one less remains, whether or not its answer ever comes. */
export function spend(ledger: Ledger, now: number): Ledger {
  const { window } = ledger;
  if (!window || now >= window.resetAt) return { ...ledger, window: undefined };
  return { ...ledger, window: { ...window, remaining: window.remaining - 1 } };
}

/** The ledger after one more answer. What the service told is a floor; the exponential backoff comes on top. */
export function learn(ledger: Ledger, word: Word): Ledger {
  const window = word.rateLimit ?? ledger.window;
  if (!word.refused) return { window, blockedUntil: ledger.blockedUntil, refusals: 0 };

  const refusals = ledger.refusals + 1;
  const told = word.retryAfter ?? untilReset(word);
  const end =
    word.receivedAt + Math.max(told, firstBackoff) + guard + backoff(refusals, word.random);
  const trip = refusals >= refusalsUntilTrip ? word.receivedAt + tripTime : 0;
  return { window, blockedUntil: Math.max(ledger.blockedUntil, end, trip), refusals };
}

function untilReset({ rateLimit, receivedAt }: Word): number {
  return rateLimit?.remaining === 0 ? Math.max(0, rateLimit.resetAt - receivedAt) : 0;
}

function backoff(refusals: number, random: number): number {
  if (refusals === 1) return random * 250;
  const most = Math.min(longestBackoff, firstBackoff * 2 ** (refusals - 1));
  return most / 2 + (random * most) / 2;
}
