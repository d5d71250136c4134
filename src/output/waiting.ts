import type { Context } from '../context.ts';
import type { RequestWait, WaitEvent } from '../events.ts';
import { isoEnd } from '../text/iso-time.ts';
import { thousands } from '../text/number.ts';
import { timeLeft } from '../text/time.ts';

/** Shorter waits are not worth a word, in ms. */
const shortestShown = 2_000;

/** A wait, and when it ends by the context's `uptime`. */
type Ongoing = { readonly event: WaitEvent; readonly end: number };

/** The waits that go on, of however many requests. */
export type Waits = {
  readonly onWait: (event: WaitEvent) => void;
  /** The one that ends first, with what is left of it now; undefined when none lasts. */
  readonly next: () => WaitEvent | undefined;
  /** Whether all have ended. */
  readonly over: () => boolean;
};

export function createWaits(context: Context): Waits {
  const waits = new Map<symbol, Ongoing>();
  return {
    onWait(event) {
      const before = waits.get(event.by);
      if (event.waitMs <= 0) waits.delete(event.by);
      else if (before ? !endsWith(before, event) : event.waitMs > shortestShown) {
        waits.set(event.by, { event, end: context.uptime() + event.waitMs });
      }
    },
    next() {
      const now = context.uptime();
      const [first] = [...waits.values()]
        .filter(({ end }) => end > now)
        .sort((one, other) => one.end - other.end);
      return first && { ...first.event, waitMs: first.end - now };
    },
    over: () => waits.size === 0,
  };

  /** The first request after a reset is answered in no time: it is the end of a wait more than a wait. */
  function endsWith({ event: { reason }, end }: Ongoing, next: WaitEvent): boolean {
    const resetJustNow = context.uptime() - end <= shortestShown;
    return next.reason === 'probe' && reason !== 'probe' && resetJustNow;
  }
}

/** The line of a wait where nobody watches it pass. */
export function waitLine(event: WaitEvent): string {
  const { why, what } = waitWords(event);
  if (!Number.isFinite(event.waitMs)) return `petstore: ${why}, ${what}`;
  const rest = event.left === undefined ? '' : `; ${thousands(event.left)} rows left`;
  return `petstore: ${why}, ${what} in ${timeLeft(event.waitMs)} (${isoEnd(event.resetAt)})${rest}`;
}

/** Why the wait is, and what comes after it. */
export function waitWords(event: WaitEvent): { readonly why: string; readonly what: string } {
  if (event.reason === 'settle') {
    return event.count === 1
      ? { why: '1 outcome unknown', what: 'checking it' }
      : { why: `${thousands(event.count)} outcomes unknown`, what: 'checking them' };
  }
  if (event.reason === 'claimed') {
    const why = `process ${event.pid} is ${event.doing} the same names`;
    return { why, what: Number.isFinite(event.waitMs) ? 'giving up' : 'waiting for it to finish' };
  }
  return { why: whyOf(event), what: 'next request' };
}

function whyOf({ reason, limit }: WaitEvent & { readonly reason: RequestWait }): string {
  switch (reason) {
    case 'window':
      return `rate limit reached (${limit}/min)`;
    case 'day':
      return `rate limit reached (${limit}/day)`;
    case 'tripped':
      return 'rate limit exceeded (429) three times in a row';
    case 'banned':
      return 'your API key is temporarily banned';
    case '429':
      return 'rate limit exceeded (429)';
    case 'unavailable':
      return 'the service is unavailable';
    case 'probe':
      return 'another request is in flight';
  }
}
