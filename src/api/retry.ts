import type { Context } from '../context.ts';
import { Failure, Interruption, interruptedFailure } from '../errors.ts';
import type { Report, Wait } from '../events.ts';
import {
  type ApiRequest,
  type ApiResponse,
  isWrite,
  type SendRequest,
  TransportError,
} from './exchange.ts';
import { requestedWait } from './limits.ts';
import { readServiceError } from './outcome.ts';

const maxRetries = 3;
const maxPauseMs = 20_000;
const firstPauseMs = 500;

/**
 * Sends a request again where that is safe: a read after a network error or a 5xx, and any request that was not sent or was
 * refused with 429. A write that may have been carried out is never sent again. The wait after a 429 or a 503 with Retry-After
 * concerns all requests with the key, so the rate limiter keeps it.
 */
export function retry(send: SendRequest, context: Context, report: Report): SendRequest {
  return async (request) => {
    let refused: ApiResponse | undefined;
    for (let retries = 0; ; retries += 1) {
      const result = await attempt({ ...request, attempt: retries + 1 });
      if (retries === maxRetries || !mayRepeat(request, result)) return responseOf(result);
      refused = result instanceof Error ? undefined : result;
      const isShared = refused !== undefined && isForAll(refused);
      const requestedMs = isShared ? 0 : (refused?.limits.retryAfter ?? 0);
      if (context.uptime() + requestedMs > request.wait.until && requestedMs > 0) {
        return responseOf(result);
      }
      // Full jitter, so that processes that failed together do not come back together.
      const pauseMs = context.random() * Math.min(maxPauseMs, firstPauseMs * 2 ** retries);
      const ms = isShared ? 0 : Math.max(requestedMs, pauseMs);
      const { signal = context.signal } = request;
      await pause(context, ms, unavailable, { report, signal });
    }

    async function attempt(request: ApiRequest): Promise<ApiResponse | TransportError> {
      try {
        return await send(request);
      } catch (error) {
        if (error instanceof TransportError) return error;
        throw refused && isForAll(refused) ? stillRefused(error, request, refused) : error;
      }
    }
  };

  /** Says of whatever ended the wait for another attempt that the service has refused the one before. */
  function stillRefused(error: unknown, { method }: ApiRequest, response: ApiResponse): unknown {
    const service = readServiceError(response);
    const consequence = `The service responded with ${response.status}; nothing has been sent since.`;
    if (error instanceof Interruption) {
      const outcome = isWrite(method) ? { outcome: 'refused' as const, consequence } : {};
      return interruptedFailure(context.signal, { ...outcome, service });
    }
    if (!(error instanceof Failure) || error.kind !== 'rate_limited') return error;
    return error.with({ outcome: 'refused', consequence, service });
  }
}

const unavailable = {
  reason: 'unavailable',
  why: 'the service is unavailable',
  next: 'next request',
} as const;

function mayRepeat({ method }: ApiRequest, result: ApiResponse | TransportError): boolean {
  if (result instanceof TransportError) {
    return result.details.again === true && (!isWrite(method) || !result.sent);
  }
  if (result.status === 429) return true;
  return !isWrite(method) && (result.status >= 500 || result.status === 408);
}

function isForAll(response: ApiResponse): boolean {
  return response.status === 429 || requestedWait(response) !== undefined;
}

function responseOf(result: ApiResponse | TransportError): ApiResponse {
  if (result instanceof TransportError) throw result;
  return result;
}

/** A wait is shown anew at least this often. */
const maxSleepMs = 1_000;
/** If the wall clock moves by more than this, the end of the wait is reported anew. */
const maxClockDriftMs = 1_000;

/** Sleeps and reports it as a wait. Setting the clock makes it neither shorter nor longer. Rejects with the signal's reason. */
export async function pause(
  { now, uptime, sleep }: Pick<Context, 'now' | 'uptime' | 'sleep'>,
  ms: number,
  words: Pick<Wait, 'reason' | 'why' | 'next' | 'count'>,
  { report, signal }: { readonly report: Report; readonly signal: AbortSignal },
): Promise<void> {
  const by = Symbol(words.reason);
  const end = uptime() + ms;
  let resetAt = now() + ms;
  const show = (waitMs: number) => {
    if (Math.abs(now() + waitMs - resetAt) > maxClockDriftMs) resetAt = now() + waitMs;
    report({ event: 'wait', by, resetAt, waitMs, ...words });
  };
  try {
    for (let left = ms; left > 0; left = end - uptime()) {
      show(left);
      await sleep(Math.min(left, maxSleepMs), signal);
    }
  } finally {
    show(0);
  }
}
