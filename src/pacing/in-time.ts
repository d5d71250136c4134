import type { Context } from '../context.ts';

/**
 * A store that takes longer counts as gone: so often so many ms. In pieces, because a machine under load may let all of the time
 * pass before it reads what came long ago.
 */
const pieces = 5;
const patience = 100;

/** A store did not answer in time. */
export class Silence extends Error {}

/** What the store answers; who wants to stop waits for one piece at most. @throws Silence when it takes too long, else as `work` */
export async function inTime<Value>(
  { sleep, signal }: Pick<Context, 'sleep' | 'signal'>,
  work: Promise<Value>,
): Promise<Value> {
  const over = new AbortController();
  const late = waitAll();
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
    // Nobody hears any more how the slower one ends.
    for (const rest of [work, late]) rest.catch(() => {});
  }

  async function waitAll(): Promise<never> {
    for (let piece = 0; piece === 0 || (piece < pieces && !signal.aborted); piece += 1) {
      await sleep(patience, over.signal);
    }
    throw new Silence();
  }
}
