import type { Context } from '../context.ts';
import type { Report } from '../events.ts';
import type { Decision, Denied } from './decide.ts';
import { emptyLedger, type Ledger } from './ledger.ts';
import { tooLate, waitReason } from './words.ts';

/** Waits for requests that are on their way are neither shown nor counted as waits for the limit, up to this many ms. */
const patience = 2_000;
/** Longest sleep at a time, in ms: then the log is read anew, for news of others, a suspend or a clock step. */
const slice = 1_000;
/** How soon to look again while other requests of ours are on their way, in ms. */
const shortest = 20;
/** The same two where a look is a command to a store: in a long wait, and the longest that the short ones grow to, in ms. */
const remoteSlice = 5_000;
const remoteLongest = 500;

type PermitSource = {
  readonly look: () => Promise<Ledger>;
  /** The id of a permit, or what was decided by what is known. */
  readonly ask: (known: Ledger) => Promise<string | Decision>;
  /** As of createReaper. */
  readonly reap: (ledger: Ledger) => Promise<boolean>;
  readonly isRemote: () => boolean;
  readonly report: Report;
};

/**
 * Resolves with the id of a permit. @param waitUntil by the context's `uptime`
 * @throws Failure (rate_limited) when it would come later, the signal's reason
 */
export async function waitForPermit(
  { now, uptime, sleep, random }: Pick<Context, 'now' | 'uptime' | 'sleep' | 'random'>,
  { look, ask, reap, isRemote, report }: PermitSource,
  waitUntil: number,
  signal: AbortSignal,
): Promise<string> {
  const start = uptime();
  const by = Symbol('permit');
  let shown: Denied | undefined;
  let known = emptyLedger;
  let left = 0;
  let nextLook = 0;
  try {
    for (let looks = 0; ; looks += 1) {
      signal.throwIfAborted();
      if (left <= slice || uptime() >= nextLook) {
        known = await look();
        nextLook = uptime() + (isRemote() ? remoteSlice : 0);
      }
      const decision = await ask(known);
      if (typeof decision === 'string') return decision;
      const at = now();
      if (!decision.granted && decision.soon && (await reap(known))) continue;
      if (!decision.granted) shown = show(decision, at);
      left = decision.granted || decision.soon ? 0 : decision.until - at;
      if (left > 0) looks = 0;
      await sleep(pauseFor(left, looks, isRemote(), random), signal);
    }
  } finally {
    if (shown) reportWait(shown, 0);
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

  function reportWait({ reason, limit, until }: Denied, waitMs: number): void {
    report({ event: 'wait', by, reason: waitReason(reason), limit, resetAt: until, waitMs });
  }
}

/**
 * How long to sleep before the log is looked at again, in ms.
 * @param left of a wait whose end is known, in ms; @param looks so far at one whose end is not; @param remote a look costs a store
 */
function pauseFor(left: number, looks: number, remote: boolean, random: () => number): number {
  // Not all who wait for the same moment come at once.
  if (left > 0) return Math.min(left + (remote ? remoteLongest * random() : 0), slice);
  const pause = shortest * (1 + 2 * random());
  return remote ? Math.min(pause * 1.5 ** looks, remoteLongest) : pause;
}
