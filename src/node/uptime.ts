/** The system reports hundredths of seconds or whole ones; a smaller difference means nothing. */
const maxLagMs = 100;
/** Asking the system takes as long as a dozen other calls. */
const minIntervalMs = 10;

/**
 * Creates a clock that nobody can set: milliseconds since the machine started, sleep included. `systemUptime` returns seconds and
 * may throw; `ticks` returns milliseconds since any moment and may stand still while the machine sleeps.
 */
export function createUptime(systemUptime: () => number, ticks: () => number): () => number {
  let offset = 0;
  let askedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = ticks();
    if (now < askedAt + minIntervalMs) return now + offset;
    askedAt = now;
    const missed = reportedUptime() - (now + offset);
    if (missed > maxLagMs) offset += missed;
    return now + offset;
  };

  function reportedUptime(): number {
    try {
      return systemUptime() * 1_000;
    } catch {
      return 0;
    }
  }
}
