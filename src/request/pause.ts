import type { Context } from '../context.ts';
import type { Report, Wait } from '../events.ts';

const maxSleepMs = 1_000;
/** If the wall clock moves by more than this, the end of the wait is reported anew. */
const maxClockDriftMs = 1_000;

/** Sleeps and reports it as a wait. Setting the clock makes it neither shorter nor longer. Rejects with the signal's reason. */
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
    if (Math.abs(now() + waitMs - resetAt) > maxClockDriftMs) resetAt = now() + waitMs;
    report({ event: 'wait', by, resetAt, waitMs, ...words });
  };
  try {
    for (let remaining = ms; remaining > 0; remaining = end - uptime()) {
      show(remaining);
      await sleep(Math.min(remaining, maxSleepMs), signal);
    }
  } finally {
    show(0);
  }
}
