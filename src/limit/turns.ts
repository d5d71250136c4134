import { randomUUID } from 'node:crypto';
import type { Context } from '../context.ts';
import type { Report } from '../events.ts';
import type { ApiRequest } from '../request/exchange.ts';
import { asOffline, type Denied, decide, grant, waitInForce } from './decide.ts';
import { applyOutcome, dropPermits, learnBan, type Outcome } from './learn.ts';
import type { Limit } from './limit.ts';
import { describeReason, rateLimitFailure } from './words.ts';

/** A request may outlive its timeout by this much before its permit counts as spent. */
const leaseMarginMs = 5_000;
const maxLeaseMs = 600_000;
/** A shorter wait for requests in flight is not shown, and does not count as a wait for the limit. */
const showAfterMs = 2_000;
/** News of other processes, or that the machine has slept, are noticed within this time. */
const maxSleepMs = 1_000;
const minPollMs = 20;
const maxPollMs = 1_000;
const storeSlowdown = 5;
/** A process that wakes late sleeps this many times as long: with 200 processes, the start of a minute takes a quarter of the CPU. */
const sleepPerDelay = 20;
/** Looking for killed processes reads two files for each request in flight. */
const minCheckMs = 1_000;

export type SharedLimit = {
  readonly limit: Limit;
  /** The limit per minute that the user has set. It counts where no response names one. */
  readonly limitOfPlan?: number | undefined;
  readonly report: Report;
  readonly timeoutMs: number;
};

/** One request may be sent. Exactly one `end` follows. */
export type Turn = {
  /** Spent behind other requests of this process. That does not count as a wait. */
  readonly queuedMs: number;
  /** Returns false if the permit has run out, or a wait has come into force since. */
  readonly isStillGranted: () => Promise<boolean>;
  readonly end: (outcome: Outcome) => Promise<void>;
  readonly noteBan: () => Promise<void>;
};

type Asked = {
  readonly askedAt: number;
  /** Undefined if it is granted. */
  readonly denied?: Denied | undefined;
  readonly inFlight: string;
};

