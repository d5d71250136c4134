/** How fast it goes, and what that means for the rest. */
export type Pace = {
  /** Rows a minute, of late; undefined at the beginning. */
  readonly rate: number | undefined;
  /** ms until the last row, on the day on which it is; undefined while it cannot be told. */
  readonly leftMs: number | undefined;
};

const minute = 60_000;
/** A rate is taken over so many ms: the minutes of a limit begin with a burst, and two of them even it out. */
const span = 2 * minute;
/** Sooner than this, in ms, a rate says nothing. */
const earliest = 2_000;

/**
 * Measures how rows get settled, from now on; call the returned function for each one with how many are left after it.
 * @param perMinute what the limit lets through, where it is known: it goes no faster than that
 */
export function createPace(uptime: () => number, perMinute: number | undefined) {
  const start = uptime();
  const settled: number[] = [];
  let outdated = 0;

  return (left: number): Pace => {
    const at = uptime();
    settled.push(at);
    while ((settled[outdated] ?? at) <= at - span) outdated += 1;
    const elapsed = Math.min(at - start, span);
    if (perMinute === undefined && elapsed < earliest)
      return { rate: undefined, leftMs: undefined };
    const measured = ((settled.length - outdated) * minute) / Math.max(elapsed, 1);
    const rate = Math.min(measured, perMinute ?? measured);
    return { rate, leftMs: (left / rate) * minute };
  };
}
