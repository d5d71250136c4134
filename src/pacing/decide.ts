import { type Block, type Ledger, serverTime } from './ledger.ts';
import type { Window } from './window.ts';

/** Why a request may not leave; 'probe' and 'busy' last only as long as requests of our own that are on their way. */
export type Reason = 'minute' | 'day' | Block['reason'] | 'probe' | 'busy';

export type Denied = {
  readonly granted: false;
  readonly reason: Reason;
  /** When to ask again, at the latest. */
  readonly until: number;
  /** It may well be sooner: as soon as a request that is on its way ends. */
  readonly soon: boolean;
  readonly limit?: number;
  /** Since when, where the service refused or put off a request. */
  readonly since?: number;
  /** As of a block. */
  readonly told?: boolean | undefined;
};
export type Decision = { readonly granted: true; readonly probe: boolean } | Denied;

/** Added to every reset: it is told in whole seconds and may be rounded down. */
export const guard = 1_000;
/** What a minute has to allow so that more requests may be on their way at once. */
const wideLimit = 1_000;
/** More are never on their way at once. */
export const maxInFlight = 16;
/** Of a minute's limit that others use too, this part is left to them. */
const partOfOthers = 0.05;
/** The same, and what others were seen to take, where this machine goes on without the store that they share. */
const partOfFleet = 0.1;
/** What others take may have changed within less, in ms. */
const shortestLook = 1_000;
/** A wait beyond these is not a window's; the clock has jumped. */
const longestWait = { minute: 121_000 + guard, day: 25 * 3_600_000 + guard };

/**
 * Whether a request may leave at `at`. One alone goes first after a reset or a cold start, so that a wrong clock, a moved
 * reset or somebody else's use costs at most one refusal; then all that the window has left may go.
 */
export function decide(ledger: Ledger, at: number): Decision {
  const wait = waitAt(ledger, at);
  if (wait) return wait;
  const inFlight = Object.keys(ledger.inFlight).length;
  const free = Math.min(freeIn(ledger, 'minute', at), freeIn(ledger, 'day', at));
  if (!isOpen(ledger, 'minute', at)) {
    const probing = ledger.probe !== undefined && ledger.probe in ledger.inFlight;
    if (probing) return soon(ledger, 'probe', at);
    // The day may have no more left than what is on its way.
    return inFlight >= free ? soon(ledger, 'busy', at) : { granted: true, probe: true };
  }
  // What others took since our last answer shows only in the next one: near the end, one at a time.
  const together = mostInFlight(ledger.minute?.limit);
  const few = isShared(ledger, at) && free <= 2 * together;
  const most = few || isApart(ledger, at) ? 1 : together;
  return inFlight >= Math.min(free, most)
    ? soon(ledger, 'busy', at)
    : { granted: true, probe: false };
}

/** The wait for the limit that is in force at `at`, whatever is in flight. */
export function waitAt(ledger: Ledger, at: number): Denied | undefined {
  const block = blockWait(ledger, at);
  const minute = usedUp(ledger, 'minute', at);
  const day = usedUp(ledger, 'day', at);
  return block || minute || day ? longest([block, minute, day]) : undefined;
}

/** How many requests may be on their way at once where a minute has this limit. */
function mostInFlight(limit: number | undefined): number {
  return limit !== undefined && limit >= wideLimit ? maxInFlight : maxInFlight / 2;
}

/** Ends of one wait, told by a reset and by Retry-After, differ by this much at most, in ms. */
const sameEnd = 5_000;

/** The wait that ends last; where that is the day's end as well, that says more. */
function longest(waits: readonly (Denied | undefined)[]): Denied | undefined {
  const latest = waits.reduce(
    (most, wait) => (wait && wait.until > (most?.until ?? 0) ? wait : most),
    undefined,
  );
  const day = waits.find((wait) => wait?.reason === 'day');
  if (!latest || !day || day.until + sameEnd < latest.until) return latest;
  return { ...day, until: latest.until };
}

function blockWait({ block }: Ledger, at: number): Denied | undefined {
  if (!block || at >= block.until) return undefined;
  const { reason, since, until, told } = block;
  return { granted: false, reason, since, until, soon: false, ...(told && { told }) };
}

function usedUp(ledger: Ledger, reason: 'minute' | 'day', at: number): Denied | undefined {
  const window = ledger[reason];
  if (!window || !isOpen(ledger, reason, at) || freeOf(ledger, window, at) > 0) return undefined;
  const until = windowEnd(ledger, window, at);
  return { granted: false, reason, until, soon: false, limit: window.limit };
}

function soon({ inFlight }: Ledger, reason: Reason, at: number): Denied {
  const ends = Object.values(inFlight).map(({ until }) => until);
  return { granted: false, reason, until: Math.max(at, Math.min(...ends)), soon: true };
}

function freeOf(ledger: Ledger, window: Window, at: number): number {
  const headroom = window === ledger.minute ? leftToOthers(ledger, window.limit, at) : 0;
  return window.remaining - Math.ceil(headroom);
}

function leftToOthers(ledger: Ledger, limit: number, at: number): number {
  if (!isShared(ledger, at)) return 0;
  const { apart } = ledger;
  if (!apart || !isApart(ledger, at)) return limit * partOfOthers;
  // The longer ago the last answer was, the more they have taken since.
  const looks = (at - apart.seen) / Math.max(apart.during, shortestLook);
  return limit * partOfFleet + apart.taken * Math.max(1, looks);
}

export function isApart({ apart }: Ledger, at: number): boolean {
  return apart !== undefined && at < apart.until;
}

/** What a window has left; where it is not open, that sets no bounds. */
function freeIn(ledger: Ledger, kind: 'minute' | 'day', at: number): number {
  const window = ledger[kind];
  return window && isOpen(ledger, kind, at) ? freeOf(ledger, window, at) : Number.POSITIVE_INFINITY;
}

function isShared(ledger: Ledger, at: number): boolean {
  const { others } = ledger;
  return (others !== undefined && at < others.until) || isApart(ledger, at);
}

/** Whether the window still lasts at `at`, as far as one can know. */
export function isOpen(ledger: Ledger, kind: 'minute' | 'day', at: number): boolean {
  const window = ledger[kind];
  const left = window ? windowEnd(ledger, window, at) - at : 0;
  return left > 0 && left <= longestWait[kind];
}

/** When a window resets, by this machine's clock. */
export function resetTime(ledger: Ledger, { reset }: Window, at: number): number {
  return at + reset - serverTime(ledger, at);
}

/** When a window is surely over. */
function windowEnd(ledger: Ledger, window: Window, at: number): number {
  const jitter = isShared(ledger, at) ? (ledger.others?.jitter ?? 0) * 1_000 : 0;
  return resetTime(ledger, window, at) + guard + jitter;
}
