import type * as z from 'zod/mini';
import type { snapshotSchema } from './state-schema.ts';

export type Snapshot = Readonly<z.infer<typeof snapshotSchema>>;
export type State = Readonly<Snapshot['state']>;
export type Window = Readonly<NonNullable<State['minute']>>;
export type Permit = Readonly<State['permits'][string]>;
export type Pace = Readonly<NonNullable<State['pace']>>;
export type Block = Readonly<NonNullable<State['block']>>;

export const emptyState: State = { permits: {}, refusals: 0 };

/** Reported resets are whole seconds, so responses of one window may differ. */
const maxResetDriftMs = 1_500;

export function isSameReset(a: number | undefined, b: number | undefined): boolean {
  return a !== undefined && b !== undefined && Math.abs(a - b) <= maxResetDriftMs;
}