export function createTurns(context: Context, { limit, report, timeoutMs }: SharedLimit) {
  const { uptime, random, owner } = context;
  const leaseMs = Math.min(timeoutMs, maxLeaseMs) + leaseMarginMs;
  let queue: Promise<unknown> = Promise.resolve();
  /** By the ids of their permits, in the order in which they came. */
  const waiting = new Map<string, ApiRequest>();
  /** Those that were granted together with one ahead of them, and when that asked. */
  const early = new Map<string, number>();
  let nextCheckAt = Number.NEGATIVE_INFINITY;
  return { take };

  async function take(request: ApiRequest): Promise<Turn> {
    const { waitUntil, signal = context.signal } = request;
    const id = randomUUID();
    const queuedAt = uptime();
    signal.throwIfAborted();
    // If nobody waits, several requests can ask at once, in one change.
    if (waiting.size === 0) {
      const { denied, askedAt } = await ask(id);
      if (!denied) return turnOf(id, askedAt, 0);
    }
    waiting.set(id, request);
    try {
      const turn = abortable(queue, signal).then(() => {
        const queuedMs = uptime() - queuedAt;
        return waitForTurn(id, waitUntil + queuedMs, queuedMs, signal);
      });
      // One that gives up must not let those behind it overtake those ahead.
      queue = Promise.allSettled([queue, turn]);
      return await turn;
    } finally {
      waiting.delete(id);
      const askedAt = early.get(id);
      early.delete(id);
      if (askedAt !== undefined) await turnOf(id, askedAt, 0).end({ kind: 'unsent' });
    }
  }

  async function waitForTurn(
    id: string,
    waitUntil: number,
    queuedMs: number,
    signal: AbortSignal,
  ): Promise<Turn> {
    const start = uptime();
    const by = Symbol('turn');
    let shown: Denied | undefined;
    let inFlight = '';
    let pollMs = 0;
    let delayMs = 0;
    try {
      let asked = await ask(id);
      while (asked.denied) {
        const { denied } = asked;
        const { reason, waitMs } = denied;
        const mayEndEarly = reason === 'probe';
        if (!mayEndEarly || uptime() > start + showAfterMs) {
          const isTooLate = uptime() + (mayEndEarly ? 0 : waitMs) > waitUntil;
          if (isTooLate) throw rateLimitFailure(denied, context.now());
          shown = denied;
          show(denied, waitMs, by);
        }
        // Those behind are put off as well.
        if (!mayEndEarly) for (const { onWait } of waiting.values()) onWait?.();
        const slowdown = limit.isRemote() ? storeSlowdown : 1;
        pollMs = asked.inFlight === inFlight ? pollMs * 1.5 : minPollMs * slowdown;
        inFlight = asked.inFlight;
        const untilPollMs = Math.max(pollMs * (1 + 2 * random()), delayMs * sleepPerDelay);
        const sleepMs = mayEndEarly
          ? Math.min(untilPollMs, maxPollMs)
          : Math.min(waitMs, maxSleepMs * slowdown);
        const asleepAt = uptime();
        await context.sleep(sleepMs, signal);
        delayMs = uptime() - asleepAt - sleepMs;
        asked = await ask(id);
      }
      return turnOf(id, asked.askedAt, queuedMs);
    } finally {
      if (shown) show(shown, 0, by);
    }
  }

  /** Asks for a permit, and at once for those who wait behind: else a busy process makes one change of the limit for each. */
  async function ask(id: string): Promise<Asked> {
    const askedAt = uptime();
    const earlyAt = early.get(id);
    if (earlyAt !== undefined) {
      early.delete(id);
      return { askedAt: earlyAt, inFlight: '' };
    }
    const canCheck = askedAt >= nextCheckAt;
    if (canCheck) nextCheckAt = askedAt + minCheckMs;
    const ids = [...new Set([id, ...waiting.keys()])];
    const [asked, granted] = await limit.change<[Asked, string[]]>((before, now, isOffline) => {
      let state = dropPermits(
        before,
        now,
        (permit) =>
          now >= permit.expiresAt || (canCheck && context.isRunning(permit.owner) === false),
      );
      const inFlight = Object.keys(state.permits).join();
      const permit = { expiresAt: now + leaseMs, owner };
      let count = 0;
      let denied: Denied | undefined;
      for (const each of ids) {
        // The step may have been taken before, see `replace` of a cell.
        if (!(each in state.permits)) denied = decide(isOffline ? asOffline(state) : state, now);
        if (denied) break;
        if (!(each in state.permits)) state = grant(state, each, permit, now);
        count += 1;
      }
      const own = count > 0 ? undefined : denied;
      return [state, [{ askedAt, denied: own, inFlight }, ids.slice(1, count)]];
    });
    for (const each of granted) {
      // It may have given up meanwhile.
      if (waiting.has(each)) early.set(each, askedAt);
      else await turnOf(each, askedAt, 0).end({ kind: 'unsent' });
    }
    return asked;
  }

  function turnOf(id: string, askedAt: number, queuedMs: number): Turn {
    return {
      queuedMs,
      isStillGranted: () =>
        limit.change((state, now, isOffline) => {
          const permit = state.permits[id];
          const isValid = permit !== undefined && now < permit.expiresAt;
          const current = isOffline ? asOffline(state) : state;
          return [state, isValid && !waitInForce(current, now)];
        }),
      end: (outcome) =>
        limit.change((state, now) => {
          const grantedAt = now - (uptime() - askedAt);
          return [applyOutcome(state, id, outcome, now, grantedAt), undefined];
        }),
      noteBan: () => limit.change((state) => [learnBan(state), undefined]),
    };
  }

  function show(denied: Denied, waitMs: number, by: symbol): void {
    const words = { why: describeReason(denied), next: 'next request' };
    report({ event: 'wait', by, ...denied, ...words, waitMs, resetAt: context.now() + waitMs });
  }
}

/** Rejects with the signal's reason if that is aborted before `work` ends. */
function abortable<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}
