import type { Context } from './context.ts';

/** Calls `onTimeout` after `ms`. The returned function cancels it. */
export function deadline(sleep: Context['sleep'], ms: number, onTimeout: () => void): () => void {
  const wait = new AbortController();
  sleep(ms, wait.signal).then(onTimeout, () => {});
  return () => wait.abort();
}
