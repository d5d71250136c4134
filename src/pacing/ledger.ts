import type { Owner } from '../disk/owner.ts';
import type { Window } from './window.ts';

/**
 * All that is known about the limit of one key: the log, folded. `at`, `since` and `until` are this machine's clock,
 * the windows are by the service's, all in ms.
 */
export type Ledger = {
  readonly minute?: Window | undefined;
  readonly day?: Window | undefined;
  /** Requests that were granted and have not ended. */
  readonly inFlight: Readonly<Record<string, Lease>>;
  /** The one request that finds out what the new window is like. */
  readonly probe?: string | undefined;
  /** The service's clock less ours lies between these two. */
  readonly offset?: Offset | undefined;
  /** Nothing leaves until its end. Kept after that: what was refused lately matters when a key stops working. */
  readonly block?: Block | undefined;
  /** Refusals in a row; those of requests that were on their way together count as one. */
  readonly refusals: number;
  /** Somebody on another machine uses this key too. */
  readonly others?: Others | undefined;
  /** When all was forgotten by hand: no wait from before counts, whoever tells of it. */
  readonly cleared?: number | undefined;
  /** This machine goes on without the store that it shares the limit with. */
  readonly apart?: Apart | undefined;
  /** What the limit store told this log last. */
  readonly store?: (StoreMark & { readonly at: number }) | undefined;
  /** Our own count of requests since a moment less than a day ago. */
  readonly counted?: { readonly since: number; readonly requests: number } | undefined;
  /** When a request last succeeded. */
  readonly workedAt?: number | undefined;
  /** The latest time that any line told. */
  readonly latest?: number | undefined;
  /** Of the machine, as the last line told it. */
  readonly boot?: Boot | undefined;
};

/** What a machine's clock shows, in ms since 1970; without `boot` nobody can tell whether it was set since. */
export type ClockReading = { readonly at: number; readonly boot?: Boot | undefined };

/** A start of the machine, and when it was by its clock as that is set now; when that changes, the clock was set. */
type Boot = { readonly id: string; readonly at: number };

/**
 * A request that ends in silence, because its process was killed, is taken as spent at `until` at the latest.
 * `block` is the beginning of the block that stood last when it was granted, 0 for none.
 */
export type Lease = {
  readonly at: number;
  readonly until: number;
  readonly block: number;
  readonly owner?: Owner | undefined;
};
export type Offset = { readonly low: number; readonly high: number };
export type Block = {
  /** 'unavailable' is a 503 with Retry-After; the others come from a refusal of ours. */
  readonly reason: '429' | 'tripped' | 'banned' | 'unavailable';
  /** The service itself says that the key is banned; else it is concluded. */
  readonly told?: boolean | undefined;
  readonly since: number;
  readonly until: number;
};
/** Until when others are taken into account, and by how much the next probe is put off, in [0, 1) s. */
type Others = { readonly until: number; readonly jitter: number };
/** Until when, and what others took in so many ms before `seen`, the time of our last answer. */
export type Apart = {
  readonly until: number;
  readonly taken: number;
  readonly during: number;
  readonly seen: number;
};

/** The log that a limit store keeps, and until when it lasts there at least, by this machine's clock. */
export type StoreMark = { readonly epoch: string; readonly until: number };

export const emptyLedger: Ledger = { inFlight: {}, refusals: 0 };

/** The earliest time that the service's clock may show when ours shows `at`. */
export function serverTime({ offset }: Ledger, at: number): number {
  return at + (offset?.low ?? 0);
}
