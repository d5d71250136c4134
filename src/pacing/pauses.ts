/** Longest sleep at a time, in ms: then the log is read anew, for news of others, a suspend or a clock step. */
export const slice = 1_000;
/** How soon to look again while other requests of ours are on their way, in ms. */
const shortest = 20;
/** The same two where a look is a command to a store: in a long wait, and the longest that the short ones grow to, in ms. */
export const farSlice = 5_000;
const farLongest = 500;

/**
 * How long to sleep before the log is looked at again, in ms.
 * @param left of a wait whose end is known, in ms; @param looks so far at one whose end is not; @param far a look costs a store
 */
export function pauseFor(left: number, looks: number, far: boolean, random: () => number): number {
  // Not all who wait for the same moment come at once.
  if (left > 0) return Math.min(left + (far ? farLongest * random() : 0), slice);
  const pause = shortest * (1 + 2 * random());
  return far ? Math.min(pause * 1.5 ** looks, farLongest) : pause;
}
