import type { Context } from '../context.ts';
import { deadline } from '../deadline.ts';

/** What ends an attempt from outside, once. */
type Ends = { readonly tooLate: () => void; readonly interrupted: () => void };

/**
 * Watches over attempts that may take `timeout` ms each, and over the run they belong to: one timer and one listener for all,
 * since several of each would take a bulk as long as its requests.
 * @returns begins to watch one; what that returns ends it
 */
export function createWatch(
  context: Pick<Context, 'uptime' | 'sleep' | 'signal'>,
  timeout: number,
) {
  /** With the end of their time, the earliest first. */
  const watched = new Map<Ends, number>();
  let stop: (() => void) | undefined;
  let listens = false;

  return (ends: Ends) => {
    if (context.signal.aborted) ends.interrupted();
    if (!listens) context.signal.addEventListener('abort', interrupt, { once: true });
    listens = true;
    watched.set(ends, context.uptime() + timeout);
    if (!stop) look();
    return () => {
      watched.delete(ends);
      if (watched.size > 0) return;
      stop?.();
      stop = undefined;
    };
  };

  function interrupt(): void {
    for (const { interrupted } of watched.keys()) interrupted();
  }

  function look(): void {
    stop = undefined;
    for (const [ends, latest] of watched) {
      const left = latest - context.uptime();
      if (left > 0) {
        stop = deadline(context.sleep, left, look);
        return;
      }
      watched.delete(ends);
      ends.tooLate();
    }
  }
}
