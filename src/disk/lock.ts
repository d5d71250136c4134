import type { Context } from '../context.ts';
import { Failure } from '../errors.ts';
import { commandOn } from '../text/shell.ts';
import { isoTime } from '../time.ts';
import { claim } from './claim.ts';
import type { Holder } from './mark.ts';

/** How often it is tried, so many ms apart: five seconds, where the work takes milliseconds. */
const tries = 500;
const pause = 10;

/**
 * Does short work that no other process may do at the same time. What a process held that was killed is had at once.
 * @throws Failure (output) when a living one does not let go of it, and whatever the work throws
 */
export async function withLock<Result>(
  context: Pick<Context, 'owner' | 'isRunning' | 'now' | 'sleep' | 'signal'>,
  path: string,
  work: () => Result,
): Promise<Result> {
  for (let left = tries; ; left -= 1) {
    const held = claim(context, path);
    if (held.mine) {
      try {
        return work();
      } finally {
        held.release();
      }
    }
    if (left === 0) throw busy(held, path);
    await context.sleep(pause, context.signal);
  }
}

function busy({ pid, host, since }: Holder, path: string): Failure {
  return new Failure(
    'output',
    `process ${pid} on ${host} has locked ${path} since ${isoTime(since)}`,
    {
      consequence: 'Nothing was changed.',
      hint: `Try again. If that process no longer exists (other machine or container): ${commandOn('rm -r', path)}`,
    },
  );
}
