import type { Context } from '../context.ts';
import type { Report } from '../events.ts';

/** Longest sleep at a time, in ms, so that a wait can be shown as it passes. */
const slice = 1_000;

/**
 * Waits until the service is surely done with requests that broke off, `ms` from now.
 * @param count of outcomes that are unknown
 * @throws the signal's reason
 */
export async function settle(
  { now, sleep, signal }: Pick<Context, 'now' | 'sleep' | 'signal'>,
  ms: number,
  count: number,
  report: Report,
): Promise<void> {
  const wait = {
    event: 'wait',
    by: Symbol('settle'),
    reason: 'settle',
    limit: undefined,
    resetAt: now() + ms,
    count,
  } as const;
  try {
    // Counted down, so that a clock that is set meanwhile makes it no shorter.
    for (let left = ms; left > 0; left -= slice) {
      report({ ...wait, waitMs: left });
      await sleep(Math.min(left, slice), signal);
    }
  } finally {
    report({ ...wait, waitMs: 0 });
  }
}
