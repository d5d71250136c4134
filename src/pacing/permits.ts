import { randomBytes } from 'node:crypto';
import type { ApiRequest } from '../api/exchange.ts';
import type { Context } from '../context.ts';
import type { Report } from '../events.ts';
import { followClock, readClock, wentBack } from './clock.ts';
import { type Decision, decide } from './decide.ts';
import { dropLeases, isStillGranted } from './fold.ts';
import { emptyLedger, type Ledger } from './ledger.ts';
import type { SharedLog } from './log.ts';
import { waitForPermit } from './permit-wait.ts';
import { createQueue } from './queue.ts';
import { createReaper } from './reaper.ts';
import type { Entry } from './records.ts';

/** What a store said is not asked for again so soon, in ms; nor was it said later than so long after it was asked. */
const remoteFresh = 100;
const remoteSlowest = 400;
/** What a request may outlive its deadline by before its process is taken as killed, in ms. */
const leaseMargin = 5_000;
const longestLease = 600_000;

/** What requests share a limit by; `timeout` is that of one request in ms, and after it a silent one is taken as lost. */
export type Limit = {
  readonly log: SharedLog;
  readonly report: Report;
  readonly timeout: number;
};

/** The permits of requests of this process to leave, each known by an id from its grant to its end. */
export type Permits = {
  /** Resolves with the id of a granted permit. @throws Failure (rate_limited), the reason of the request's signal */
  readonly acquire: (request: ApiRequest) => Promise<string>;
  /** Whether nothing that was told since its grant says to wait. */
  readonly isStillGranted: (id: string) => Promise<boolean>;
  /** Records how the request of a permit ended. */
  readonly release: (entry: Entry) => Promise<unknown>;
};

export function createPermits(context: Context, { log, report, timeout }: Limit): Permits {
  const lease = Math.min(timeout, longestLease) + leaseMargin;
  const self = randomBytes(8).toString('hex');
  const queue = createQueue();
  const isRemote = () => log.isRemote?.() ?? false;
  const hasStore = log.isRemote !== undefined;
  const source = { look, ask, hasStore, isRemote, report, reap: createReaper(log, context) };
  let permits = 0;
  /** What the log said last, and when. */
  let seen = { ledger: emptyLedger, at: Number.NEGATIVE_INFINITY };

  return {
    async acquire(request) {
      request.signal?.throwIfAborted();
      // While others wait, a new request lines up after them.
      const first = queue.isEmpty() ? await ask(await look()) : undefined;
      if (typeof first === 'string') return first;
      const { waitUntil, signal = context.signal, onWait, onQueued } = request;
      const entered = context.uptime();
      const leave = await queue.enter(signal);
      try {
        const queuedMs = context.uptime() - entered;
        onQueued?.(queuedMs);
        return await waitForPermit(context, source, {
          until: waitUntil + queuedMs,
          signal,
          onWait,
        });
      } finally {
        leave();
      }
    },
    async isStillGranted(id) {
      // A store is asked only where it may have news.
      const isFresh = isRemote() && context.uptime() < seen.at + remoteFresh;
      return isStillGranted(isFresh ? seen.ledger : await look(), id, readClock(context));
    },
    release: append,
  };

  function append(entry: Entry): Promise<Ledger> {
    return remember(() => log.append(entry));
  }

  function look(): Promise<Ledger> {
    return remember(() => log.read());
  }

  async function remember(query: SharedLog['read']): Promise<Ledger> {
    // Only a store answers so late that it matters when.
    if (!hasStore) return query();
    const asked = context.uptime();
    const ledger = await query();
    // Where it took longer, this process may have been stopped with the answer at hand.
    seen = { ledger, at: Math.min(context.uptime(), asked + remoteSlowest) };
    return ledger;
  }

  /** The id of a permit, or what was decided by what is known; when that is a grant, somebody else was faster. */
  async function ask(known: Ledger): Promise<string | Decision> {
    const clock = readClock(context);
    const now = clock.at;
    const decision = decide(dropLeases(followClock(known, clock), now), now);
    // That our clock was set back holds for all as soon as a line tells of it.
    if (!decision.granted && !wentBack(known, clock)) return decision;
    permits += 1;
    const id = `${self}.${permits}`;
    // Between our look and our line somebody else may have been faster; the log decides.
    const entry: Entry = { k: 'ask', id, ...clock, lease: now + lease, owner: context.owner };
    const ledger = await append(entry);
    if (isStillGranted(ledger, id, readClock(context))) return id;
    // Lines that came with ours may hold a refusal.
    if (id in ledger.inFlight) await append({ k: 'unsent', id, ...readClock(context) });
    return decision;
  }
}
