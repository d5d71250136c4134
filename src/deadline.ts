import type { Context } from './context.ts';

/** Cancels a wait. It is made once, because an error made each time would collect a stack. */
const canceled = new Error('canceled');

/** Calls `tooLate` after `ms`, unless the returned function is called before. */
export function deadline(sleep: Context['sleep'], ms: number, tooLate: () => void): () => void {
  const wait = new AbortController();
  sleep(ms, wait.signal).then(tooLate, () => {});
  return () => wait.abort(canceled);
}
