import { guard, maxInFlight } from './decide.ts';
import { intersect } from './learn.ts';
import type { Apart, Block, Ledger } from './ledger.ts';
import type { Heard } from './records.ts';
import { agree, type Window } from './window.ts';

/** What is taken as used by others until answers tell, of a small limit this part. */
const mostGuessed = 2 * maxInFlight;
const partGuessed = 0.25;

/** What a ledger has to say to another log: requests on their way end there as it may, and may be counted. */
export function summary(ledger: Ledger): Ledger {
  const { minute, day, offset, block, refusals, workedAt, latest } = ledger;
  const onTheirWay = Object.keys(ledger.inFlight).length;
  const less = (window: Window | undefined) =>
    window && { ...window, remaining: window.remaining - onTheirWay };
  const told = { minute: less(minute), day: less(day), offset, block, refusals, workedAt, latest };
  return { inFlight: {}, ...told };
}

/** The ledger after what another log knows: of two accounts the more careful one counts. */
export function hear(ledger: Ledger, { at, ledger: other, apart, jitter }: Heard): Ledger {
  const minute = moreCareful(ledger.minute, other.minute);
  const forgotten = other.block && other.block.since <= (ledger.cleared ?? 0);
  const block = later(ledger.block, forgotten ? undefined : other.block);
  const heard = {
    ...ledger,
    minute,
    day: moreCareful(ledger.day, other.day),
    offset: other.offset ? intersect(ledger.offset, other.offset) : ledger.offset,
    block,
    // What succeeded since is known where the block is.
    refusals: block === ledger.block ? ledger.refusals : other.refusals,
    workedAt: latest(ledger.workedAt, other.workedAt),
  };
  if (apart === undefined) return heard;
  const others = { until: apart, jitter };
  return { ...heard, others, apart: goApart(ledger.apart, minute, at, apart) };
}

/** Whether it would keep requests waiting that the ledger lets go; what a way to a store takes is no difference. */
export function tellsMore(entry: Heard, ledger: Ledger): boolean {
  const { block, minute, day } = hear(ledger, entry);
  const known = Math.max(ledger.block?.until ?? 0, entry.at);
  const longer = block !== undefined && block.until > known + guard;
  return longer || minute !== ledger.minute || day !== ledger.day;
}

function goApart(known: Apart | undefined, minute: Window | undefined, at: number, until: number) {
  if (known && at < known.until) return { ...known, until: Math.max(known.until, until) };
  const taken = Math.min(mostGuessed, Math.ceil((minute?.limit ?? 0) * partGuessed));
  return { until, taken, during: 0, seen: at };
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
