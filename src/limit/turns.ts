import { randomUUID } from 'node:crypto';
import type { ApiRequest } from '../api/exchange.ts';
import type { Context } from '../context.ts';
import type { Report } from '../events.ts';
import { type Decision, type Denied, decide, grant, waitInForce } from './decide.ts';
import { applyOutcome, dropPermits, learnBan, type Outcome } from './learn.ts';
import type { Limit } from './limit.ts';
import type { State } from './state.ts';
import { tooLate, waitWords } from './words.ts';

/** A request may outlive its timeout by this much before its permit counts as spent. */
const leaseMarginMs = 5_000;
const maxLeaseMs = 600_000;
/** A shorter wait for requests in flight is not shown, and does not count as a wait for the limit. */
const showAfterMs = 2_000;
/** News of other processes, and that the machine has slept, are noticed within this time. */
const maxSleepMs = { local: 1_000, remote: 5_000 };
const minPollMs = { local: 20, remote: 100 };
const maxPollMs = 1_000;
/** A process that wakes late shares the machine with many: it sleeps this many times as long as it was late. */
const sleepPerDelay = 20;
/** A store's reply counts as fresh for this long. */
const maxReplyAgeMs = 100;
/** Looking for killed processes reads two files for each request in flight. */
const minCheckMs = 1_000;

/** How requests share a limit. */
export type SharedLimit = {
  readonly limit: Limit;
  readonly report: Report;
  /** Of one request. */
  readonly timeoutMs: number;
};

/** One request may be sent. Exactly one `end` follows. */
export type Turn = {
  /** Returns false if the permit has run out, or a wait has come into force since. */
  readonly isStillGranted: () => Promise<boolean>;
  readonly end: (outcome: Outcome) => Promise<void>;
  /** The body of the 429 says that the key is banned. */
  readonly noteBan: () => Promise<void>;
};

type Asked = { readonly decision: Decision; readonly state: State; readonly askedAt: number };
type Waiter = Pick<ApiRequest, 'waitUntil' | 'onWait'> & { readonly signal: AbortSignal };

/**
 * Lets the requests of this process take turns, in the order they came.
 * Rejects with Failure (rate_limited) if a turn would come too late, or with the reason of the request's signal.
 */
