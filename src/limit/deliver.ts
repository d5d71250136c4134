import type { Context } from '../context.ts';
import { Failure, withDetails } from '../errors.ts';
import {
  type ApiRequest,
  type ApiResponse,
  isWrite,
  type ResponseHead,
  type SendRequest,
  TransportError,
} from '../request/exchange.ts';
import { isLimited, requestedWait } from '../request/limit-headers.ts';
import { describeBan, refusedBefore } from '../request/service-error.ts';
import { pause } from '../request/wait.ts';
import { resetMarginMs } from './decide.ts';
import type { ResponseEnd } from './learn.ts';
import { createSlots, type SharedLimit, type Slot } from './slots.ts';

const maxRetries = 3;
const maxPauseMs = 20_000;
const firstPauseMs = 500;

const unavailable = {
  reason: 'unavailable',
  why: 'the service is unavailable',
  next: 'next request',
} as const;

/** Sends a request until it is done, each attempt in a slot of its own. A write that may have been carried out is never sent again. */
export function deliver(sendOnce: SendRequest, context: Context, shared: SharedLimit): SendRequest {
  const slots = createSlots(context, shared);
  return async (request) => {
    const { signal = context.signal, onRefusal } = request;
    let { waitUntil } = request;
    let attempt = 1;
    let failures = 0;
    for (;;) {
      const slot = await slots.take({ ...request, waitUntil });
      waitUntil += slot.queuedMs;
      const result = await sendInSlot(sendOnce, { ...request, attempt }, slot, shared, context);
      slots.goOn();
      if (result === 'withdrawn') continue;

      const response = result instanceof TransportError ? undefined : result;
      // The limit keeps the wait after a 429 or a 503 with Retry-After, because it concerns all requests with the key.
      const isRefusal = response !== undefined && isForAll(response);
      if (!(result instanceof TransportError) || result.sent) {
        onRefusal?.(isRefusal ? response : undefined);
      }
      // How long it may wait for the limit is all that bounds a 429.
      const isLimit = response !== undefined && isLimited(response);
      if (!isLimit) failures += 1;
      const requestedMs = isRefusal ? 0 : (response?.limits.retryAfter ?? 0);
      const isTooLong = requestedMs > 0 && context.uptime() + requestedMs > waitUntil;
      if (failures > maxRetries || !canRepeat(request, result) || isTooLong) {
        if (response) return response;
        throw attempt > 1 ? afterTries(result as TransportError, attempt) : result;
      }
      if (!isRefusal) {
        const pauseMs = context.random() * Math.min(maxPauseMs, firstPauseMs * 2 ** (failures - 1));
        const { report } = shared;
        await pause(context, Math.max(requestedMs, pauseMs), unavailable, { report, signal });
      }
      attempt += 1;
    }
  };
}

function afterTries({ message, sent, details }: TransportError, tries: number): TransportError {
  const { hint = 'Run: petstore doctor --check' } = details;
  return new TransportError(`${message} after ${tries} tries`, sent, { ...details, hint });
}

function canRepeat({ method }: ApiRequest, result: ApiResponse | TransportError): boolean {
  if (result instanceof TransportError) {
    return result.details.canRetry === true && (!isWrite(method) || !result.sent);
  }
  if (isLimited(result)) return true;
  return !isWrite(method) && (result.status >= 500 || result.status === 408);
}

function isForAll(response: ApiResponse): boolean {
  return isLimited(response) || requestedWait(response) !== undefined;
}

/** Withdrawn: the permit ran out or a wait came into force while the request connected, so nothing was sent. */
async function sendInSlot(
  sendOnce: SendRequest,
  request: ApiRequest,
  slot: Slot,
  { limitOfPlan }: SharedLimit,
  { random }: Context,
): Promise<ApiResponse | TransportError | 'withdrawn'> {
  let isWithdrawn = false;
  let ended: Promise<void> | undefined;
  const lastCheck = async () => {
    const isGranted = await slot.isStillGranted().catch((error) => {
      // The next slot waits for a store that is away.
      if (error instanceof Failure && error.details.isAway) return false;
      throw error;
    });
    isWithdrawn = !isGranted;
    if (isWithdrawn) throw new TransportError('the permit was withdrawn', false);
  };
  // The head says all about the limit, and the body may take long.
  const onHead = (head: ResponseHead) => {
    ended = slot.end({ ...readEnd(head, random()), limitOfPlan });
    ended.catch(() => {});
  };
  try {
    await request.beforeSending?.();
    const response = await sendOnce({ ...request, lastCheck, onHead });
    try {
      await ended;
      // Only the body tells of a ban.
      if (isLimited(response) && describeBan(response.refusal)) await slot.noteBan();
    } catch (error) {
      // A success stands, although nobody will know what it said about the limit.
      if (isForAll(response))
        throw withDetails(
          error,
          refusedBefore({ method: request.method, path: request.url.pathname }, response),
        );
    }
    return response;
  } catch (error) {
    const isTransport = error instanceof TransportError;
    const isLost = isTransport && error.sent;
    await (ended ?? slot.end({ kind: isLost ? 'lost' : 'unsent' })).catch(() => {});
    if (isWithdrawn) return 'withdrawn';
    if (isTransport) return error;
    throw error;
  }
}

function readEnd(head: ResponseHead, jitter: number): ResponseEnd {
  const { status, limits, receivedAt } = head;
  const { limit, remaining, reset, date = receivedAt } = limits.limit;
  const isOver = reset === undefined || reset <= date - resetMarginMs;
  return {
    kind: 'response',
    status: isLimited(head) ? 429 : status,
    limit,
    remaining,
    reset: isOver ? undefined : { at: reset, inMs: reset - date },
    waitMs: requestedWait(head),
    jitter,
  };
}
