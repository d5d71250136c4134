import { windowMs } from '../plans.ts';
import { gapAt, isOpen, minGapMs, resetMarginMs, shareOfOthers } from './decide.ts';
import { type Block, isSameReset, type Permit, type State, type Window } from './state.ts';

const secondMs = 1_000;
/** A reset farther away is the day's, since the headers name no window. Date and reset may come from two clocks. */
const maxMinuteMs = 120 * secondMs;
/** The smallest plan of the interface document, section 8. It counts if the service reports no limit. */
const assumedLimit = 60;
/** So much longer may a minute be that we count and have used up. */
const maxSlideMs = 15 * secondMs;
/** In a window that is known, one request that hangs must not hold up all others. One place more is left to other processes. */
const firstTogether = 3;
const maxTogether = 17;
/** With each response one tenth more: headers that say six times too much then cost two 429s at once, where one more costs eight. */
const growth = 1 / 10;
const maxGapMs = 32 * secondMs;
/** The wait after a 429 that names none; with each further one in a row eight times as long, up to a minute. */
const firstUntoldMs = 2 * secondMs;
/** Those who wait for the same moment come apart by this much. */
const minSpreadMs = 250;
/** So many 429s in a row that name a wait, or that name none, and nothing is sent for a while. */
const maxRefusals = { told: 3, untold: 6 };
const tripMs = 300 * secondMs;

export type RequestEnd = { readonly kind: 'unsent' } | { readonly kind: 'lost' } | ResponseEnd;

