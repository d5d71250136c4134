import { randomUUID } from 'node:crypto';
import type { Context } from '../context.ts';
import type { Report } from '../events.ts';
import type { ApiRequest } from '../request/exchange.ts';
import { Obstacle, waitFor, waitWhileAway } from '../request/wait.ts';
import { type Denied, grantAll, waitInForce } from './decide.ts';
import { applyEnd, dropPermits, learnBan, type RequestEnd } from './learn.ts';
import type { Limit } from './limit.ts';
import { describeReason, rateLimitFailure } from './words.ts';

/** A request may outlive its timeout by this much before its permit counts as spent. */
const leaseMarginMs = 5_000;
const maxLeaseMs = 600_000;
const next = 'next request';

export type SharedLimit = {
  readonly limit: Limit;
  /** The limit per minute that the user has set. It counts where no response names one. */
  readonly limitOfPlan?: number | undefined;
  readonly report: Report;
  readonly timeoutMs: number;
};

/** One request may be sent. Exactly one `end` follows. */
export type Slot = {
  /** Spent behind other requests of this process. That does not count as a wait. */
  readonly queuedMs: number;
  /** Returns false if the permit has run out, or a wait has come into force since. */
  readonly isStillGranted: () => Promise<boolean>;
  readonly end: (end: RequestEnd) => Promise<void>;
  readonly noteBan: () => Promise<void>;
};

type Waiter = {
  readonly id: string;
  readonly request: ApiRequest;
  readonly signal: AbortSignal;
  readonly queuedAt: number;
  /** When nobody was ahead of it any more. */
  firstAt?: number;
  readonly resolve: (slot: Slot) => void;
  readonly reject: (error: unknown) => void;
};

/** Gives the requests of one process their slots, in the order in which they ask. */
export function createSlots(context: Context, { limit, report, timeoutMs }: SharedLimit) {
  const { now, uptime, random, owner } = context;
  const leaseMs = Math.min(timeoutMs, maxLeaseMs) + leaseMarginMs;
  const queue: Waiter[] = [];
  let inFlight = 0;
  let isWoken = false;
  let wake = () => {};
  let isServing = false;
  return { take, goOn };

  async function take(request: ApiRequest): Promise<Slot> {
    const { signal = context.signal } = request;
    signal.throwIfAborted();
    let giveUp = () => {};
    const slot = new Promise<Slot>((resolve, reject) => {
      const id = randomUUID();
      const waiter = { id, request, signal, queuedAt: uptime(), resolve, reject };
      giveUp = () => leave(waiter, signal.reason);
      queue.push(waiter);
    });
    signal.addEventListener('abort', giveUp, { once: true });
    if (!isServing) void serve();
    return slot.finally(() => signal.removeEventListener('abort', giveUp));
  }

  function leave(waiter: Waiter, reason: unknown): void {
    const index = queue.indexOf(waiter);
    if (index >= 0) queue.splice(index, 1);
    waiter.reject(reason);
    wake();
  }

  async function serve(): Promise<void> {
    isServing = true;
    for (let [first] = queue; first; [first] = queue) {
      await serveFirst(first).catch((error) => leave(first as Waiter, error));
    }
    isServing = false;
  }

  async function serveFirst(first: Waiter): Promise<void> {
    first.firstAt = uptime();
    const until = first.request.waitUntil + first.firstAt - first.queuedAt;
    const { signal } = first;
    const watch = { report, signal, until };
    const step = () => askFor(first).catch((error) => waitWhileAway(error, next));
    await waitFor({ now, uptime, random, sleep: sleepUntilWoken }, watch, step);
  }

  async function askFor(first: Waiter): Promise<Obstacle | undefined> {
    if (queue[0] !== first) return undefined;
    const { denied, version } = await ask();
    if (!denied || queue[0] !== first) return undefined;
    // Those behind are put off as well.
    const mayEndEarly = denied.reason === 'probe';
    if (!mayEndEarly) for (const { request } of queue) request.onWait?.(denied.waitMs);
    const wait = { ...denied, why: describeReason(denied), next };
    const failure = rateLimitFailure(denied, now());
    return new Obstacle(wait, failure, mayEndEarly ? version : undefined);
  }

  function sleepUntilWoken(ms: number): Promise<void> {
    const awake = new AbortController();
    wake = () => awake.abort(awake);
    return context.sleep(ms, awake.signal).catch(() => {});
  }

  /** Call it when a response has ended. Whoever waits asks at once, but for the only place like others: after a pause. */
  function goOn(): void {
    isWoken = queue.length > 0;
    wake();
  }

  /** Asks for all that wait, in one change of the limit: a busy process would else make one for each. */
  async function ask(): Promise<{ readonly denied?: Denied; readonly version: string }> {
    const askedAt = uptime();
    const isBusy = inFlight > 0 || isWoken;
    isWoken = false;
    // A step may be taken again, see `replace` of a cell: then for the same requests.
    let ids: string[] | undefined;
    const { granted, ...answer } = await limit.change((before, now) => {
      ids ??= queue.map(({ id }) => id);
      const alive = dropPermits(before, now, ({ expiresAt, owner }) => {
        return now >= expiresAt || context.isRunning(owner) === false;
      });
      const version = Object.keys(alive.permits).join();
      const permit = { expiresAt: now + leaseMs, owner };
      const { state, ...rest } = grantAll(alive, ids, permit, now, isBusy);
      return [state, { ...rest, version }];
    });
    inFlight += granted.length;
    for (const id of granted) {
      const waiter = queue.find((waiter) => waiter.id === id);
      const { firstAt = uptime(), queuedAt = firstAt } = waiter ?? {};
      const slot = slotOf(id, askedAt, firstAt - queuedAt);
      if (waiter) queue.splice(queue.indexOf(waiter), 1);
      waiter?.resolve(slot);
      if (!waiter) await slot.end({ kind: 'unsent' });
    }
    return answer;
  }

  function slotOf(id: string, askedAt: number, queuedMs: number): Slot {
    return {
      queuedMs,
      isStillGranted: () =>
        limit.change((state, now) => {
          const permit = state.permits[id];
          const isValid = permit !== undefined && now < permit.expiresAt;
          return [state, isValid && !waitInForce(state, now)];
        }),
      async end(end) {
        try {
          await limit.change((state, now) => {
            const grantedAt = now - (uptime() - askedAt);
            return [applyEnd(state, id, end, now, grantedAt), undefined];
          });
        } finally {
          inFlight -= 1;
        }
      },
      noteBan: () => limit.change((state) => [learnBan(state), undefined]),
    };
  }
}
