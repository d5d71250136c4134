import { windowMs } from '../plans.ts';
import { easeMs, isOpen, levelAt, maxLevel, pauseMs, resetMarginMs } from './decide.ts';
import { type Block, isSameReset, type Permit, type State, type Window } from './state.ts';

const secondMs = 1_000;
/** A reset farther away is the day's, since the headers name no window. Date and reset may come from two clocks. */
const maxMinuteMs = 120 * secondMs;
/** The smallest plan of the interface document, section 8. It counts if the service reports no limit. */
const assumedLimit = 60;
const minSpreadMs = 250;
/** So many 429s in a row that named a wait, or that named none, and nothing is sent for a while. */
const refusalsUntilTrip = { told: 3, untold: 6 };
export const tripMs = 300 * secondMs;
/** Left to other users of the key, as a part of the minute. */
const shareOfOthers = 0.05;

export type Outcome = { readonly kind: 'unsent' } | { readonly kind: 'lost' } | ResponseOutcome;

export type ResponseOutcome = {
  readonly kind: 'response';
  readonly status: number;
  readonly limit?: number | undefined;
  readonly limitOfPlan?: number | undefined;
  readonly remaining?: number | undefined;
  /** The reset by the service's clock, and how far away it is. */
  readonly reset?: { readonly at: number; readonly inMs: number } | undefined;
  readonly waitMs?: number | undefined;
  readonly jitter: number;
};

/** Returns the state after a request has ended. Applied twice, an outcome does no harm. */
export function applyOutcome(
  before: State,
  id: string,
  outcome: Outcome,
  now: number,
  grantedAt: number,
): State {
  const hasPermit = id in before.permits;
  const state = hasPermit ? withoutPermit(before, id) : before;
  if (outcome.kind === 'unsent') return state;
  if (outcome.kind === 'lost') return hasPermit ? spendUnseen(state, now) : state;
  const { block } = state;
  // It was in flight when another one was refused, so it says nothing about the time after that.
  const wasSentBeforeRefusal =
    block !== undefined && block.reason !== 'unavailable' && grantedAt <= block.since;
  const counted = outcome.status === 429 ? state : count(state, now);
  const learned = learnWindows(counted, outcome, now);
  if (wasSentBeforeRefusal) {
    const minute = isOpen(state, 'minute', now) ? learned.minute : expire(learned.minute);
    if (outcome.status !== 429) return { ...learned, minute, block: postpone(block, outcome, now) };
    const until = Math.max(block.until, refusalEnd(outcome, levelAt(state, now), now));
    return { ...learned, minute, block: { ...block, until } };
  }
  return outcome.status === 429
    ? learnRefusal(learned, outcome, now)
    : learnResponse(learned, outcome, now);
}

/** Drops the permits that are over. The service may have counted their requests. */
export function dropPermits(state: State, now: number, isOver: (permit: Permit) => boolean): State {
  const ids = Object.keys(state.permits).filter((id) => isOver(state.permits[id] as Permit));
  return ids.reduce((rest, id) => spendUnseen(withoutPermit(rest, id), now), state);
}

export function learnBan(state: State): State {
  const { block } = state;
  if (!block || block.reason === 'unavailable') return state;
  return { ...state, block: { ...block, reason: 'banned' } };
}

/**
 * Applies a 429 (interface document, section 8). The wait that the service named is the least; a margin, jitter and exponential
 * backoff come on top. One that no header foretold slows the pace by a level; those that follow it in a row only wait longer.
 */
function learnRefusal(state: State, response: ResponseOutcome, now: number): State {
  const { block, minute, refusals } = state;
  const { remaining, reset, waitMs } = response;
  const isForetold = remaining === 0 && reset !== undefined;
  const isUsedUp = isForetold && isSameReset(minute?.serviceResetAt, reset.at);
  const isTold = isForetold || waitMs !== undefined;
  // Alone it came too soon. With others in flight, they may only have been too many at once.
  const least = isTold || Object.keys(state.permits).length > 0 ? 1 : 2;
  const before = levelAt(state, now);
  const isSlower = refusals === 0 && !isForetold;
  const level = isSlower ? Math.min(maxLevel, Math.max(before + 1, least)) : before;
  const end = refusalEnd(response, level + refusals * (isTold ? 1 : 2), now);
  const until = Math.max(end, block?.until ?? 0);
  const isTripped = refusals + 1 >= refusalsUntilTrip[isTold ? 'told' : 'untold'];
  return {
    ...state,
    refusals: refusals + 1,
    pace: level > 0 ? { level, easesAt: until + easeMs, nextAt: until } : undefined,
    // What we count ourselves goes on. If the service had said that some are left, a probe has to find out.
    minute: isUsedUp || minute?.serviceResetAt === undefined ? minute : expire(minute),
    block: isTripped
      ? { reason: 'tripped', since: now, until: Math.max(until, now + tripMs) }
      : { reason: '429', since: now, until },
  };
}

function refusalEnd(
  { remaining, reset, waitMs, jitter }: ResponseOutcome,
  level: number,
  now: number,
): number {
  const untilReset = remaining === 0 ? (reset?.inMs ?? 0) : 0;
  const namedMs = Math.max(waitMs ?? untilReset, secondMs);
  return now + namedMs + resetMarginMs + backoffMs(level, jitter);
}

