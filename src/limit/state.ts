import type { Owner } from '../disk/owner.ts';

/**
 * All that is known of the limit of one key. Times are ms on a clock of our own (time.ts). Processes of other versions read it:
 * if its shape changes, count up the version in `nameOfLimit`.
 */
export type State = {
  readonly minute?: Window | undefined;
  readonly day?: Window | undefined;
  readonly permits: Readonly<Record<string, Permit>>;
  /** The id of the permit of the one request that finds out about a new window. */
  readonly probe?: string | undefined;
  /** Stays after its end: a key that stops working soon after a 429 is probably banned. */
  readonly block?: Block | undefined;
  /** 429s in a row. Those of requests that were in flight together are one. */
  readonly refusals: number;
  /** The end of each window is delayed, so that not all who use the key begin the next one at once. */
  readonly otherUsers?: { readonly until: number; readonly delayMs: number } | undefined;
  readonly ownCount?: { readonly since: number; readonly requests: number } | undefined;
  readonly hasWorked?: boolean | undefined;
  /** The moment of a `--reset`. No wait from before counts, whichever machine knows of it. */
  readonly clearedAt?: number | undefined;
};

export type Window = {
  readonly limit: number;
  readonly remaining: number;
  /** A response must show this as remaining if nobody else uses the key. */
  readonly expected: number;
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
  readonly isReported?: boolean | undefined;
};

export const emptyState: State = { permits: {}, refusals: 0 };

/** Reported resets are whole seconds, so responses of one window may differ. */
const maxResetDriftMs = 1_500;

export function isSameReset(a: number | undefined, b: number | undefined): boolean {
  return a !== undefined && b !== undefined && Math.abs(a - b) <= maxResetDriftMs;
}

export function spend(window: Window | undefined, requests = 1): Window | undefined {
  return window && { ...window, remaining: window.remaining - requests };
}

export function withoutPermit(state: State, id: string): State {
  const { [id]: _, ...permits } = state.permits;
  return { ...state, permits };
}
