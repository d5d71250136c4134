import { randomBytes } from 'node:crypto';
import { type Answer, type ApiRequest, type Exchange, Undelivered } from '../api/exchange.ts';
import { readLimit, readRetryAfter } from '../api/rate-limit.ts';
import type { Context } from '../context.ts';
import type { Report } from '../events.ts';
import { type Decision, decide } from './decide.ts';
import { dropLeases } from './fold.ts';
import type { Log } from './log.ts';
import type { Entry } from './records.ts';
import { tooLate, waitReason } from './words.ts';

type Denied = Extract<Decision, { granted: false }>;

/** Longest sleep at a time, in ms: then the log is read anew, for news of others, a suspend or a clock step. */
const slice = 1_000;
/** How soon to look again while other requests of ours are on their way, in ms. */
const shortest = 20;
/** Waits for those are no waits for the limit, up to this many ms. */
const patience = 2_000;
/** What a request may outlive its deadline by before its process is taken as killed, in ms. */
const leaseMargin = 5_000;
const longestLease = 600_000;

/**
 * Lets a request through when the shared log grants it, and not before: every attempt takes its own turn here.
 * @param timeout of one request in ms; after that a silent one is taken as lost
 * @throws Failure (rate_limited), with nothing sent, when its turn comes later than the request may wait
 */
export function gate(
  next: Exchange,
  context: Context,
  { log, report, timeout }: { log: Log; report: Report; timeout: number },
): Exchange {
  const lease = Math.min(timeout, longestLease) + leaseMargin;

  return async (request) => {
    const id = await takeTurn(request);
    try {
      const answer = await next(request);
      log.append(entryOf(id, answer, context.random()));
      return answer;
    } catch (error) {
      const left = error instanceof Undelivered && error.sent;
      log.append({ k: left ? 'lost' : 'unsent', id, at: context.now() });
      throw error;
    }
  };

  /** Resolves with the id of the granted turn. */
  async function takeTurn({ waitUntil }: ApiRequest): Promise<string> {
    const start = context.now();
    let shown: Denied | undefined;
    try {
      for (;;) {
        const now = context.now();
        const decision = decide(dropLeases(log.read(), now), now);
        if (decision.granted) {
          const id = randomBytes(8).toString('hex');
          // Between our look and our line somebody else may have been faster; the log decides.
          if (id in log.append({ k: 'ask', id, at: now, lease: now + lease }).inFlight) return id;
        }
        shown = (await pause(decision, now)) ?? shown;
      }
    } finally {
      if (shown) reportWait(shown, 0);
    }

    async function pause(decision: Decision, now: number): Promise<Denied | undefined> {
      if (decision.granted || decision.until === undefined) {
        if (now > Math.max(waitUntil, start + patience)) throw tooLate(decision, now + slice, now);
        await context.sleep(shortest * (1 + 2 * context.random()), context.signal);
        return undefined;
      }
      if (decision.until > waitUntil) throw tooLate(decision, decision.until, now);
      reportWait(decision, decision.until - now);
      await context.sleep(Math.min(decision.until - now, slice), context.signal);
      return decision;
    }
  }

  function reportWait({ reason, limit, until = 0 }: Denied, waitMs: number): void {
    report({ event: 'wait', reason: waitReason(reason), limit, resetAt: until, waitMs });
  }
}

function entryOf(
  id: string,
  { status, headers, sentAt, receivedAt }: Answer,
  jitter: number,
): Entry {
  const ended = { id, at: receivedAt, sent: sentAt, ...readLimit(headers, receivedAt), jitter };
  return status === 429
    ? { k: 'refused', ...ended, wait: readRetryAfter(headers, receivedAt) }
    : { k: 'answer', ...ended, status };
}
