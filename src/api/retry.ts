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
    // The last response, if it asked everybody to wait and nothing has been sent since.
    let refused: ApiResponse | undefined;
    for (let retries = 0; ; retries += 1) {
      const attempt = { ...request, attempt: retries + 1, waitUntil, onQueued };
      const result = await send(attempt).catch((error: unknown) => {
        const explained = refused ? stillRefused(error, request, refused, context.signal) : error;
        if (explained instanceof TransportError) return explained;
        throw explained;
      });
      if (retries === maxRetries || !canRepeat(request, result)) return responseOf(result);
      if (!(result instanceof Error) && isForAll(result)) {
        refused = result;
        continue;
      }
      if (!(result instanceof Error) || result.sent) refused = undefined;
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

/** Adds to what ended another attempt, with nothing sent, that the service has refused the one before. */
function stillRefused(
  error: unknown,
  { method }: ApiRequest,
  refused: ApiResponse,
  signal: AbortSignal,
): unknown {
  const service = readServiceError(refused);
  const consequence = `The service responded with ${refused.status}; nothing has been sent since.`;
  const details = { outcome: 'refused', consequence, service } as const;
  if (error instanceof Interruption) {
    return interruptedFailure(signal, isWrite(method) ? details : { service });
  }
  if (error instanceof TransportError && !error.sent && isWrite(method)) {
    return new TransportError(error.message, false, { ...error.details, refusal: details });
  }
  return error instanceof Failure && error.kind === 'rate_limited' ? error.with(details) : error;
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
