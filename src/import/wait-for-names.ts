import type { Context } from '../context.ts';
import {
  type Failure,
  Interruption,
  interruptedFailure,
  nothingSent,
  unsentFailure,
} from '../errors.ts';
import type { Report } from '../events.ts';
import { commandOn } from '../text/shell.ts';
import { isoTime } from '../time.ts';
import {
  isStillHeld,
  type NameHolder,
  type NameLock,
  type Names,
  tryLockNames,
} from './name-locks.ts';

/** How soon to look again whether they are free, in ms; each pause is longer than the one before. */
const firstPause = 20;
const longestPause = 100;
/** Waits up to this many ms are not shown. */
const unshown = 2_000;

export type WaitOptions = {
  /** Longest wait for other processes, in ms. */
  readonly maxWait: number;
  readonly report: Report;
};

/**
 * Takes names that no other process of this machine creates until they are released; waits for who has one of them.
 * @throws Failure (output) when that takes longer than it may, or the disk does not take it; Failure (interrupted)
 */
export async function waitForNames(
  context: Context,
  folder: string,
  wanted: Names,
  { maxWait, report }: WaitOptions,
): Promise<NameLock> {
  const { uptime, sleep, random, signal } = context;
  const start = uptime();
  const by = Symbol('names');
  let pause = firstPause;
  let shown: NameHolder | undefined;
  try {
    for (;;) {
      const held = await tryLockNames(context, folder, wanted);
      if ('release' in held) return held;
      while (isStillHeld(context, held)) {
        const waited = uptime() - start;
        if (waited >= maxWait) throw busy(held);
        if (waited >= unshown) {
          shown = held;
          show(held, maxWait - waited);
        }
        await sleep(Math.min(pause * (1 + random()), maxWait - waited), signal);
        pause = Math.min(pause * 1.5, longestPause);
      }
    }
  } catch (error) {
    if (!(error instanceof Interruption)) throw error;
    throw interruptedFailure(signal, nothingSent);
  } finally {
    if (shown) show(shown, 0);
  }

  function show({ mark: { pid, doing } }: NameHolder, waitMs: number): void {
    const hasEnd = Number.isFinite(waitMs);
    report({
      event: 'wait',
      by,
      reason: 'claimed',
      why: `process ${pid} is ${doing} the same names`,
      next: hasEnd ? 'giving up' : 'waiting for it to finish',
      resetAt: hasEnd ? context.now() + waitMs : undefined,
      waitMs,
      pid,
    });
  }
}

function busy({ mark, file }: NameHolder): Failure {
  const { pid, host, since, doing } = mark;
  return unsentFailure(
    'output',
    `process ${pid} on ${host} has been ${doing} the same names since ${isoTime(since)}`,
    `Run the same command again when it has finished, or with a longer --max-wait. If that process no longer exists (another machine, another container): ${commandOn('rm', file)}`,
  );
}
