import { windowMs } from '../plans.ts';
import { resetMarginMs } from './decide.ts';
import { emptyState, isSameReset, type Pace, type State, type Window } from './state.ts';

/** Returns the state with the times that `merge` reads by a clock that shows `byMs` more. */
export function shifted(state: State, byMs: number): State {
  const { minute, day, block, pace, clearedAt } = state;
  return {
    ...state,
    pace: pace && { ...pace, easesAt: pace.easesAt + byMs, nextAt: pace.nextAt + byMs },
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
  const minute =
    minuteEndedByRefusal(own, theirs) ??
    minuteEndedByRefusal(theirs, own) ??
    moreCareful(own.minute, theirs.minute);
  const day = moreCareful(own.day, theirs.day);
  const isLonger = (theirs.block?.until ?? 0) > (own.block?.until ?? 0) + resetMarginMs;
  const pace = laterPace(own.pace, theirs.pace);
  const isSame = minute === own.minute && day === own.day && pace === own.pace;
  if (own === before && !isLonger && isSame) return before;
  const { block, refusals } = isLonger ? theirs : own;
  return { ...own, minute, day, block, refusals, pace };
}

function sinceCleared(state: State, clearedAt: number): State {
  if ((state.clearedAt ?? 0) >= clearedAt - resetMarginMs) return state;
  const { permits, block, pace } = state;
  const isNewer = block !== undefined && block.since > clearedAt;
  return { ...emptyState, permits, clearedAt, ...(isNewer && { block, pace, refusals: 1 }) };
}

/** The pace of the later refusal counts. */
function laterPace(a: Pace | undefined, b: Pace | undefined): Pace | undefined {
  return a && (!b || a.easesAt >= b.easesAt - resetMarginMs) ? a : b;
}

/** Returns the minute that a refusal has voided, if the refusal is news to the other copy. */
function minuteEndedByRefusal({ block, minute }: State, other: State): Window | undefined {
  if (!block || !minute || block.reason === 'unavailable') return undefined;
  const isNews = block.until > (other.block?.until ?? 0) + resetMarginMs;
  return isNews && minute.endsAt < block.since ? minute : undefined;
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
