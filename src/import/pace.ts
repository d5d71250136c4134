/** How fast it goes. */
export type Pace = {
  /** Rows a minute, of late; undefined at the beginning. */
  readonly rate: number | undefined;
  /** ms that a row takes where none has to wait for the limit; undefined at the beginning. */
  readonly each: number | undefined;
};

const minute = 60_000;
/** A rate is taken over so many ms: the minutes of a limit begin with a burst, and two of them even it out. */
const span = 2 * minute;
/** Sooner than this, in ms, a rate says nothing. */
const earliest = 2_000;

/**
 * Measures how rows get settled, from now on; call the returned function for each one.
 * @param perMinute what the limit lets through, where it is known: it goes no faster than that
 */
export function createPace(uptime: () => number, perMinute: number | undefined) {
  const start = uptime();
  const settled: number[] = [];
  let outdated = 0;
  let last = start;
  let busy = 0;
  let unhindered = 0;

  /** @param waited whether the limit was waited for since the last one */
  return (waited: boolean): Pace => {
    const at = uptime();
    if (!waited) {
      busy += at - last;
      unhindered += 1;
    }
    last = at;
    settled.push(at);
    while ((settled[outdated] ?? at) <= at - span) outdated += 1;
    const elapsed = Math.min(at - start, span);
    const each = unhindered > 0 ? busy / unhindered : undefined;
    if (perMinute === undefined && elapsed < earliest) return { rate: undefined, each: undefined };
    const measured = ((settled.length - outdated) * minute) / Math.max(elapsed, 1);
    return { rate: Math.min(measured, perMinute ?? measured), each };
  };
}