export type ResponseEnd = {
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

/** Returns the state after a request has ended. Applied twice, an end does no harm. */
export function applyEnd(
  before: State,
  id: string,
  end: RequestEnd,
  now: number,
  grantedAt: number,
): State {
  const state = withoutPermit(before, id);
  if (end.kind === 'unsent') return state;
  if (end.kind === 'lost') return id in before.permits ? spendUnseen(state, now) : state;
  const isRefused = end.status === 429;
  const learned = learnWindows(isRefused ? state : count(state, now), end, now);
  const { block } = state;
  // What was in flight when another one was refused says nothing about the time after that.
  const isLate = block && block.reason !== 'unavailable' && grantedAt <= block.since;
  if (isLate || end.status >= 500) {
    return { ...learned, block: postpone(state, end, now) };
  }
  return isRefused ? learnRefusal(learned, end, now) : { ...learned, refusals: 0 };
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

function learnRefusal(state: State, response: ResponseEnd, now: number): State {
  const { block, refusals } = state;
  const until = Math.max(block?.until ?? 0, waitEnd(response, refusals, now));
  const isTold = namedWait(response) !== undefined;
  const isTripped = refusals + 1 >= maxRefusals[isTold ? 'told' : 'untold'];
  return {
    ...state,
    refusals: refusals + 1,
    together: 1,
    block: {
      reason: isTripped ? 'tripped' : '429',
      since: now,
      until: isTripped ? Math.max(until, now + tripMs) : until,
      gapMs: gapAfter(state, response, now),
    },
  };
}

/** Doubles the gap, unless the 429 says itself that nothing is left, or that it came too soon after the one before. */
function gapAfter(state: State, { remaining, waitMs }: ResponseEnd, now: number): number {
  const gapMs = gapAt(state, now);
  const isForetold = remaining === 0 || (waitMs !== undefined && state.refusals > 0);
  return isForetold ? gapMs : Math.min(maxGapMs, Math.max(minGapMs, 2 * gapMs));
}

/** Returns the end of the wait: at least what the service named, and with each 429 in a row before it twice as long on top. */
function waitEnd(response: ResponseEnd, refusals: number, now: number): number {
  const untoldMs = Math.min(windowMs.minute, firstUntoldMs * 8 ** refusals);
  const waitMs = Math.max(secondMs, namedWait(response) ?? untoldMs);
  const backoff = refusals === 0 ? 0 : secondMs * 2 ** (refusals - 1);
  const spread = response.jitter * Math.max(backoff, minSpreadMs);
  return now + waitMs + resetMarginMs + backoff + spread;
}

function namedWait({ remaining, reset, waitMs }: Partial<ResponseEnd>): number | undefined {
  const untilResetMs = remaining === 0 ? reset?.inMs : undefined;
  return waitMs === undefined ? untilResetMs : Math.max(waitMs, untilResetMs ?? 0);
}

/** A block that is in force keeps its reason, and gets no shorter. */
function postpone(state: State, response: ResponseEnd, now: number): Block | undefined {
  const { block } = state;
  const isRefused = response.status === 429;
  if (!isRefused && response.waitMs === undefined) return block;
  const until = waitEnd(response, 0, now);
  if (block && now < block.until) return { ...block, until: Math.max(block.until, until) };
  const reason = isRefused ? '429' : 'unavailable';
  return { reason, since: now, until, gapMs: gapAt(state, now) };
}

function learnWindows(state: State, response: ResponseEnd, now: number): State {
  const { limit, limitOfPlan, remaining, reset } = response;
  const { day } = state;
  if (isOfSecondLimiter(state, response, now)) return state;
  if (limit === undefined || remaining === undefined || reset === undefined) {
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
  return { ...state, ...learnMinute(state, reported, now), day: spend(day) };
}

/** Returns true if a refusal says that it ends before the known window. A second limiter (a burst) sent it, so the window stays as it was. */
function isOfSecondLimiter(
  { minute, day }: State,
  { status, reset, waitMs }: ResponseEnd,
  now: number,
): boolean {
  const isRefused = status === 429;
  if (!isRefused && waitMs === undefined) return false;
  const known = reset && reset.inMs > maxMinuteMs ? day : minute;
  if (known?.serviceResetAt === undefined || now >= known.endsAt) return false;
  if (!reset) return isRefused && waitMs !== undefined;
  return reset.at < known.serviceResetAt && !isSameReset(reset.at, known.serviceResetAt);
}

/** More may be in flight with each response, until more is used than we had in flight: then others use the key. */
function learnMinute(state: State, reported: Reported, now: number) {
  const { minute: known, permits, together = firstTogether } = state;
  const minute = learnWindow(known, reported, now);
  const isSame = known !== undefined && minute.serviceResetAt === known.serviceResetAt;
  const inFlight = 1 + Object.keys(permits).length;
  const others = isSame ? known.remaining - reported.remaining - inFlight : 0;
  if (others <= 0) return { minute, together: Math.min(maxTogether, together + growth) };
  // They may use as many before the next response.
  const maxReserved = Math.ceil(minute.limit * shareOfOthers);
  const reserved = Math.min(maxReserved, Math.max(others, minute.reserved ?? 0));
  return { minute: { ...minute, reserved }, together: 1 };
}

type Reported = Window & { readonly serviceResetAt: number };

/** Remaining only falls within a window, so the order of responses does not matter. */
function learnWindow(known: Window | undefined, reported: Reported, now: number): Window {
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
function countMinute(state: State, reported: Partial<ResponseEnd>, now: number): Window {
  const known = state.minute;
  const reportedLimit = reported.limit ?? (known?.isAssumed ? undefined : known?.limit);
  const limit = reportedLimit ?? reported.limitOfPlan ?? assumedLimit;
  const begun = { limit, isAssumed: reportedLimit === undefined, endsAt: now + windowMs.minute };
  const before = known && isOpen(state, 'minute', now) ? known : { ...begun, remaining: limit };
  const remaining = Math.min(before.remaining - 1, reported.remaining ?? limit);
  const counted = { ...before, remaining };
  if (counted.serviceResetAt !== undefined) return counted;
  const namedMs = reported.status === 429 ? namedWait(reported) : undefined;
  if (namedMs !== undefined) {
    return { ...counted, endsAt: Math.min(before.endsAt, now + namedMs) };
  }
  if (remaining > 0) return counted;
  // If it slides, it has room again a minute after each request, not after the first one.
  return { ...counted, endsAt: Math.min(begun.endsAt, before.endsAt + maxSlideMs) };
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
