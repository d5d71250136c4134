import type { Context } from '../context.ts';
import type { Report, Wait } from '../events.ts';

/** Longest sleep at a time, in ms, so that a wait can be shown as it passes. */
const slice = 1_000;

/** By more than this, in ms, the end of a wait is told anew: the clock was set. */
const step = 1_000;

/**
 * Sleeps `ms` and shows it as a wait. A clock that is set meanwhile makes it neither shorter nor longer.
 * @throws the signal's reason
 */
export async function pause(
  { now, uptime, sleep }: Pick<Context, 'now' | 'uptime' | 'sleep'>,
  ms: number,
  words: Pick<Wait, 'reason' | 'why' | 'next' | 'count'>,
  { report, signal }: { readonly report: Report; readonly signal: AbortSignal },
): Promise<void> {
  const by = Symbol(words.reason);
  const end = uptime() + ms;
  let resetAt = now() + ms;
  const show = (waitMs: number) => {
    if (Math.abs(now() + waitMs - resetAt) > step) resetAt = now() + waitMs;
    report({ event: 'wait', by, resetAt, waitMs, ...words });
  };
  try {
    for (let left = ms; left > 0; left = end - uptime()) {
      show(left);
      await sleep(Math.min(left, slice), signal);
    }
  } finally {
    show(0);
  }
}
