import type { ApiRequest, Exchange } from '../api/exchange.ts';
import { readRateLimit, readRetryAfter } from '../api/rate-limit.ts';
import type { Context } from '../context.ts';
import { Failure } from '../errors.ts';
import type { Report } from '../events.ts';
import { emptyLedger, learn, nextTurn, spend, type Turn } from './ledger.ts';

/** Longest sleep at a time, in ms: after a suspend or a clock step the time left is read anew. */
const slice = 1_000;

/**
 * Lets a request through when the limit allows it, and not before: every attempt takes its own turn here.
 * @throws Failure (rate_limited), with nothing sent, when its turn comes later than the request may wait.
 */
export function gate(next: Exchange, context: Context, report: Report): Exchange {
  let ledger = emptyLedger;

  return async (request) => {
    await waitForTurn(request);
    ledger = spend(ledger, context.now());
    const answer = await next(request);
    ledger = learn(ledger, {
      refused: answer.status === 429,
      rateLimit: readRateLimit(answer.headers, answer.receivedAt),
      retryAfter: readRetryAfter(answer.headers, answer.receivedAt),
      receivedAt: answer.receivedAt,
      random: context.random(),
    });
    return answer;
  };

  async function waitForTurn({ waitUntil }: ApiRequest): Promise<void> {
    let turn = nextTurn(ledger);
    if (turn.at <= context.now()) return;
    try {
      for (; turn.at > context.now(); turn = nextTurn(ledger)) {
        const left = turn.at - context.now();
        if (turn.at > waitUntil) throw tooLate(turn, left);
        reportWait(turn, left);
        await context.sleep(Math.min(left, slice), context.signal);
      }
    } finally {
      reportWait(turn, 0);
    }
  }

  function reportWait({ reason, limit, at }: Turn, waitMs: number): void {
    report({ event: 'wait', reason, limit, resetAt: at, waitMs });
  }
}

function tooLate({ at }: Turn, left: number): Failure {
  const seconds = Math.ceil(left / 1_000);
  return new Failure(
    'rate_limited',
    `rate limit reached; the next request may leave in ${seconds} s`,
    {
      consequence: 'Nothing was sent.',
      hint: `Try again then, or let petstore wait: --max-wait ${seconds + 1}s`,
      outcome: 'not_sent',
      resetAt: at,
      retryAfter: seconds,
    },
  );
}
