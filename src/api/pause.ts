import type { Context } from '../context.ts';
import type { Report, WaitEvent } from '../events.ts';

/** Longest sleep at a time, in ms, so that a wait can be shown as it passes. */
const slice = 1_000;

/**
 * Sleeps `ms` and shows it as a wait. Counted down, so that a clock that is set meanwhile makes it no shorter.
 * @throws the signal's reason
 */
export async function pause(
  { now, sleep }: Pick<Context, 'now' | 'sleep'>,
  ms: number,
  why: { readonly reason: 'unavailable' } | { readonly reason: 'settle'; readonly count: number },
  { report, signal }: { readonly report: Report; readonly signal: AbortSignal },
): Promise<void> {
  const by = Symbol(why.reason);
  const resetAt = now() + ms;
  const show = (waitMs: number) => {
    const wait: WaitEvent = { event: 'wait', by, limit: undefined, resetAt, waitMs, ...why };
    report(wait);
  };
  try {
    for (let left = ms; left > 0; left -= slice) {
      show(left);
      await sleep(Math.min(left, slice), signal);
    }
  } finally {
    show(0);
  }
}
