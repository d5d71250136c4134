import type { Context } from '../context.ts';

/** A store that takes longer counts as gone, in ms. */
const patience = 500;

/** A store did not answer in time. */
export class Silence extends Error {}

/** What the store answers. @throws Silence when it takes too long, else as `work` */
export async function inTime<Value>(
  { sleep }: Pick<Context, 'sleep'>,
  work: Promise<Value>,
): Promise<Value> {
  const over = new AbortController();
  const late = sleep(patience, over.signal).then(() => {
    throw new Silence();
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
    // Nobody hears any more how the slower one ends.
    for (const rest of [work, late]) rest.catch(() => {});
  }
}
