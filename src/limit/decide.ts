import type { Wait } from '../events.ts';
import { windowMs } from '../plans.ts';
import type { Permit, State } from './state.ts';

/** Why a request may not be sent now. `probe`: it waits for other requests of ours, and may go on at any time. */
export type Denied = Pick<Wait, 'waitMs' | 'limit' | 'remaining'> & {
  readonly reason: Exclude<Wait['reason'], 'settle' | 'response' | 'claimed'>;
};

/** Added to the end of each window: resets are whole seconds and may be rounded down. */
export const resetMarginMs = 1_000;
/** Our clock adds up fractions of milliseconds. */
const maxRoundingMs = 1;
/** A reset and a Retry-After may mean the same moment, and differ by this much. */
const maxSameEndMs = 5_000;
/** Of what is left, so small a part is in flight at once: all others who use the key may send as much meanwhile. */
const part = 3;
export const minGapMs = 1_000;
export const shareOfOthers = 0.25;

/** Returns undefined if a request may be sent now. A busy process leaves the last place to others: beside a long import, they would find none. */
export function decide(state: State, now: number, isBusy = false): Denied | undefined {
  const wait = waitInForce(state, now) ?? waitForGap(state, now);
  if (wait) return wait;
  const left = Math.min(leftIn(state, 'minute', now), leftIn(state, 'day', now));
  const isKnown = isOpen(state, 'minute', now) && state.minute?.serviceResetAt !== undefined;
  const together = isKnown ? (state.together ?? 1) : 1;
  const allowed = Math.max(1, Math.floor(Math.min(together, left / part)));
  const ends = Object.values(state.permits).map(({ expiresAt }) => expiresAt);
  if (ends.length < allowed - Number(isBusy)) return undefined;
  const waitMs = ends.length === 0 ? 0 : Math.max(0, Math.min(...ends) - now);
  return { reason: 'probe', waitMs };
}

export function waitInForce(state: State, now: number): Denied | undefined {
  const waits = [
    usedUp(state, 'day', now),
    usedUp(state, 'minute', now),
    blocked(state, now),
  ].filter((wait) => wait !== undefined);
  const waitMs = Math.max(0, ...waits.map((wait) => wait.waitMs));
  // Of waits that end together, a window says more than a 429.
  const named = waits.find((wait) => wait.waitMs + maxSameEndMs >= waitMs);
  return named && { ...named, waitMs };
}

export function isOpen(state: State, kind: 'minute' | 'day', now: number): boolean {
  return now < findEnd(state, kind) + maxRoundingMs;
}

/** Grants these requests, up to the first one that may not be sent now. One that was granted before counts as granted. */
export function grantAll(
  before: State,
  ids: readonly string[],
  permit: Permit,
  now: number,
  isBusy: boolean,
) {
  let state = before;
  for (const [index, id] of ids.entries()) {
    if (id in state.permits) continue;
    const denied = decide(state, now, isBusy || index > 0);
    if (denied) return { state, granted: ids.slice(0, index), denied };
    state = { ...state, permits: { ...state.permits, [id]: permit }, grantedAt: now };
  }
  return { state, granted: ids };
}

/** Returns how far apart requests go after 429s that no header had foretold. Less than a second is none. */
export function gapAt({ block }: State, now: number): number {
  if (!block) return 0;
  const quietMinutes = Math.floor((now - block.until) / windowMs.minute);
  return block.gapMs / 2 ** Math.max(0, quietMinutes);
}

function waitForGap(state: State, now: number): Denied | undefined {
  const gapMs = gapAt(state, now);
  const waitMs = gapMs < minGapMs ? 0 : (state.grantedAt ?? 0) + gapMs - now;
  return waitMs > 0 ? { reason: '429', waitMs } : undefined;
}

function blocked({ block }: State, now: number): Denied | undefined {
  if (!block || now >= block.until) return undefined;
  return { reason: block.reason, waitMs: block.until - now };
}

function usedUp(state: State, kind: 'minute' | 'day', now: number): Denied | undefined {
  if (leftIn(state, kind, now) > 0) return undefined;
  const waitMs = Math.max(maxRoundingMs, findEnd(state, kind) - now);
  const limit = state[kind]?.limit ?? 0;
  return { reason: kind === 'minute' ? 'window' : 'day', waitMs, limit, remaining: 0 };
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
