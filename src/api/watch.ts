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
  /**
   * The earliest first. An array, since the table that a Map has outgrown keeps what was in it: half of what was left of each
   * attempt then waited for a full garbage collection.
   */
  const watched: { readonly ends: Ends; readonly latest: number }[] = [];
  let stop: (() => void) | undefined;
  let listens = false;

  return (ends: Ends) => {
    if (context.signal.aborted) ends.interrupted();
    if (!listens) context.signal.addEventListener('abort', interrupt, { once: true });
    listens = true;
    const one = { ends, latest: context.uptime() + timeout };
    watched.push(one);
    if (!stop) look();
    return () => {
      const at = watched.indexOf(one);
      if (at >= 0) watched.splice(at, 1);
      if (watched.length > 0) return;
      stop?.();
      stop = undefined;
    };
  };

  function interrupt(): void {
    for (const { ends } of [...watched]) ends.interrupted();
  }

  function look(): void {
    stop = undefined;
    for (let first = watched[0]; first; first = watched[0]) {
      const left = first.latest - context.uptime();
      if (left > 0) {
        stop = deadline(context.sleep, left, look);
        return;
      }
      watched.shift();
      first.ends.tooLate();
    }
  }
}
