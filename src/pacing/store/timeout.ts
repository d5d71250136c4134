import type { Context, Engine } from '../../context.ts';

/** A store that gives no sign of life for this long counts as gone, in ms. */
const patience = 500;
/** How often that is looked at, in ms. */
const piece = 100;
/** A timer that fires later than this was held up by our own machine, and says nothing about the store, in ms. */
const lateness = 50;
/** However busy our machine is, and however slowly an answer trickles in, no command takes longer, in ms. */
const longest = 5_000;

/** A store did not answer in time. */
export class StoreTimeout extends Error {}

/** What the store answers; who wants to stop waits for one piece at most. @throws Silence when it takes too long, else as `work` */
export async function withTimeout<Value>(
  { sleep, signal, uptime }: Pick<Context, 'sleep' | 'signal' | 'uptime'>,
  { activity }: Pick<Engine, 'activity'>,
  work: Promise<Value>,
): Promise<Value> {
  const over = new AbortController();
  const silence = waitForSilence();
  try {
    return await Promise.race([work, silence]);
  } finally {
    over.abort();
    // Nobody hears any more how the slower one ends.
    for (const rest of [work, silence]) rest.catch(() => {});
  }

  async function waitForSilence(): Promise<never> {
    const end = uptime() + longest;
    let seen = activity();
    let silent = 0;
    do {
      const start = uptime();
      await sleep(piece, over.signal);
      const now = activity();
      if (now !== seen) silent = 0;
      else if (uptime() - start <= piece + lateness) silent += piece;
      seen = now;
    } while (silent < patience && uptime() < end && !signal.aborted);
    throw new StoreTimeout();
  }
}
