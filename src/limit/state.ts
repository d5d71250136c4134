import type { Owner } from '../context.ts';
import type { Stamp } from './clocks.ts';

/** All that is known of the limit of one key, in ms of our own clock (clocks.ts). If its shape changes, count up its version in `openLimits`. */
export type State = {
  readonly minute?: Window | undefined;
  readonly day?: Window | undefined;
  readonly permits: Readonly<Record<string, Permit>>;
  /** So many requests may be in flight. It grows with each response, so it may be a fraction. */
  readonly together?: number | undefined;
  readonly grantedAt?: number | undefined;
  readonly block?: Block | undefined;
  /** 429s in a row. Those of requests that were in flight together are one. */
  readonly refusals: number;
  readonly ownCount?: { readonly since: number; readonly requests: number } | undefined;
};

export type Window = {
  readonly limit: number;
  /** No response has named the limit: it is that of the plan, or a guess. */
  readonly isAssumed?: boolean | undefined;
  readonly remaining: number;
  /** So many of them are left to others who use the key in this window. */
  readonly reserved?: number | undefined;
  readonly endsAt: number;
  /** The end by the service's clock. Undefined if the service did not report it, and we count ourselves. */
  readonly serviceResetAt?: number | undefined;
};

/** Counts as spent at `expiresAt`, or when its process has ended. */
export type Permit = { readonly expiresAt: number; readonly owner: Owner };

export type Block = {
  /** `unavailable` is a 503 with Retry-After; the others come from a 429. */
  readonly reason: '429' | 'tripped' | 'banned' | 'unavailable';
  readonly since: number;
  readonly until: number;
  /** So far apart go requests after it; with each minute after its end half as far. */
  readonly gapMs: number;
};

export type Snapshot = { readonly state: State; readonly stamp: Stamp };

export const emptyState: State = { permits: {}, refusals: 0 };

/** Reported resets are whole seconds, so responses of one window may differ. */
const maxResetDriftMs = 1_500;

export function isSameReset(a: number | undefined, b: number | undefined): boolean {
  return a !== undefined && b !== undefined && Math.abs(a - b) <= maxResetDriftMs;
}

/** The end of a day's window may be a year away; what is later is damage, and would block the key for good. */
const maxWaitMs = 367 * 24 * 3_600_000;
/** A permit lasts ten minutes and a few seconds at most. One without an end would let nothing pass for ever. */
const maxPermitMs = 3_600_000;

/** Returns false if a time in it is too late to be true. */
export function isPlausible(value: unknown): boolean {
  const { state, stamp } = value as Snapshot;
  const { minute, day, block, grantedAt = 0, permits } = state;
  const moments = [minute?.endsAt, day?.endsAt, block?.until];
  const ends = Object.values(permits).map(({ expiresAt }) => expiresAt);
  return (
    Number.isFinite(stamp.at) &&
    moments.every((moment) => moment === undefined || moment <= stamp.at + maxWaitMs) &&
    [...ends, grantedAt + (block?.gapMs ?? 0)].every((end) => end <= stamp.at + maxPermitMs)
  );
}
