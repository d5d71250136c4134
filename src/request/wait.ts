import type { Context } from '../context.ts';
import { Failure, unsentFailure } from '../errors.ts';
import type { Report, Wait } from '../events.ts';

/** News of other processes, or that the machine has slept, are noticed within this time. */
const maxSleepMs = 1_000;
/** A shorter wait for other processes is not shown, and does not count as one. */
const minCountedMs = 2_000;
const firstPollMs = 20;
const pollGrowth = 1.5;
/** A process that wakes late sleeps this many times as long: with 200 processes, the start of a minute takes a quarter of the CPU. */
const sleepPerDelay = 20;
/** If the wall clock moves by more than this, the end of the wait is reported anew. */
const maxClockDriftMs = 1_000;

type Clock = Pick<Context, 'now' | 'uptime' | 'sleep' | 'random'>;
type Words = Pick<Wait, 'reason' | 'why' | 'next' | 'count' | 'limit' | 'remaining' | 'pid'>;
type Watch = { readonly report: Report; readonly signal: AbortSignal };

export class Obstacle {
  constructor(
    /** `waitMs` is infinite if only somebody else can end it. */
    readonly wait: Words & Pick<Wait, 'waitMs'>,
    /** Ends the run if it would have to wait for too long. */
    readonly failure?: Failure,
    /** Given if others may end it at any time; it changes with what they do. */
    readonly version?: string,
  ) {}
}

/** Returns the wait for others: a process that creates, or a store that is away. */
export function waitForOthers(words: Words, hint: string | undefined): Obstacle {
  const wait = { waitMs: Number.POSITIVE_INFINITY, ...words };
  return new Obstacle(wait, unsentFailure('rate_limited', words.why, hint), '');
}

export function waitWhileAway(error: unknown, next: string): Obstacle {
  if (!(error instanceof Failure && error.details.isAway)) throw error;
  return waitForOthers({ reason: 'unavailable', why: error.message, next }, error.details.hint);
}

/** Sleeps and reports it as a wait. Setting the clock makes it neither shorter nor longer. Rejects with the signal's reason. */
export function pause(context: Clock, ms: number, words: Words, watch: Watch): Promise<void> {
  const end = context.uptime() + ms;
  return waitFor(context, watch, async () => {
    const waitMs = end - context.uptime();
    return waitMs > 0 ? new Obstacle({ ...words, waitMs }) : undefined;
  });
}

/** Repeats a step until it meets no obstacle, and returns its result. Reports the wait, which may last until `until` (by uptime). */
export async function waitFor<Result>(
  { now, uptime, sleep, random }: Clock,
  watch: Watch & { readonly until?: number },
  step: () => Promise<Result | Obstacle>,
): Promise<Result> {
  const { report, signal, until = Number.POSITIVE_INFINITY } = watch;
  const countedFrom = uptime() + minCountedMs;
  const by = Symbol('wait');
  let shown: Wait | undefined;
  let version: string | undefined;
  let pollMs = 0;
  let delayMs = 0;
  try {
    for (;;) {
      const found = await step();
      if (!(found instanceof Obstacle)) return found;
      const mayEndEarly = found.version !== undefined;
      const { waitMs } = found.wait;
      const leftMs = until - uptime();
      const isCounted = !mayEndEarly || uptime() >= countedFrom;
      if (isCounted && leftMs < (mayEndEarly ? 0 : waitMs)) throw found.failure;
      if (isCounted) show(found.wait, leftMs);
      pollMs = found.version === version ? pollMs * pollGrowth : firstPollMs;
      version = found.version;
      const untilPollMs = Math.max(pollMs * (1 + 2 * random()), delayMs * sleepPerDelay);
      const sleepMs = Math.min(mayEndEarly ? untilPollMs : waitMs, maxSleepMs);
      const asleepAt = uptime();
      await sleep(sleepMs, signal);
      delayMs = uptime() - asleepAt - sleepMs;
    }
  } finally {
    if (shown) report({ ...shown, waitMs: 0 });
  }

  function show(wait: Obstacle['wait'], leftMs: number): void {
    const isEndless = wait.waitMs === Number.POSITIVE_INFINITY;
    const waitMs = isEndless ? leftMs : wait.waitMs;
    const next = isEndless && Number.isFinite(leftMs) ? 'giving up' : wait.next;
    const end = Number.isFinite(waitMs) ? now() + waitMs : undefined;
    const isSame = Math.abs((shown?.resetAt ?? 0) - (end ?? 0)) <= maxClockDriftMs;
    const resetAt = isSame ? shown?.resetAt : end;
    shown = { event: 'wait', by, ...wait, next, resetAt, waitMs };
    report(shown);
  }
}
