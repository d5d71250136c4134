import { followClock } from './clock.ts';
import { type Denied, decide, isOpen, resetTime } from './decide.ts';
import { dropLeases } from './fold.ts';
import type { ClockReading, Ledger } from './ledger.ts';

/** One window as a person wants to see it; what is not known is left out. Times are this machine's clock, in ms. */
export type WindowStatus = {
  readonly limit?: number | undefined;
  readonly remaining?: number | undefined;
  /** Requests spent: by the service's account, or those of this machine since less than a day ago. */
  readonly used?: number | undefined;
  readonly resetAt?: number | undefined;
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
    const source = told ? 'service' : 'own count';
    return { limit, remaining, used: limit - remaining, resetAt, source };
  }
  if (kind === 'day' && ledger.counted) {
    return { limit: window?.limit, used: ledger.counted.requests, source: 'own count' };
  }
  return { limit: window?.limit, source: 'unknown' };
}
