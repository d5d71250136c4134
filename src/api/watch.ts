import type { Context } from '../context.ts';

/** Why nobody is watched any more; a reason made anew each time would come with a stack. */
const over = new Error('over');

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
  let idle: AbortController | undefined;
  let listens = false;

  return (ends: Ends) => {
    if (context.signal.aborted) ends.interrupted();
    if (!listens) context.signal.addEventListener('abort', interrupt, { once: true });
    listens = true;
    watched.set(ends, context.uptime() + timeout);
    if (!idle) {
      idle = new AbortController();
      wait(idle.signal).catch(() => {});
    }
    return () => {
      watched.delete(ends);
      if (watched.size > 0) return;
      idle?.abort(over);
      idle = undefined;
    };
  };

  function interrupt(): void {
    for (const { interrupted } of watched.keys()) interrupted();
  }

  async function wait(end: AbortSignal): Promise<void> {
    while (!end.aborted) {
      const [first] = watched;
      if (!first) {
        idle = undefined;
        return;
      }
      const [ends, latest] = first;
      const left = latest - context.uptime();
      if (left > 0) await context.sleep(left, end);
      else {
        watched.delete(ends);
        ends.tooLate();
      }
    }
  }
}
