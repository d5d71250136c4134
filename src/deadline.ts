import type { Context } from './context.ts';

/** Why a wait is given up; an error made anew each time would come with a stack. */
const over = new Error('over');

/** Calls `tooLate` after `ms`, unless the function that it returns is called before. */
export function deadline(sleep: Context['sleep'], ms: number, tooLate: () => void): () => void {
  const met = new AbortController();
  sleep(ms, met.signal).then(tooLate, () => {});
  return () => met.abort(over);
}
