import type { Context } from '../context.ts';
import type { Report, Wait } from '../events.ts';
import {
  type ApiRequest,
  type ApiResponse,
  isWrite,
  type SendRequest,
  TransportError,
} from './exchange.ts';
import { requestedWait } from './limits.ts';

const maxRetries = 3;
const maxPauseMs = 20_000;
const firstPauseMs = 500;

const unavailable = {
  reason: 'unavailable',
  why: 'the service is unavailable',
  next: 'next request',
} as const;

/**
 * Sends a request again where that is safe. A write that may have been carried out is never sent again. The wait after a 429 or
 * a 503 with Retry-After concerns all requests with the key, so the rate limiter keeps it.
 */
export function retry(send: SendRequest, context: Context, report: Report): SendRequest {
  return async (request) => {
    let { waitUntil } = request;
    const onQueued = (ms: number) => {
      waitUntil += ms;
    };
    for (let retries = 0; ; retries += 1) {
      const attempt = { ...request, attempt: retries + 1, waitUntil, onQueued };
      const result = await send(attempt).catch((error: unknown) => {
        if (error instanceof TransportError) return error;
        throw error;
      });
      const isRefusal = !(result instanceof Error) && isForAll(result);
      if (isRefusal) request.onRefusal?.(result);
      else if (!(result instanceof Error) || result.sent) request.onRefusal?.(undefined);
      if (retries === maxRetries || !canRepeat(request, result)) return responseOf(result);
      if (isRefusal) continue;
      const requestedMs = result instanceof Error ? 0 : (result.limits.retryAfter ?? 0);
      if (requestedMs > 0 && context.uptime() + requestedMs > waitUntil) {
        return responseOf(result);
      }
      const pauseMs = context.random() * Math.min(maxPauseMs, firstPauseMs * 2 ** retries);
      const { signal = context.signal } = request;
      await pause(context, Math.max(requestedMs, pauseMs), unavailable, { report, signal });
    }
  };
}

function canRepeat({ method }: ApiRequest, result: ApiResponse | TransportError): boolean {
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
    for (let remaining = ms; remaining > 0; remaining = end - uptime()) {
      show(remaining);
      await sleep(Math.min(remaining, maxSleepMs), signal);
    }
  } finally {
    show(0);
  }
}
