import type { Context } from '../context.ts';
import type { Report } from '../events.ts';
import type { Decision, Denied } from './decide.ts';
import { emptyLedger, type Ledger } from './ledger.ts';
import { tooLate, waitWords } from './words.ts';

/** Waits for requests that are on their way are neither shown nor counted as waits for the limit, up to this many ms. */
const patience = 2_000;
/**
 * Longest sleep at a time, in ms: then the log is read anew, for news of others, a suspend or a clock step. If these end a wait,
 * it lasts so much longer at most. If they make it longer, that is noticed before anything is sent.
 */
const slice = 5_000;
/** The same where there is a store, which is looked for each time while it is gone, and less often while it is there. */
const storeSlice = 1_000;
const remoteSlice = 5_000;
/** How soon to look again while other requests of ours are in flight, in ms. */
const shortest = 20;
/** Where their log has been silent for long, it may well be for longer: the next look is after at most this part of that time. */
const partOfSilence = 0.1;
/**
 * A process that wakes late shares the machine with many that look: the next pause is so many times that delay, so that the looks
 * of a crowd leave most of the cores to those that send.
 */
const pausePerDelay = 20;
/** The longest that a pause grows to for that, in ms. */
const longestForDelay = 1_000;
/** The longest that those pauses grow to where a look is a command to a store, in ms. */
const remoteLongest = 500;

type PermitSource = {
  readonly look: () => Promise<Ledger>;
  /** The id of a permit, or what was decided by what is known. */
  readonly ask: (known: Ledger) => Promise<string | Decision>;
  /** As of createReaper. */
  readonly reap: (ledger: Ledger) => Promise<boolean>;
  readonly hasStore: boolean;
  readonly isRemote: () => boolean;
  readonly report: Report;
};

/** For a request: `until` when, by the context's `uptime`, and what ends it before; `onWait` as of a Turn. */
type PermitWait = {
  readonly until: number;
  readonly signal: AbortSignal;
  readonly onWait?: (() => void) | undefined;
};

/**
 * Resolves with the id of a permit.
 * @throws Failure (rate_limited) when it would come later, the signal's reason
 */
export async function waitForPermit(
  { now, uptime, sleep, random }: Pick<Context, 'now' | 'uptime' | 'sleep' | 'random'>,
  { look, ask, reap, hasStore, isRemote, report }: PermitSource,
  { until: waitUntil, signal, onWait }: PermitWait,
): Promise<string> {
  const start = uptime();
  const by = Symbol('permit');
  let shown: Denied | undefined;
  let known = emptyLedger;
  let left = 0;
  let nextLook = 0;
  /** By which the process last woke late, in ms. */
  let delay = 0;
  const longest = hasStore ? storeSlice : slice;
  try {
    for (let looks = 0; ; looks += 1) {
      signal.throwIfAborted();
      if (left <= longest || uptime() >= nextLook) {
        known = await look();
        nextLook = uptime() + (isRemote() ? remoteSlice : 0);
      }
      const decision = await ask(known);
      if (typeof decision === 'string') return decision;
      const at = now();
      if (!decision.granted && decision.soon && (await reap(known))) continue;
      if (!decision.granted && !decision.soon) onWait?.();
      if (!decision.granted) shown = show(decision, at);
      left = decision.granted || decision.soon ? 0 : decision.until - at;
      if (left > 0) looks = 0;
      const pause = left > 0 ? untilReset(left) : untilLook(decision, looks, at);
      const length = Math.min(pause, longest);
      const wakeAt = uptime() + length;
      await sleep(length, signal);
      delay = uptime() - wakeAt;
    }
  } finally {
    if (shown) reportWait(shown, 0);
  }

  function untilReset(left: number): number {
    // Not all who wait for the same moment come at once.
    return isRemote() ? left + remoteLongest * random() : left;
  }

  /** When to look whether a request in flight has ended, in ms. All go by the same silence, so that none has a better chance. */
  function untilLook(decision: Decision, looks: number, at: number): number {
    const soon = shortest * (1 + 2 * random());
    if (isRemote()) return Math.min(soon * 1.5 ** looks, remoteLongest);
    if (decision.granted) return soon;
    const silence = at - (known.latest ?? at);
    const later = silence * partOfSilence * (0.5 + random() / 2);
    const quieter = Math.min(delay * pausePerDelay, longestForDelay);
    return Math.max(
      soon,
      Math.min(Math.max(later, quieter), decision.until - at, waitUntil - uptime()),
    );
  }

  /** The wait that is shown for this denial, if any. @throws Failure (rate_limited) */
  function show(denied: Denied, at: number): Denied | undefined {
    const passed = uptime();
    const latest = denied.soon ? Math.max(waitUntil, start + patience) : waitUntil;
    if (passed + (denied.soon ? 0 : denied.until - at) > latest) throw tooLate(denied, at);
    if (denied.soon && passed - start <= patience) return shown;
    reportWait(denied, denied.until - at);
    return denied;
  }

  function reportWait(denied: Denied, waitMs: number): void {
    report({ event: 'wait', by, resetAt: denied.until, waitMs, ...waitWords(denied) });
  }
}
