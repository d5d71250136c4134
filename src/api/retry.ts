import type { Context } from '../context.ts';
import { Failure } from '../errors.ts';
import { type Answer, type ApiRequest, type Exchange, Undelivered } from './exchange.ts';
import { readRetryAfter } from './rate-limit.ts';
import { readServiceError } from './service-error.ts';

const maxRetries = 3;
const longestPause = 20_000;
const firstPause = 500;

/**
 * Sends a request again where that is safe: a read after a network fault or a 5xx, any request that surely never
 * left or that was refused with 429. A write that may have happened is never sent again.
 * The wait after a 429 is not kept here but by whoever guards the limit, for all requests alike.
 */
export function retry(next: Exchange, context: Context): Exchange {
  return async (request) => {
    let refused: Answer | undefined;
    for (let retries = 0; ; retries += 1) {
      const result = await attempt(request);
      if (retries === maxRetries || !mayRepeat(request, result)) return finish(result);
      refused = result instanceof Error ? undefined : result;
      const pause = pauseBefore(retries + 1, result);
      if (context.now() + pause > request.waitUntil) return finish(result);
      if (pause > 0) await context.sleep(pause, context.signal);
    }

    async function attempt(request: ApiRequest): Promise<Answer | Undelivered> {
      try {
        return await next(request);
      } catch (error) {
        if (error instanceof Undelivered) return error;
        throw refused?.status === 429 ? asRefused(error, refused) : error;
      }
    }
  };

  /** Full jitter, so that processes that failed together do not come back together; told waits are a floor. */
  function pauseBefore(retry: number, result: Answer | Undelivered): number {
    if (!(result instanceof Error) && result.status === 429) return 0;
    const jitter = context.random() * Math.min(longestPause, firstPause * 2 ** (retry - 1));
    const told =
      result instanceof Error ? undefined : readRetryAfter(result.headers, result.receivedAt);
    return Math.max(jitter, told ?? 0);
  }
}

function mayRepeat({ method }: ApiRequest, result: Answer | Undelivered): boolean {
  if (result instanceof Undelivered) {
    return result.details.again === true && (method === 'GET' || !result.sent);
  }
  if (result.status === 429) return true;
  return method === 'GET' && (result.status >= 500 || result.status === 408);
}

function finish(result: Answer | Undelivered): Answer {
  if (result instanceof Undelivered) throw result;
  return result;
}

/** The guard of the limit gave up on a request that the service had refused before: that is what became of it. */
function asRefused(error: unknown, answer: Answer): unknown {
  if (!(error instanceof Failure) || error.kind !== 'rate_limited') return error;
  const service = readServiceError(answer);
  const consequence = 'The service refused with 429; nothing has been sent since.';
  return new Failure(error.kind, error.message, {
    ...error.details,
    outcome: 'refused',
    consequence,
    service,
  });
}
