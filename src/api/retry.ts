import type { Context } from '../context.ts';
import { Failure, Interruption, interruptedFailure } from '../errors.ts';
import type { Report } from '../events.ts';
import { type Answer, type ApiRequest, type Exchange, Undelivered } from './exchange.ts';
import { mayChange } from './method.ts';
import { pause } from './pause.ts';
import { requestedWait } from './rate-limit.ts';
import { readServiceError } from './service-error.ts';

const maxRetries = 3;
const longestPause = 20_000;
const firstPause = 500;

/**
 * Sends a request again where that is safe: a read after a network fault or a 5xx, any request that surely never
 * left or that was refused with 429. A write that may have happened is never sent again.
 * The wait after a 429, or told by a 503, is not kept here but by whoever guards the limit, for all requests alike.
 */
export function retry(next: Exchange, context: Context, report: Report): Exchange {
  return async (request) => {
    let refused: Answer | undefined;
    for (let retries = 0; ; retries += 1) {
      const result = await attempt({ ...request, attempt: retries + 1 });
      if (retries === maxRetries || !mayRepeat(request, result)) return finish(result);
      refused = result instanceof Error ? undefined : result;
      const shared = refused !== undefined && isShared(refused);
      const requested = shared ? 0 : (refused?.limits.retryAfter ?? 0);
      if (requested > 0 && context.uptime() + requested > request.wait.until) return finish(result);
      const wait = shared ? 0 : Math.max(requested, jitter(retries));
      const signal = request.signal ?? context.signal;
      await pause(context, wait, unavailable, { report, signal });
    }

    async function attempt(request: ApiRequest): Promise<Answer | Undelivered> {
      try {
        return await next(request);
      } catch (error) {
        if (error instanceof Undelivered) return error;
        throw refused && isShared(refused) ? asRefused(error, request, refused) : error;
      }
    }
  };

  /** Full jitter, so that processes that failed together do not come back together. */
  function jitter(retries: number): number {
    return context.random() * Math.min(longestPause, firstPause * 2 ** retries);
  }

  /** While all wait nothing else became of a request, whatever ended the wait for another try. */
  function asRefused(error: unknown, { method }: ApiRequest, answer: Answer): unknown {
    const service = readServiceError(answer);
    const consequence = `The service responded with ${answer.status}; nothing has been sent since.`;
    if (error instanceof Interruption) {
      const outcome = mayChange(method) ? { outcome: 'refused' as const, consequence } : {};
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

/** Whether all requests with the key wait for the same. */
function isShared(answer: Answer): boolean {
  return answer.status === 429 || requestedWait(answer) !== undefined;
}

function mayRepeat({ method }: ApiRequest, result: Answer | Undelivered): boolean {
  if (result instanceof Undelivered) {
    return result.details.again === true && (!mayChange(method) || !result.sent);
  }
  if (result.status === 429) return true;
  return !mayChange(method) && (result.status >= 500 || result.status === 408);
}

function finish(result: Answer | Undelivered): Answer {
  if (result instanceof Undelivered) throw result;
  return result;
}
