import { type ApiRequest, type Exchange, type Head, Undelivered } from '../api/exchange.ts';
import { readLimit, readToldWait } from '../api/rate-limit.ts';
import type { Context } from '../context.ts';
import { readClock } from './clock.ts';
import type { Answered, Refused } from './records.ts';
import { createTurns, type Limit } from './turns.ts';

/**
 * Lets a request through when the shared log grants it, and not before: every attempt takes its own turn here.
 * @throws Failure (rate_limited), with nothing sent, when its turn comes later than the request may wait; the reason of the
 * request's signal or the error of its `beforeSending`, with nothing sent either
 */
export function gate(next: Exchange, context: Context, limit: Limit): Exchange {
  const turns = createTurns(context, limit);

  return async (request) => {
    for (;;) {
      const id = await takeReadyTurn(request);
      let returned = false;
      // Connecting takes time, in which another request may be told to wait.
      const stillGranted = async () => {
        returned = !(await turns.stillHolds(id));
        return !returned;
      };
      let ended: Promise<unknown> | undefined;
      const end = (head: Head) => {
        const { boot } = readClock(context);
        ended ??= turns.end({ ...entryOf(id, head, context.random()), boot });
        return ended;
      };
      // Others have to wait from now on, however long the body takes.
      const onHead = (head: Head) => {
        if (head.status === 429 || toldWait(head) !== undefined) void end(head);
      };
      try {
        const answer = await next({ ...request, stillGranted, onHead });
        await end(answer);
        return answer;
      } catch (error) {
        const left = error instanceof Undelivered && error.sent;
        await (ended ?? turns.end({ k: left ? 'lost' : 'unsent', id, ...readClock(context) }));
        if (!returned) throw error;
      }
      await request.onReturned?.();
    }
  };

  /** Resolves with the id of a granted turn when the caller is ready to send. */
  async function takeReadyTurn(request: ApiRequest): Promise<string> {
    const signal = request.signal ?? context.signal;
    const id = await turns.take(request);
    let ready = false;
    try {
      signal.throwIfAborted();
      await request.beforeSending?.();
      signal.throwIfAborted();
      ready = true;
      return id;
    } finally {
      if (!ready) await turns.end({ k: 'unsent', id, ...readClock(context) });
    }
  }
}

function entryOf(id: string, head: Head, jitter: number): Answered | Refused {
  const { status, headers, sentAt, receivedAt } = head;
  const ended = { id, at: receivedAt, sent: sentAt, ...readLimit(headers, receivedAt), jitter };
  const wait = toldWait(head);
  return status === 429
    ? { k: 'refused', ...ended, wait }
    : { k: 'answer', ...ended, status, ...(wait !== undefined && { wait }) };
}

function toldWait({ status, headers, receivedAt }: Head): number | undefined {
  return readToldWait(status, headers, receivedAt);
}
