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
import type { ResponseOutcome } from './learn.ts';
import { createTurns, type SharedLimit, type Turn } from './turns.ts';

/**
 * Sends each request when it is its turn; every attempt takes a turn of its own. Rejects with nothing sent if that would come later
 * than the request may wait, if its signal is aborted, or if its `beforeSending` throws.
 */
export function withRateLimit(
  send: SendRequest,
  context: Context,
  shared: SharedLimit,
): SendRequest {
  const turns = createTurns(context, shared);
  return async (request) => {
    for (;;) {
      const turn = await turns.take(request);
      const response = await sendInTurn(send, request, turn, context);
      if (response) return response;
    }
  };
}

/** Returns undefined, with nothing sent, if the permit ran out or a wait came into force while the request connected. */
async function sendInTurn(
  send: SendRequest,
  request: ApiRequest,
  turn: Turn,
  { random }: Context,
): Promise<ApiResponse | undefined> {
  let isWithdrawn = false;
  let ended: Promise<void> | undefined;
  const lastCheck = async () => {
    isWithdrawn = !(await turn.isStillGranted());
    if (isWithdrawn) throw new TransportError('the permit was withdrawn', false);
  };
  // The head says all about the limit, and the body may take long.
  const onHead = (head: ResponseHead) => {
    ended = turn.end(outcomeOf(head, random()));
    ended.catch(() => {});
  };
  try {
    request.beforeSending?.();
    const response = await send({ ...request, lastCheck, onHead });
    await ended;
    // Only the body tells of a ban. Other bodies may be long, so they are not parsed here.
    if (response.status === 429 && isBan(readServiceError(response))) await turn.noteBan();
    return response;
  } catch (error) {
    const isSent = error instanceof TransportError && error.sent;
    await (ended ?? turn.end({ kind: isSent ? 'lost' : 'unsent' }));
    if (isWithdrawn) return undefined;
    throw error;
  }
}

function outcomeOf(head: ResponseHead, jitter: number): ResponseOutcome {
  const { status, limits, receivedAt } = head;
  const { limit, remaining, reset, date = receivedAt } = limits.limit;
  return {
    kind: 'response',
    status,
    limit,
    remaining,
    reset: reset === undefined ? undefined : { at: reset, inMs: reset - date },
    waitMs: requestedWait(head),
    jitter,
  };
}
