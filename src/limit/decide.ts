import type { Block, Permit, State, Window } from './state.ts';

/** The reason why a request may not be sent. `probe`: it waits for other requests of ours. */
export type Reason = 'minute' | 'day' | Block['reason'] | 'probe';

export type Denied = {
  readonly granted: false;
  readonly reason: Reason;
  readonly waitMs: number;
  readonly mayEndEarly: boolean;
  readonly limit?: number;
  readonly sinceMs?: number;
  /** The service itself has spoken of a ban. */
  readonly isReported?: boolean;
};
export type Decision = { readonly granted: true; readonly isProbe: boolean } | Denied;

/** Added to the end of each window: resets are whole seconds and may be rounded down. */
export const resetMarginMs = 1_000;
/** Our clock adds up fractions of milliseconds. */
const maxRoundingMs = 1;
/** A reset and a Retry-After may mean the same moment, and differ by this much. */
const maxSameEndMs = 5_000;
const wideLimit = 1_000;
const maxInFlight = 16;
/** Left to other users of the key, as a part of the minute. */
const shareOfOthers = 0.05;
/** Left to other machines while the store is unreachable. */
const shareOfMachines = 0.25;

/**
 * Decides whether a request may be sent now. After a reset one request goes first, the probe: a wrong clock, a moved reset or other
 * users cost at most one 429. Then as many may go as the window has left. `isOffline`: the store is unreachable.
 */
export function decide(state: State, now: number, isOffline = false): Decision {
  const wait = waitInForce(state, now, isOffline);
  if (wait) return wait;
  const inFlight = Object.keys(state.permits).length;
  const left = Math.min(
    leftIn(state, 'minute', now, isOffline),
    leftIn(state, 'day', now, isOffline),
  );
  if (!isOpen(state, 'minute', now)) {
    const isProbed = state.probe !== undefined && state.probe in state.permits;
    if (isProbed || inFlight >= left) return waitForOne(state, now);
    return { granted: true, isProbe: true };
  }
  const together = maxTogether(state.minute?.limit);
  // Other users may have sent requests since our last response. When few are left, send one at a time.
  const isNearEnd = hasOtherUsers(state, now) && left <= 2 * together;
  const allowed = isOffline || isNearEnd ? 1 : together;
  if (inFlight >= Math.min(left, allowed)) return waitForOne(state, now);
  return { granted: true, isProbe: false };
}

/** Returns the longest wait that is in force, whatever is in flight. */
export function waitInForce(state: State, now: number, isOffline = false): Denied | undefined {
  const waits = [
    usedUp(state, 'day', now, isOffline),
    usedUp(state, 'minute', now, isOffline),
    blocked(state, now),
  ].filter((wait) => wait !== undefined);
  const waitMs = Math.max(0, ...waits.map((wait) => wait.waitMs));
  // Of waits that end together, a window says more than a 429.
  const named = waits.find((wait) => wait.waitMs + maxSameEndMs >= waitMs);
  return named && { ...named, waitMs };
}

function maxTogether(limit: number | undefined): number {
  return limit !== undefined && limit >= wideLimit ? maxInFlight : maxInFlight / 2;
}

export function isOpen(state: State, kind: 'minute' | 'day', now: number): boolean {
  return now < endOf(state, kind, now) + maxRoundingMs;
}

export function grant(state: State, id: string, permit: Permit, isProbe: boolean): State {
  return {
    ...state,
    permits: { ...state.permits, [id]: permit },
    probe: isProbe ? id : state.probe,
    minute: expectOneLess(state.minute),
    day: expectOneLess(state.day),
  };
}

function expectOneLess(window: Window | undefined): Window | undefined {
  return window && { ...window, expected: window.expected - 1 };
}

function blocked({ block }: State, now: number): Denied | undefined {
  if (!block || now >= block.until) return undefined;
  const { reason, since, until, isReported = false } = block;
  const waitMs = until - now;
  return { granted: false, reason, waitMs, sinceMs: now - since, isReported, mayEndEarly: false };
}

function usedUp(
  state: State,
  kind: 'minute' | 'day',
  now: number,
  isOffline: boolean,
): Denied | undefined {
  if (leftIn(state, kind, now, isOffline) > 0) return undefined;
  const waitMs = Math.max(maxRoundingMs, endOf(state, kind, now) - now);
  const limit = state[kind]?.limit ?? 0;
  return { granted: false, reason: kind, waitMs, limit, mayEndEarly: false };
}

function waitForOne({ permits }: State, now: number): Denied {
  const ends = Object.values(permits).map(({ expiresAt }) => expiresAt);
  if (ends.length === 0) throw new Error('it would wait for ever: nothing is in flight');
  const waitMs = Math.max(0, Math.min(...ends) - now);
  return { granted: false, reason: 'probe', waitMs, mayEndEarly: true };
}

function leftIn(state: State, kind: 'minute' | 'day', now: number, isOffline: boolean): number {
  const window = state[kind];
  if (!window || !isOpen(state, kind, now)) return Number.POSITIVE_INFINITY;
  if (kind === 'day') return window.remaining;
  const share = isOffline ? shareOfMachines : hasOtherUsers(state, now) ? shareOfOthers : 0;
  return window.remaining - Math.ceil(window.limit * share);
}

function endOf(state: State, kind: 'minute' | 'day', now: number): number {
  const window = state[kind];
  if (!window) return 0;
  const delayMs = hasOtherUsers(state, now) ? (state.otherUsers?.delayMs ?? 0) : 0;
  return window.endsAt + resetMarginMs + delayMs;
}

function hasOtherUsers({ otherUsers }: State, now: number): boolean {
  return otherUsers !== undefined && now < otherUsers.until;
}