function learnResponse(state: State, response: ResponseOutcome, now: number): State {
  const { block, refusals } = state;
  return {
    ...state,
    pace: keepApart(state, now),
    refusals: response.status >= 500 ? refusals : 0,
    block: postpone(block, response, now),
  };
}

function keepApart(state: State, now: number): State['pace'] {
  const level = levelAt(state, now);
  return state.pace && level > 0 ? { ...state.pace, nextAt: now + pauseMs(level) } : undefined;
}

function learnWindows(state: State, response: ResponseOutcome, now: number): State {
  const { limit, limitOfPlan, remaining, reset } = response;
  const { minute, day } = state;
  if (
    limit === undefined ||
    remaining === undefined ||
    reset === undefined ||
    reset.inMs <= -resetMarginMs
  ) {
    return { ...state, minute: countMinute(state, response, now), day: spend(day) };
  }
  const reported = { limit, remaining, serviceResetAt: reset.at, endsAt: now + reset.inMs };
  // In its last minutes a day looks like a minute.
  const isKnownDay = day?.limit === limit && isSameReset(day.serviceResetAt, reset.at);
  const isDay = isKnownDay || reset.inMs > maxMinuteMs;
  if (isDay) {
    const learned = learnWindow(day, reported, now);
    return { ...state, minute: countMinute(state, { limitOfPlan }, now), day: learned };
  }
  return { ...state, minute: learnWindow(minute, reported, now), day: spend(day) };
}

export function reserve(window: Window): Window {
  return { ...window, reserved: Math.ceil(window.limit * shareOfOthers) };
}

/** Remaining only falls within a window, so the order of responses does not matter. */
function learnWindow(
  known: Window | undefined,
  reported: Window & { readonly serviceResetAt: number },
  now: number,
): Window {
  if (known?.serviceResetAt !== undefined && known.limit === reported.limit) {
    const isNewer = reported.serviceResetAt > known.serviceResetAt;
    // A window that slides may report a reset that is hardly later than one that is over.
    const isNext = isNewer && now >= known.endsAt + resetMarginMs;
    const remaining = Math.min(known.remaining, reported.remaining);
    if (!isNext && isSameReset(known.serviceResetAt, reported.serviceResetAt)) {
      return { ...known, remaining, endsAt: Math.min(known.endsAt, reported.endsAt) };
    }
    // Seconds left that arrived late, another route's window, one that slides: what is open holds until its own end.
    const isLater = isNewer && reported.remaining <= known.remaining;
    if (now < known.endsAt && !isLater) {
      return reported.endsAt <= now ? known : { ...known, remaining };
    }
  }
  return reported;
}

/** Counts the minute ourselves, as long as no response reports its reset. */
function countMinute(
  state: State,
  reported: Pick<ResponseOutcome, 'limit' | 'limitOfPlan' | 'remaining'>,
  now: number,
): Window {
  const known = state.minute;
  if (known && isOpen(state, 'minute', now)) {
    const { remaining = Number.POSITIVE_INFINITY } = reported;
    return { ...known, remaining: Math.min(known.remaining - 1, remaining) };
  }
  const reportedLimit = reported.limit ?? (known?.isAssumed ? undefined : known?.limit);
  const limit = reportedLimit ?? reported.limitOfPlan ?? assumedLimit;
  const isAssumed = reportedLimit === undefined;
  const remaining = Math.min(limit - 1, reported.remaining ?? limit);
  return { limit, isAssumed, remaining, endsAt: now + windowMs.minute };
}

/** A block that is in force keeps its reason, and gets no shorter. */
function postpone(
  block: Block | undefined,
  { waitMs, jitter }: ResponseOutcome,
  now: number,
): Block | undefined {
  if (waitMs === undefined) return block;
  const until = now + waitMs + resetMarginMs + backoffMs(1, jitter);
  return block && now < block.until
    ? { ...block, until: Math.max(block.until, until) }
    : { reason: 'unavailable', since: now, until };
}

/** The first backoff only spreads those who wait for the same moment. */
function backoffMs(level: number, jitter: number): number {
  const ms = pauseMs(level);
  return ms + jitter * Math.max(ms, minSpreadMs);
}

function expire(window: Window | undefined): Window | undefined {
  return window && { ...window, endsAt: 0, serviceResetAt: undefined };
}

function withoutPermit(state: State, id: string): State {
  const { [id]: _, ...permits } = state.permits;
  return { ...state, permits };
}

function spendUnseen(state: State, now: number): State {
  return count({ ...state, minute: spend(state.minute), day: spend(state.day) }, now);
}

function spend(window: Window | undefined): Window | undefined {
  return window && { ...window, remaining: window.remaining - 1 };
}

function count(state: State, now: number): State {
  const { ownCount } = state;
  const isSameDay = ownCount !== undefined && now < ownCount.since + windowMs.day;
  const requests = isSameDay ? ownCount.requests + 1 : 1;
  return { ...state, ownCount: { since: isSameDay ? ownCount.since : now, requests } };
}
