import { randomBytes } from 'node:crypto';
import { type Answer, type ApiRequest, type Exchange, Undelivered } from '../api/exchange.ts';
import { readLimit, readRetryAfter } from '../api/rate-limit.ts';
import type { Context } from '../context.ts';
import type { Report } from '../events.ts';
import { followClock, readClock, wentBack } from './clock.ts';
import { type Denied, decide } from './decide.ts';
import { dropLeases } from './fold.ts';
import { emptyLedger, type Ledger } from './ledger.ts';
import type { Answered, Entry, Refused } from './records.ts';
import type { SharedLog } from './shared-log.ts';
import { tooLate, waitReason } from './words.ts';
import { createWriteOff } from './write-off.ts';

/** Longest sleep at a time, in ms: then the log is read anew, for news of others, a suspend or a clock step. */
const slice = 1_000;
/** How soon to look again while other requests of ours are on their way, in ms. */
const shortest = 20;
/** The same two where a look is a command to a store: in a long wait, and the longest that the short ones grow to, in ms. */
const farSlice = 5_000;
const farLongest = 500;
/** Waits for those are neither shown nor counted as waits for the limit, up to this many ms. */
const patience = 2_000;
/** What a store told is not asked for again so soon, in ms. */
const farFresh = 100;
/** What a request may outlive its deadline by before its process is taken as killed, in ms. */
const leaseMargin = 5_000;
const longestLease = 600_000;

/**
 * Lets a request through when the shared log grants it, and not before: every attempt takes its own turn here.
 * @param timeout of one request in ms; after that a silent one is taken as lost
 * @throws Failure (rate_limited), with nothing sent, when its turn comes later than the request may wait; the reason of the
 * request's signal or the error of its `beforeSending`, with nothing sent either
 */