export function createTurns(context: Context, { limit, report, timeoutMs }: SharedLimit) {
  const { uptime, random, owner } = context;
  const leaseMs = Math.min(timeoutMs, maxLeaseMs) + leaseMarginMs;
  const isRemote = limit.isRemote ?? (() => false);
  const queue = createQueue();
  const waiters = new Set<Waiter>();
  /** When a response of this process last told all requests to wait. */
  let toldToWaitAt = Number.NEGATIVE_INFINITY;
  let nextCheckAt = Number.NEGATIVE_INFINITY;
  return { take };

  async function take(request: ApiRequest): Promise<Turn> {
    const { waitUntil, signal = context.signal, onWait, onQueued } = request;
    const id = randomUUID();
    const queuedAt = uptime();
    const queued = { waitUntil, onWait, signal };
    signal.throwIfAborted();
    // If nobody waits, several requests can ask at once, in one change.
    const first = waiters.size === 0 ? await ask(id) : undefined;
    if (first?.decision.granted) return turnOf(id, first.askedAt);
    // Whoever stands behind others has to ask again.
    const isFirst = waiters.size === 0;
    waiters.add(queued);
    try {
      return await queue.run(() => {
        const queuedMs = uptime() - queuedAt;
        onQueued?.(queuedMs);
        const waiter = { ...queued, waitUntil: waitUntil + queuedMs };
        return waitForTurn(id, waiter, isFirst ? first : undefined);
      }, signal);
    } finally {
      waiters.delete(queued);
    }
  }

  async function waitForTurn(
    id: string,
    { waitUntil, signal }: Waiter,
    first: Asked | undefined,
  ): Promise<Turn> {
    const start = uptime();
    const by = Symbol('turn');
    let shown: Denied | undefined;
    let inFlight = '';
    let pollMs = 0;
    let delayMs = 0;
    try {
      let asked = first ?? (await ask(id));
      while (!asked.decision.granted) {
        const decision = asked.decision;
        const { mayEndEarly, waitMs } = decision;
        const waitedMs = uptime() - start;
        const latest = mayEndEarly ? Math.max(waitUntil, start + showAfterMs) : waitUntil;
        if (uptime() + (mayEndEarly ? 0 : waitMs) > latest) throw tooLate(decision, context.now());
        // Those behind are put off as well.
        if (!mayEndEarly) for (const { onWait } of waiters) onWait?.();
        if (!mayEndEarly || waitedMs > showAfterMs) {
          shown = decision;
          show(decision, waitMs, by);
        }
        const ids = Object.keys(asked.state.permits).join();
        const place = isRemote() ? 'remote' : 'local';
        pollMs = ids === inFlight ? Math.min(pollMs * 1.5, maxPollMs) : minPollMs[place];
        inFlight = ids;
        const untilPoll = Math.max(pollMs * (1 + 2 * random()), delayMs * sleepPerDelay);
        const sleepMs = mayEndEarly
          ? Math.min(untilPoll, maxPollMs)
          : Math.min(waitMs, maxSleepMs[place]);
        const asleepAt = uptime();
        await context.sleep(sleepMs, signal);
        delayMs = uptime() - asleepAt - sleepMs;
        signal.throwIfAborted();
        asked = await ask(id);
      }
      return turnOf(id, asked.askedAt);
    } finally {
      if (shown) show(shown, 0, by);
    }
  }

  async function ask(id: string): Promise<Asked> {
    const askedAt = uptime();
    const canCheck = askedAt >= nextCheckAt;
    const asked = await limit.change<Asked>((before, now, isOffline) => {
      let state = dropPermits(before, now, ({ expiresAt }) => now >= expiresAt);
      // The step may have been taken before, see `replace` of a cell.
      if (id in state.permits) {
        return [state, { state, askedAt, decision: { granted: true, isProbe: false } }];
      }
      let decision = decide(state, now, isOffline);
      if (!decision.granted && decision.mayEndEarly && canCheck) {
        state = dropPermits(state, now, (permit) => !context.isRunning(permit.owner));
        decision = decide(state, now, isOffline);
      }
      const permit = { expiresAt: now + leaseMs, owner };
      const next = decision.granted ? grant(state, id, permit, decision.isProbe) : state;
      return [next, { state, askedAt, decision }];
    });
    if (canCheck && !asked.decision.granted) nextCheckAt = uptime() + minCheckMs;
    return asked;
  }

  function turnOf(id: string, askedAt: number): Turn {
    return {
      async isStillGranted() {
        const isFresh = isRemote() && uptime() < askedAt + maxReplyAgeMs;
        if (isFresh && askedAt > toldToWaitAt) return true;
        return limit.change((state, now, isOffline) => {
          const permit = state.permits[id];
          const isValid = permit !== undefined && now < permit.expiresAt;
          return [state, isValid && !waitInForce(state, now, isOffline)];
        });
      },
      end(outcome) {
        const isWait =
          outcome.kind === 'response' && (outcome.status === 429 || outcome.waitMs !== undefined);
        if (isWait) toldToWaitAt = uptime();
        return limit.change((state, now) => {
          const grantedAt = now - (uptime() - askedAt);
          return [applyOutcome(state, id, outcome, now, grantedAt), undefined];
        });
      },
      noteBan: () => limit.change((state, now) => [learnBan(state, now), undefined]),
    };
  }

  function show(denied: Denied, waitMs: number, by: symbol): void {
    report({ event: 'wait', by, resetAt: context.now() + waitMs, waitMs, ...waitWords(denied) });
  }
}

/** Runs tasks one at a time, in the order they were added. */
function createQueue() {
  let tail: Promise<unknown> = Promise.resolve();

  return {
    /** Runs `task` after all earlier ones. If the signal is aborted first, rejects with its reason. */
    run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
      const earlier = tail;
      const done = abortable(earlier, signal).then(task);
      // A task that gives up must not let those behind it overtake those ahead.
      tail = Promise.allSettled([earlier, done]);
      return done;
    },
  };
}

/** Resolves or rejects like `work`. If the signal is aborted first, rejects with its reason, and `work` goes on unheard. */
function abortable<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}
