import type * as z from 'zod/mini';
import type { snapshotSchema } from './state-schema.ts';

export type Snapshot = Readonly<z.infer<typeof snapshotSchema>>;
export type State = Readonly<Snapshot['state']>;
export type Window = Readonly<NonNullable<State['minute']>>;
export type Permit = Readonly<State['permits'][string]>;
export type Block = Readonly<NonNullable<State['block']>>;

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
