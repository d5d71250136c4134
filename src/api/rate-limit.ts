import type { WireHeaders } from '../context.ts';
import { headerValues } from './exchange.ts';
import { parseHttpDate } from './http-date.ts';

/** What the headers of an answer say about the limit (interface document, section 8). */
export type RateLimit = {
  readonly limit: number;
  readonly remaining: number;
  /** When the limit resets, in ms of this machine's clock. */
  readonly resetAt: number;
};

const second = 1_000;
const hour = 3_600 * second;
/** A day's limit resets at most a day from now, and clocks are read to the second. */
const farthestReset = 25 * hour;
const oldestReset = -5 * second;
/** Longer ones are told as this, so that the moment they name can still be shown. */
export const longestWait = 366 * 24 * hour;

/** What is shown of a header that makes no sense, in characters. */
const longestShown = 40;

/** The headers one by one, each left out when it makes no sense; `date` and `reset` are ms of the service's clock. */
export type LimitHeaders = {
  readonly date?: number;
  readonly limit?: number;
  readonly remaining?: number;
  readonly reset?: number;
};

/** Reads Date, X-RateLimit-Limit, -Remaining and -Reset of an answer received at `receivedAt` (ms). */
export function readLimit(headers: WireHeaders, receivedAt: number): LimitHeaders {
  const date = readDate(headers, receivedAt);
  const limit = wholeNumber(headers, 'x-ratelimit-limit') || undefined;
  const remaining = wholeNumber(headers, 'x-ratelimit-remaining');
  const reset = toServerTime(
    wholeNumber(headers, 'x-ratelimit-reset'),
    serverNow(date, receivedAt),
  );
  return {
    ...(date !== undefined && { date }),
    ...(limit !== undefined && { limit }),
    ...(remaining !== undefined && { remaining: Math.min(remaining, limit ?? remaining) }),
    ...(reset !== undefined && { reset }),
  };
}

/** The same by this machine's clock, or undefined unless all of it makes sense. */
export function readRateLimit(headers: WireHeaders, receivedAt: number): RateLimit | undefined {
  const { date, limit, remaining, reset } = readLimit(headers, receivedAt);
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined;
  const untilReset = Math.max(0, reset - serverNow(date, receivedAt));
  return { limit, remaining, resetAt: receivedAt + untilReset };
}

const limitNames = {
  limit: 'X-RateLimit-Limit',
  remaining: 'X-RateLimit-Remaining',
  reset: 'X-RateLimit-Reset',
} as const;

/** Those of the three headers that an answer lacks, or that make no sense: "X-RateLimit-Reset (\"soon\")". */
export function unusableLimit(headers: WireHeaders, receivedAt: number): readonly string[] {
  const read = readLimit(headers, receivedAt);
  return (Object.keys(limitNames) as (keyof typeof limitNames)[])
    .filter((field) => read[field] === undefined)
    .map((field) => {
      const name = limitNames[field];
      const [value] = headerValues(headers, name.toLowerCase());
      return `${name} (${value === undefined ? 'missing' : `"${value.slice(0, longestShown)}"`})`;
    });
}

/** The unit is told by the size: delta seconds, or seconds, milliseconds or microseconds since 1970. */
function toServerTime(reset: number | undefined, now: number): number | undefined {
  if (reset === undefined) return undefined;
  const time =
    reset < 1e8
      ? now + reset * second
      : reset < 1e11
        ? reset * second
        : reset < 1e14
          ? reset
          : reset / 1_000;
  const wait = time - now;
  return wait >= oldestReset && wait <= farthestReset ? time : undefined;
}

/**
 * Milliseconds that Retry-After asks to wait (RFC 9110, section 10.2.3), counted from `receivedAt`; at least a second.
 * Undefined when the field is absent or says nothing usable. Of several values the longest counts.
 */
export function readRetryAfter(headers: WireHeaders, receivedAt: number): number | undefined {
  const now = serverNow(readDate(headers, receivedAt), receivedAt);
  const waits = headerValues(headers, 'retry-after')
    .map((value) => retryAfterWait(value.trim(), now))
    .filter((wait) => wait !== undefined);
  return waits.length > 0 ? Math.min(Math.max(second, ...waits), longestWait) : undefined;
}

/** The wait that an answer tells to all requests with the key, as readRetryAfter: that of a 429, or of a service not available. */
export function readRequestedWait(
  status: number,
  headers: WireHeaders,
  receivedAt: number,
): number | undefined {
  return status === 429 || status === 503 ? readRetryAfter(headers, receivedAt) : undefined;
}

function retryAfterWait(value: string, now: number): number | undefined {
  if (/^\d+(?:\.\d+)?$/.test(value)) return Math.ceil(Number(value)) * second;
  // Two fields that a proxy folded into one.
  if (/^\d+(?:\s*,\s*\d+)+$/.test(value)) return Math.max(...value.split(',').map(Number)) * second;
  const date = parseHttpDate(value, now);
  return date === undefined ? undefined : Math.max(0, date - now);
}

/**
 * The service's own clock, so that neither a date nor a reset is measured against ours: ours where it agrees with the
 * Date header, which tells whole seconds, and the header where the two differ.
 */
function serverNow(sent: number | undefined, receivedAt: number): number {
  const date = sent ?? receivedAt;
  const agrees = receivedAt >= date && receivedAt < date + second;
  return agrees ? receivedAt : date;
}

function readDate(headers: WireHeaders, receivedAt: number): number | undefined {
  const [value = ''] = headerValues(headers, 'date');
  return parseHttpDate(value, receivedAt);
}

function wholeNumber(headers: WireHeaders, name: string): number | undefined {
  const [value = ''] = headerValues(headers, name);
  return /^\d{1,17}$/.test(value.trim()) ? Number(value) : undefined;
}
