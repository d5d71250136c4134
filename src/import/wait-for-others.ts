import type { Context } from '../context.ts';
import type { Failure } from '../errors.ts';
import type { Report } from '../events.ts';

/** A reason why this process cannot create now. */
export class Obstacle {
  constructor(
    readonly why: string,
    /** Said in a wait without an end, in place of the time at which it gives up. */
    readonly next: string,
    /** Ends the run once it has waited for `--max-wait`. */
    readonly failure: Failure,
    readonly pid?: number | undefined,
  ) {}
}

const minShownMs = 2_000;
/** Pauses grow, so that hundreds that wait leave the CPU to the one that has its turn. */
const firstPollMs = 20;
const pollGrowth = 1.5;
const maxPollMs = 1_000;

/** Repeats a step until it meets no obstacle, and returns its result. Waits for `maxWaitMs` at most, and reports a longer wait. */
export async function waitForOthers<Result>(
  { now, uptime, sleep, random }: Context,
  { maxWaitMs, report }: { readonly maxWaitMs: number; readonly report: Report },
  signal: AbortSignal,
  step: () => Promise<Result | Obstacle>,
): Promise<Result> {
  const start = uptime();
  const by = Symbol('claimed');
  const show = ({ why, next, pid }: Obstacle, waitMs: number) => {
    const end = Number.isFinite(waitMs)
      ? { next: 'giving up', resetAt: now() + waitMs }
      : { next, resetAt: undefined };
    const process = pid === undefined ? {} : { pid };
    report({ event: 'wait', by, reason: 'claimed', why, waitMs, ...end, ...process });
  };
  let shown: Obstacle | undefined;
  let pollMs = firstPollMs;
  try {
    for (;;) {
      const found = await step();
      if (!(found instanceof Obstacle)) return found;
      const waitedMs = uptime() - start;
      if (waitedMs >= maxWaitMs) throw found.failure;
      if (waitedMs >= minShownMs) {
        shown = found;
        show(found, maxWaitMs - waitedMs);
      }
      await sleep(Math.min(pollMs * (0.5 + random()), maxWaitMs - waitedMs), signal);
      pollMs = Math.min(pollMs * pollGrowth, maxPollMs);
    }
  } finally {
    if (shown) show(shown, 0);
  }
}
