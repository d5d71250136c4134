import { windowMs } from '../plans.ts';
import { followClock } from './clock.ts';
import { type Denied, decide, isOpen, resetTime } from './decide.ts';
import { dropLeases } from './fold.ts';
import type { ClockReading, Ledger } from './ledger.ts';
import type { Window } from './window.ts';

/** One window as a person wants to see it; what is not known is left out. Times are this machine's clock, in ms. */
export type WindowStatus = {
  readonly limit?: number | undefined;
  readonly remaining?: number | undefined;
  /** Requests spent: by the service's account, or those of this machine since less than a day ago. */
  readonly used?: number | undefined;
  readonly resetAt?: number | undefined;
  /** Requests spent that were surely not ours, where the service says how many were spent. */
  readonly others?: number | undefined;
  /** Who says so. */
  readonly source: 'service' | 'own count' | 'unknown';
};

export type LimitStatus = {
  readonly minute: WindowStatus;
  readonly day: WindowStatus;
  readonly inFlight: number;
  /** A wait that is in force for every request. */
  readonly wait: Denied | undefined;
};

/** What the ledger comes to when the clock shows that. */
export function limitStatus(ledger: Ledger, reading: ClockReading): LimitStatus {
  const { at } = reading;
  const current = dropLeases(followClock(ledger, reading), at);
  const decision = decide(current, at);
  return {
    minute: windowStatus(current, 'minute', at),
    day: windowStatus(current, 'day', at),
    inFlight: Object.keys(current.inFlight).length,
    wait: decision.granted || decision.soon ? undefined : decision,
  };
}

function windowStatus(ledger: Ledger, kind: 'minute' | 'day', at: number): WindowStatus {
  const window = ledger[kind];
  if (window && isOpen(ledger, kind, at)) {
    const { limit, told } = window;
    const remaining = Math.max(0, window.remaining);
    const resetAt = resetTime(ledger, window, at);
    const used = limit - remaining;
    const known = { limit, remaining, used, resetAt };
    if (!told) return { ...known, source: 'own count' };
    const others = othersIn(ledger, window, resetAt - windowMs[kind]);
    return { ...known, others, source: 'service' };
  }
  if (kind === 'day' && ledger.counted) {
    return { limit: window?.limit, used: ledger.counted.requests, source: 'own count' };
  }
  return { limit: window?.limit, source: 'unknown' };
}

/**
 * What is missing from a window beyond all that was ours: since our first response in it, and since it opened where our own
 * count is older than that. A ledger that has heard from a limit store counts no requests of its own made there.
 */
function othersIn(ledger: Ledger, window: Window, opened: number): number {
  const { limit, remaining, expected } = window;
  const { counted, inFlight, store } = ledger;
  const since = expected - remaining;
  if (!counted || counted.since > opened || store) return Math.max(0, since);
  const ours = counted.requests + Object.keys(inFlight).length;
  return Math.max(0, since, limit - Math.max(0, remaining) - ours);
}
