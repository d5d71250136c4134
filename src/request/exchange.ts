import type { WireHeaders } from '../context.ts';
import type { FailureKind, ServiceError } from '../errors.ts';

export const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof methods)[number];

export function isWrite(method: Method): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** Callbacks around the rate limiter. Each attempt goes through it again. */
export type RateLimitHooks = {
  /** Awaited when the limit lets the request through. If it rejects, nothing is sent, and the call ends with its error. */
  readonly beforeSending?: (() => void | Promise<void>) | undefined;
  /** Called when the limit postpones the request by so long, and again while it does; not while it waits for requests in flight. */
  readonly onWait?: ((waitMs: number) => void) | undefined;
  /** Ends the wait for a permit, in place of the run's own signal. A request that has left goes on. */
  readonly signal?: AbortSignal | undefined;
};

export type ApiRequest = RateLimitHooks & {
  readonly method: Method;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly maxBytes: number;
  readonly streamAboveBytes?: number | undefined;
  readonly lastCheck?: (() => Promise<void>) | undefined;
  /** Called when the head of the response has arrived; the body may take much longer. */
  readonly onHead?: ((head: ResponseHead) => void) | undefined;
  readonly attempt?: number;
  /** The request may wait for the rate limit until this moment of the context's `uptime`, in ms. */
  readonly waitUntil: number;
  /** Called with a response that asks everybody to wait before another attempt, and with undefined once that has been sent. */
  readonly onRefusal?: ((response: ApiResponse | undefined) => void) | undefined;
};

export type RateLimit = {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: number;
};

/** The limit headers of a response (interface document, section 8), in ms; undefined if they make no sense. */
export type LimitReading = {
  /** Each header by itself. `date` and `reset` are times of the service's clock. */
  readonly limit: {
    readonly date?: number | undefined;
    readonly limit?: number | undefined;
    readonly remaining?: number | undefined;
    readonly reset?: number | undefined;
  };
  readonly rateLimit: RateLimit | undefined;
  readonly retryAfter: number | undefined;
};

export type ResponseHead = {
  readonly status: number;
  readonly headers: WireHeaders;
  readonly limits: LimitReading;
  /** When the head arrived; of a whole response, when its last byte did. */
  readonly receivedAt: number;
};

/** A response whose last byte has arrived, unless it has a `stream`. */
export type ApiResponse = ResponseHead & {
  readonly bytes: Uint8Array;
  /** True of a refusal whose body was not read to its end. */
  readonly isCut?: boolean;
  /** The reason of a refusal, redacted. */
  readonly refusal?: ServiceError;
  readonly stream?: AsyncIterable<Uint8Array> | undefined;
  /** Drops the connection of a stream that nobody reads. */
  readonly cancel?: (() => void) | undefined;
};

export type SendRequest = (request: ApiRequest) => Promise<ApiResponse>;

/** An attempt without a complete response. `sent` is true if the service may have seen the request. */
export class TransportError extends Error {
  constructor(
    message: string,
    readonly sent: boolean,
    readonly details: {
      readonly kind?: FailureKind | undefined;
      readonly hint?: string | undefined;
      readonly canRetry?: boolean | undefined;
      readonly isAway?: boolean | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: details.cause });
  }
}

export function headerValues(headers: WireHeaders, name: string): readonly string[] {
  const value = headers[name];
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}