export function gate(
  next: Exchange,
  context: Context,
  { log, report, timeout }: { log: SharedLog; report: Report; timeout: number },
): Exchange {
  const lease = Math.min(timeout, longestLease) + leaseMargin;
  const writeOff = createWriteOff(log, context);
  const self = randomBytes(8).toString('hex');
  let turns = 0;
  /** What the log told last, and when it was asked. */
  let seen = { ledger: emptyLedger, at: Number.NEGATIVE_INFINITY };

  return async (request) => {
    for (;;) {
      const id = await takeReadyTurn(request);
      let returned = false;
      // Connecting takes time, in which another request may be told to wait.
      const stillGranted = async () => {
        returned = !isGranted(await lookAgain(), id);
        return !returned;
      };
      try {
        const answer = await next({ ...request, stillGranted });
        await append({ ...entryOf(id, answer, context.random()), boot: readClock(context).boot });
        return answer;
      } catch (error) {
        const left = error instanceof Undelivered && error.sent;
        await append({ k: left ? 'lost' : 'unsent', id, ...readClock(context) });
        if (!returned) throw error;
      }
      await request.onReturned?.();
    }
  };

  /** Resolves with the id of a granted turn when the caller is ready to send. */
  async function takeReadyTurn(request: ApiRequest): Promise<string> {
    const signal = request.signal ?? context.signal;
    const id = await takeTurn(request);
    let ready = false;
    try {
      signal.throwIfAborted();
      await request.beforeSending?.();
      signal.throwIfAborted();
      ready = true;
      return id;
    } finally {
      if (!ready) await append({ k: 'unsent', id, ...readClock(context) });
    }
  }

  function append(entry: Entry): Promise<Ledger> {
    return remember(() => log.append(entry));
  }

  function look(): Promise<Ledger> {
    return remember(() => log.read());
  }

  async function remember(tell: SharedLog['read']): Promise<Ledger> {
    const at = context.uptime();
    const ledger = await tell();
    seen = { ledger, at };
    return ledger;
  }

  /** The ledger now; a store is asked only where it may have news. */
  async function lookAgain(): Promise<Ledger> {
    const isFresh = log.isFar?.() && context.uptime() < seen.at + farFresh;
    return isFresh ? seen.ledger : look();
  }

  /** Whether a turn still holds: its lease is not over, and nothing that was told since it was granted says to wait. */
  function isGranted(ledger: Ledger, id: string): boolean {
    const clock = readClock(context);
    const current = dropLeases(followClock(ledger, clock), clock.at);
    const { [id]: mine, ...others } = current.inFlight;
    const decision = decide({ ...current, inFlight: others }, clock.at);
    return mine !== undefined && (decision.granted || decision.soon);
  }

  /** Resolves with the id of the granted turn. */
  async function takeTurn({ waitUntil, signal }: ApiRequest): Promise<string> {
    const start = context.uptime();
    const by = Symbol('turn');
    let shown: Denied | undefined;
    let known = emptyLedger;
    let left = 0;
    let nextLook = 0;
    try {
      for (let looks = 0; ; looks += 1) {
        signal?.throwIfAborted();
        if (left <= slice || context.uptime() >= nextLook) {
          known = await look();
          nextLook = context.uptime() + (log.isFar?.() ? farSlice : 0);
        }
        const clock = readClock(context);
        const now = clock.at;
        const decision = decide(dropLeases(followClock(known, clock), now), now);
        // That our clock was set back holds for all as soon as a line tells of it.
        if (decision.granted || wentBack(known, clock)) {
          turns += 1;
          const id = `${self}.${turns}`;
          const ask: Entry = { k: 'ask', id, ...clock, lease: now + lease, owner: context.owner };
          // Between our look and our line somebody else may have been faster; the log decides.
          const ledger = await append(ask);
          if (isGranted(ledger, id)) return id;
          // Lines that came with ours may hold a refusal.
          if (id in ledger.inFlight) await append({ k: 'unsent', id, ...readClock(context) });
        }
        if (!decision.granted && decision.soon && (await writeOff(known))) continue;
        if (!decision.granted) shown = show(decision, now);
        left = decision.granted || decision.soon ? 0 : decision.until - now;
        if (left > 0) looks = 0;
        await context.sleep(pauseFor(left, looks), signal ?? context.signal);
      }
    } finally {
      if (shown) reportWait(by, shown, 0);
    }

    /** The wait that is shown for this denial, if any. @throws Failure (rate_limited) */
    function show(denied: Denied, now: number): Denied | undefined {
      const passed = context.uptime();
      const latest = denied.soon ? Math.max(waitUntil, start + patience) : waitUntil;
      if (passed + (denied.soon ? 0 : denied.until - now) > latest) throw tooLate(denied, now);
      if (denied.soon && passed - start <= patience) return shown;
      reportWait(by, denied, denied.until - now);
      return denied;
    }
  }

  /** @param left of a wait whose end is known, in ms; @param looks so far at one whose end is not */
  function pauseFor(left: number, looks: number): number {
    const far = log.isFar?.() ?? false;
    // Not all who wait for the same moment come at once.
    if (left > 0) return Math.min(left + (far ? farLongest * context.random() : 0), slice);
    const pause = shortest * (1 + 2 * context.random());
    return far ? Math.min(pause * 1.5 ** looks, farLongest) : pause;
  }

  function reportWait(by: symbol, { reason, limit, until }: Denied, waitMs: number): void {
    report({ event: 'wait', by, reason: waitReason(reason), limit, resetAt: until, waitMs });
  }
}

function entryOf(
  id: string,
  { status, headers, sentAt, receivedAt }: Answer,
  jitter: number,
): Answered | Refused {
  const ended = { id, at: receivedAt, sent: sentAt, ...readLimit(headers, receivedAt), jitter };
  return status === 429
    ? { k: 'refused', ...ended, wait: readRetryAfter(headers, receivedAt) }
    : { k: 'answer', ...ended, status };
}
