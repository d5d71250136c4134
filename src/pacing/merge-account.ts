import { windowMs } from '../plans.ts';
import { followClock } from './clock.ts';
import { guard, isOpen, maxInFlight, resetTime } from './decide.ts';
import { intersect } from './learn.ts';
import type { Apart, Block, ClockReading, Ledger } from './ledger.ts';
import type { Account } from './records.ts';
import { agree, type Window } from './window.ts';

/** What is taken as used by others until answers tell, of a small limit this part. */
const mostGuessed = 2 * maxInFlight;
const partGuessed = 0.25;
const second = 1_000;

/** What a ledger has to say to another log at that moment: requests in flight end there as it may, and may be counted. */
export function accountOf(ledger: Ledger, clock: ClockReading, jitter: number): Account {
  const current = followClock(ledger, clock);
  const { offset, block, refusals, workedAt, latest } = current;
  const requests = Object.keys(current.inFlight).length;
  const less = (window: Window | undefined) =>
    window && { ...window, remaining: window.remaining - requests };
  const [minute, day] = [less(current.minute), less(current.day)];
  const known = { inFlight: {}, minute, day, offset, block, refusals, workedAt, latest };
  return { k: 'heard', ...clock, ledger: known, jitter };
}

/** The ledger after what another log knows: of two accounts the more careful one counts. */
export function mergeAccount(
  before: Ledger,
  { at, ledger: other, apart, jitter, store }: Account,
): Ledger {
  const ledger = forget(before, other.cleared);
  const minute = moreCareful(ledger.minute, other.minute);
  const forgotten = other.block && other.block.since <= (ledger.cleared ?? 0);
  const isNews = minute !== ledger.minute;
  const block = later(ledger.block, forgotten ? undefined : other.block);
  const merged = {
    ...ledger,
    minute,
    day: moreCareful(ledger.day, other.day),
    offset: other.offset ? intersect(ledger.offset, other.offset) : ledger.offset,
    block,
    // What succeeded since is known where the block is.
    refusals: block === ledger.block ? ledger.refusals : other.refusals,
    workedAt: latest(ledger.workedAt, other.workedAt),
    store: store ? { ...store, at: isNews ? at : (ledger.store?.at ?? at) } : ledger.store,
  };
  if (apart === undefined) return merged;
  const others = { until: apart, jitter };
  return { ...merged, others, apart: goApart(merged, at, apart) };
}

/** What was cleared elsewhere for all: no account of the time before counts. One moment is told a little differently each time. */
function forget(ledger: Ledger, cleared: number | undefined): Ledger {
  if (cleared === undefined || cleared <= (ledger.cleared ?? 0) + guard) return ledger;
  const { inFlight, offset, apart, store, latest, boot } = ledger;
  const block = ledger.block && ledger.block.since > cleared ? ledger.block : undefined;
  const refusals = block ? ledger.refusals : 0;
  return { inFlight, offset, apart, store, latest, boot, block, refusals, cleared };
}

/** Whether it would keep requests waiting that the ledger lets go; what a way to a store takes is no difference. */
export function restrictsMore(entry: Account, ledger: Ledger): boolean {
  const { block, minute, day, cleared } = mergeAccount(ledger, entry);
  const known = Math.max(ledger.block?.until ?? 0, entry.at);
  const longer = block !== undefined && block.until > known + guard;
  return longer || minute !== ledger.minute || day !== ledger.day || cleared !== ledger.cleared;
}

/** What others took since the store told of them goes on as it did before; they take something at any rate. */
function goApart(ledger: Ledger, at: number, until: number): Apart {
  const { apart, minute, store } = ledger;
  if (apart && at < apart.until) return { ...apart, until: Math.max(apart.until, until) };
  const least = Math.min(mostGuessed, Math.ceil((minute?.limit ?? 0) * partGuessed));
  const seen = Math.min(at, Math.max(store?.at ?? at, apart?.seen ?? 0));
  const during = at - seen;
  if (!minute || !isOpen(ledger, 'minute', at)) return { until, taken: least, during: 0, seen: at };
  const before = Math.max(second, seen - (resetTime(ledger, minute, at) - windowMs.minute));
  const likely = Math.ceil(((minute.limit - minute.remaining) * during) / before);
  // More than was left nobody can take: a machine that was silent for long would else stay so for windows.
  return { until, taken: Math.max(least, Math.min(likely, minute.remaining)), during, seen };
}

function moreCareful(a: Window | undefined, b: Window | undefined): Window | undefined {
  if (!a || !b) return a ?? b;
  if (a.told !== b.told) return a.told ? a : b;
  if (!agree(a.reset, b.reset)) return a.reset > b.reset ? a : b;
  return a.remaining <= b.remaining ? a : b;
}

function later(a: Block | undefined, b: Block | undefined): Block | undefined {
  if (!a || !b) return a ?? b;
  return a.until >= b.until ? a : b;
}

function latest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}
