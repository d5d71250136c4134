/** One window of the limit, as far as it is known. Times are by the service's clock, in ms. */
export type Window = {
  readonly limit: number;
  readonly remaining: number;
  readonly reset: number;
  /** What an answer must find left if nobody else uses the key. */
  readonly expected: number;
  /** The service said so; otherwise it is our own count. */
  readonly told: boolean;
};

/** What an answer says about a window. */
export type Reading = Pick<Window, 'limit' | 'remaining' | 'reset'>;

/** Two answers of one window may tell resets that differ by this much: they are whole seconds. */
const sameReset = 1_500;

export function agree(a: number, b: number): boolean {
  return Math.abs(a - b) <= sameReset;
}

/**
 * The window after an answer, while `inFlight` other requests of ours are on their way.
 * Remaining only falls within a window, so the order of answers does not matter.
 */
export function merge(
  known: Window | undefined,
  reading: Reading,
  serverNow: number,
  inFlight: number,
): Window {
  // Also past its reset: that may be rounded down, and the window last on.
  if (known?.told && known.limit === reading.limit) {
    if (agree(known.reset, reading.reset)) {
      return { ...known, remaining: Math.min(known.remaining, reading.remaining) };
    }
    if (serverNow < known.reset && reading.reset <= known.reset) return known;
  }
  return { ...reading, expected: reading.remaining - inFlight, told: true };
}

/** The window after a request of ours whose answer told of another window, or of none. */
export function spend(window: Window | undefined): Window | undefined {
  return window && { ...window, remaining: window.remaining - 1 };
}

/** The window after a grant: an answer may now find one less. */
export function grant(window: Window | undefined): Window | undefined {
  return window && { ...window, expected: window.expected - 1 };
}

/** The window when nothing that was known of it holds any more, but its limit. */
export function expire(window: Window | undefined): Window | undefined {
  return window && { ...window, reset: 0 };
}
