/** By so much, in ms, a coarse clock may lag behind before that means something. */
const coarse = 100;
/** The system is asked no more often, in ms of the ticks: it takes as long as a dozen other calls. */
const interval = 10;

/**
 * A clock that nobody can set: milliseconds since the machine started, sleep included.
 * @param sinceStart seconds since then, in hundredths or whole ones, as the system tells them; it may throw
 * @param ticks milliseconds since any moment; they may stand still while the machine sleeps
 */
export function createUptime(sinceStart: () => number, ticks: () => number): () => number {
  let before = 0;
  let asked = Number.NEGATIVE_INFINITY;
  return () => {
    const fine = ticks();
    if (fine < asked + interval) return fine + before;
    asked = fine;
    const missed = reportedUptime() - (fine + before);
    if (missed > coarse) before += missed;
    return fine + before;
  };

  function reportedUptime(): number {
    try {
      return sinceStart() * 1_000;
    } catch {
      return 0;
    }
  }
}
