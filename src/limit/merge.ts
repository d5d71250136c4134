import { windowMs } from '../plans.ts';
import { resetMarginMs } from './decide.ts';
import { emptyState, isSameReset, type State, type Window } from './state.ts';

/** Returns the state with the times that `merge` reads by a clock that shows `byMs` more. */
export function shifted(state: State, byMs: number): State {
  const { minute, day, block, clearedAt } = state;
  return {
    ...state,
    minute: minute && { ...minute, endsAt: minute.endsAt + byMs },
    day: day && { ...day, endsAt: day.endsAt + byMs },
    block: block && { ...block, since: block.since + byMs, until: block.until + byMs },
    clearedAt: clearedAt === undefined ? undefined : clearedAt + byMs,
  };
}

/**
 * Merges two copies of a state: the more careful one counts. Ends that differ by less than the margin are the same. Returns `before`
 * itself if nothing is news, so that nothing is written.
 */
export function merge(before: State, other: State): State {
  const clearedAt = Math.max(before.clearedAt ?? 0, other.clearedAt ?? 0);
  const own = sinceCleared(before, clearedAt);
  const theirs = sinceCleared(other, clearedAt);
  const minute = moreCareful(own.minute, theirs.minute);
  const day = moreCareful(own.day, theirs.day);
  const isLonger = (theirs.block?.until ?? 0) > (own.block?.until ?? 0) + resetMarginMs;
  const isNews = isLonger || minute !== own.minute;
  if (own === before && !isNews && day === own.day) return before;
  // A burst must not follow a 429, or meet requests in flight, of which only one copy knows.
  const together = isNews ? 1 : own.together;
  const { block, refusals } = isLonger ? theirs : own;
  return { ...own, together, minute, day, block, refusals };
}

function sinceCleared(state: State, clearedAt: number): State {
  if ((state.clearedAt ?? 0) >= clearedAt - resetMarginMs) return state;
  const { permits, block } = state;
  const isNewer = block !== undefined && block.since > clearedAt;
  return { ...emptyState, permits, clearedAt, ...(isNewer && { block, refusals: 1 }) };
}

function moreCareful(a: Window | undefined, b: Window | undefined): Window | undefined {
  if (!a || !b) return a ?? b;
  // A window that began when the other one was over is the next one, whoever counts it.
  if (a.endsAt - windowMs.minute >= b.endsAt) return a;
  if (b.endsAt - windowMs.minute >= a.endsAt) return b;
  const [ownReset, otherReset] = [a.serviceResetAt, b.serviceResetAt];
  if (ownReset === undefined && otherReset === undefined) {
    if (Math.abs(a.endsAt - b.endsAt) > resetMarginMs) return a.endsAt > b.endsAt ? a : b;
  } else {
    // What the service has reported counts before what we count ourselves.
    if (ownReset === undefined) return b;
    if (otherReset === undefined) return a;
    if (!isSameReset(ownReset, otherReset)) return ownReset > otherReset ? a : b;
  }
  return a.remaining <= b.remaining ? a : b;
}
