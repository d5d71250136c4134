import { type Block, type Ledger, serverTime } from './ledger.ts';
import type { Window } from './window.ts';

/** Why a request may not leave; 'probe' and 'busy' last only as long as requests of our own that are on their way. */
export type Reason = 'minute' | 'day' | Block['reason'] | 'probe' | 'busy';

export type Decision =
  | { readonly granted: true; readonly probe: boolean }
  | {
      readonly granted: false;
      readonly reason: Reason;
      /** When to ask again; undefined: soon. */
      readonly until?: number;
      readonly limit?: number;
    };

/** Added to every reset: it is told in whole seconds and may be rounded down. */
const guard = 1_000;
/** More requests than this are never on their way at once. */
const maxInFlight = 8;
/** Of a limit that others use too, this part is left to them. */
const partOfOthers = 0.05;
/** A wait beyond these is not a window's; the clock has jumped. */
const longestWait = { minute: 66_000 + guard, day: 25 * 3_600_000 + guard };

/**
 * Whether a request may leave at `at`. One alone goes first after a reset or a cold start, so that a wrong clock, a moved
 * reset or somebody else's use costs at most one refusal; then all that the window has left may go.
 */
export function decide(ledger: Ledger, at: number): Decision {
  const blocked = blockEnd(ledger, at);
  if (ledger.block && blocked > at) {
    return { granted: false, reason: ledger.block.reason, until: blocked };
  }
  const inFlight = Object.keys(ledger.inFlight).length;
  const shared = ledger.others !== undefined && at < ledger.others.until;
  let most = maxInFlight;
  for (const kind of ['day', 'minute'] as const) {
    const window = ledger[kind];
    if (!window || !isOpen(ledger, kind, at)) continue;
    const { limit } = window;
    const free = window.remaining - (shared ? Math.ceil(limit * partOfOthers) : 0);
    if (free <= 0) {
      return { granted: false, reason: kind, until: windowEnd(ledger, window, at), limit };
    }
    if (free <= inFlight) return { granted: false, reason: 'busy', limit };
    // What others took since our last answer shows only in the next one: near the end, one at a time.
    if (shared && free <= 2 * maxInFlight) most = 1;
  }
  if (!isOpen(ledger, 'minute', at)) {
    const probing = ledger.probe !== undefined && ledger.probe in ledger.inFlight;
    return probing ? { granted: false, reason: 'probe' } : { granted: true, probe: true };
  }
  if (inFlight >= most) return { granted: false, reason: 'busy' };
  return { granted: true, probe: false };
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
  const { others } = ledger;
  const jitter = others && at < others.until ? others.jitter * 1_000 : 0;
  return resetTime(ledger, window, at) + guard + jitter;
}

/** When the block ends; should the clock have been set back since, it lasts no longer than it was meant to. */
function blockEnd({ block }: Ledger, at: number): number {
  return block ? Math.min(block.until, at + block.until - block.since) : 0;
}
