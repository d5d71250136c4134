import type { Block, Permit, State, Window } from './state.ts';

/** The reason why a request may not be sent. `probe`: it waits for other requests of ours, and may go on at any time. */
export type Reason = 'minute' | 'day' | Block['reason'] | 'probe';

export type Denied = {
  readonly granted: false;
  readonly reason: Reason;
  readonly waitMs: number;
  readonly limit?: number;
  readonly sinceMs?: number;
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
/** Of what is left, so small a part is in flight at once: all others who use the key may send as much meanwhile. */
const part = 3;
const secondMs = 1_000;
/** A minute without a refusal, and the pace eases by one level. */
export const easeMs = 60 * secondMs;
export const maxLevel = 7;
/** Left to other machines while the store is unreachable. */
const shareOfMachines = 0.25;

/**
 * Decides whether a request may be sent now. After a reset one request goes first, the probe: a wrong clock, a moved reset or other
 * users cost at most one 429. Then as many may go as the window has left, a part of that at once.
 */
export function decide(state: State, now: number): Decision {
  const wait = waitInForce(state, now);
  if (wait) return wait;
  const inFlight = Object.keys(state.permits).length;
  const left = Math.min(leftIn(state, 'minute', now), leftIn(state, 'day', now));
  if (!isOpen(state, 'minute', now)) {
    const isProbed = state.probe !== undefined && state.probe in state.permits;
    if (isProbed || inFlight >= left) return waitForOne(state, now);
    return { granted: true, isProbe: true };
  }
  const isSlow = levelAt(state, now) > 0;
  const allowed = isSlow ? 1 : Math.min(maxTogether(state.minute), Math.floor(left / part));
  if (inFlight >= Math.max(1, allowed)) return waitForOne(state, now);
  return { granted: true, isProbe: false };
}

/** Returns the state as it counts while the store is unreachable: a part is left to other machines, and one request goes at a time. */
export function asOffline(state: State, now: number): State {
  const { minute, pace } = state;
  const reserved = Math.ceil((minute?.limit ?? 0) * shareOfMachines);
  const level = Math.max(1, levelAt(state, now));
  return {
    ...state,
    minute: minute && { ...minute, reserved },
    pace: { level, easesAt: Number.POSITIVE_INFINITY, nextAt: pace?.nextAt ?? 0 },
  };
}

/** Returns the longest wait that is in force, whatever is in flight. */
export function waitInForce(state: State, now: number): Denied | undefined {
  const waits = [
    usedUp(state, 'day', now),
    usedUp(state, 'minute', now),
    blocked(state, now),
    paced(state, now),
  ].filter((wait) => wait !== undefined);
  const waitMs = Math.max(0, ...waits.map((wait) => wait.waitMs));
  // Of waits that end together, a window says more than a 429.
  const named = waits.find((wait) => wait.waitMs + maxSameEndMs >= waitMs);
  return named && { ...named, waitMs };
}

/** A limit that no response reports may be a guess, so no more go together than its share of a second. */
function maxTogether({ limit = 0, serviceResetAt }: Partial<Window> = {}): number {
  const most = limit >= wideLimit ? maxInFlight : maxInFlight / 2;
  return serviceResetAt === undefined ? Math.min(most, Math.ceil(limit / 60)) : most;
}

export function isOpen(state: State, kind: 'minute' | 'day', now: number): boolean {
  return now < findEnd(state, kind) + maxRoundingMs;
}

export function grant(state: State, id: string, permit: Permit, isProbe: boolean): State {
  return {
    ...state,
    permits: { ...state.permits, [id]: permit },
    probe: isProbe ? id : state.probe,
  };
}

export function levelAt({ pace }: State, now: number): number {
  if (!pace) return 0;
  const eased = now < pace.easesAt ? 0 : 1 + Math.floor((now - pace.easesAt) / easeMs);
  return Math.max(0, pace.level - eased);
}

/** How far apart requests go: 1 s at level 2, twice as far with each level. */
export function pauseMs(level: number): number {
  return level < 2 ? 0 : secondMs * 2 ** (Math.min(level, maxLevel) - 2);
}

function paced({ pace }: State, now: number): Denied | undefined {
  if (!pace || now >= pace.nextAt) return undefined;
  return { granted: false, reason: '429', waitMs: pace.nextAt - now };
}

function blocked({ block }: State, now: number): Denied | undefined {
  if (!block || now >= block.until) return undefined;
  const { reason, since, until } = block;
  return { granted: false, reason, waitMs: until - now, sinceMs: now - since };
}

function usedUp(state: State, kind: 'minute' | 'day', now: number): Denied | undefined {
  if (leftIn(state, kind, now) > 0) return undefined;
  const waitMs = Math.max(maxRoundingMs, findEnd(state, kind) - now);
  const limit = state[kind]?.limit ?? 0;
  return { granted: false, reason: kind, waitMs, limit };
}

function waitForOne({ permits }: State, now: number): Denied {
  const ends = Object.values(permits).map(({ expiresAt }) => expiresAt);
  if (ends.length === 0) throw new Error('it would wait for ever: nothing is in flight');
  return { granted: false, reason: 'probe', waitMs: Math.max(0, Math.min(...ends) - now) };
}

function leftIn(state: State, kind: 'minute' | 'day', now: number): number {
  const window = state[kind];
  if (!window || !isOpen(state, kind, now)) return Number.POSITIVE_INFINITY;
  return window.remaining - (window.reserved ?? 0);
}

function findEnd(state: State, kind: 'minute' | 'day'): number {
  const window = state[kind];
  return window ? window.endsAt + resetMarginMs : 0;
}
