import {
  type ApiRequest,
  type ApiResponse,
  type ResponseHead,
  type SendRequest,
  TransportError,
} from '../api/exchange.ts';
import { requestedWait } from '../api/limits.ts';
import { isBan, readServiceError } from '../api/outcome.ts';
import type { Context } from '../context.ts';
import { readClock } from './clock.ts';
import { createPermits, type Limit } from './permits.ts';
import type { Answered, Refused } from './records.ts';

/**
 * Lets a request through when the shared log grants it, and not before: every attempt takes a permit of its own here.
 * @throws Failure (rate_limited), with nothing sent, when its turn comes later than the request may wait; the reason of the
 * request's signal or the error of its `beforeSending`, with nothing sent either
 */
export function gate(next: SendRequest, context: Context, limit: Limit): SendRequest {
  const permits = createPermits(context, limit);

  return async (request) => {
    for (;;) {
      const id = await acquireWhenReady(request);
      let isWithdrawn = false;
      // Connecting takes time, in which another request may be told to wait.
      const lastCheck = async () => {
        isWithdrawn = !(await permits.isStillGranted(id));
        if (isWithdrawn) throw new Error('the permit was withdrawn');
      };
      let ended: Promise<unknown> | undefined;
      const end = (head: ResponseHead) => {
        const { boot } = readClock(context);
        ended ??= permits.release({ ...entryOf(id, head, context.random()), boot });
        return ended;
      };
      // Others have to wait from now on, however long the body takes.
      const onHead = (head: ResponseHead) => {
        if (head.status === 429 || requestedWait(head) !== undefined) void end(head);
      };
      try {
        const answer = await next({ ...request, lastCheck, onHead });
        await end(answer);
        await noticeBan(id, answer);
        return answer;
      } catch (error) {
        const left = error instanceof TransportError && error.sent;
        await (ended ??
          permits.release({ k: left ? 'lost' : 'unsent', id, ...readClock(context) }));
        if (!isWithdrawn) throw error;
      }
    }
  };

  /** A 429 has ended as its head came; only its body says that it is a ban. */
  async function noticeBan(id: string, answer: ApiResponse): Promise<void> {
    // A long body is parsed for nothing else.
    if (answer.status !== 429 || !isBan(readServiceError(answer))) return;
    await permits.release({ k: 'banned', id, ...readClock(context) });
  }

  /** Resolves with the id of a permit when the caller is ready to send. */
  async function acquireWhenReady(request: ApiRequest): Promise<string> {
    const signal = request.signal ?? context.signal;
    const id = await permits.acquire(request);
    try {
      signal.throwIfAborted();
      request.beforeSending?.();
      signal.throwIfAborted();
      return id;
    } catch (error) {
      await permits.release({ k: 'unsent', id, ...readClock(context) });
      throw error;
    }
  }
}

function entryOf(id: string, head: ResponseHead, jitter: number): Answered | Refused {
  const { status, limits, sentAt, receivedAt } = head;
  const ended = { id, at: receivedAt, sent: sentAt, ...limits.limit, jitter };
  const wait = requestedWait(head);
  return status === 429
    ? { k: 'refused', ...ended, wait }
    : { k: 'answer', ...ended, status, ...(wait !== undefined && { wait }) };
}
