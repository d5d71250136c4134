import type { WireHeaders } from '../context.ts';
import { type Head, headerValues, type LimitReading } from './exchange.ts';
import { parseHttpDate } from './http-date.ts';

const second = 1_000;
const hour = 3_600 * second;
/** A day's limit resets at most a day from now, and clocks are read to the second. */
const farthestReset = 25 * hour;
const oldestReset = -5 * second;
/** Longer ones are told as this, so that the moment they name can still be shown. */
export const longestWait = 366 * 24 * hour;

/** What is shown of a header that makes no sense, in characters. */
const longestShown = 40;

/** Reads what the headers of an answer that came at `receivedAt` (ms) say about the limit. */
export function readLimits(headers: WireHeaders, receivedAt: number): LimitReading {
  const [value = ''] = headerValues(headers, 'date');
  const date = parseHttpDate(value, receivedAt);
  const now = serverNow(date, receivedAt);
  const limit = wholeNumber(headers, 'x-ratelimit-limit') || undefined;
  const most = limit ?? Number.POSITIVE_INFINITY;
  const left = wholeNumber(headers, 'x-ratelimit-remaining');
  const remaining = left === undefined ? undefined : Math.min(left, most);
  const reset = toServerTime(wholeNumber(headers, 'x-ratelimit-reset'), now);
  return {
    limit: { date, limit, remaining, reset },
    rateLimit:
      limit === undefined || remaining === undefined || reset === undefined
        ? undefined
        : { limit, remaining, resetAt: receivedAt + Math.max(0, reset - now) },
    retryAfter: readRetryAfter(headers, now),
  };
}

const limitNames = {
  limit: 'X-RateLimit-Limit',
  remaining: 'X-RateLimit-Remaining',
  reset: 'X-RateLimit-Reset',
} as const;

/** Those of the three headers that an answer lacks, or that make no sense: "X-RateLimit-Reset (\"soon\")". */
export function unusableLimit(
  headers: WireHeaders,
  { limit: read }: LimitReading,
): readonly string[] {
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

/** Of several values the longest counts. */
function readRetryAfter(headers: WireHeaders, now: number): number | undefined {
  const waits = headerValues(headers, 'retry-after')
    .map((value) => retryAfterWait(value.trim(), now))
    .filter((wait) => wait !== undefined);
  return waits.length > 0 ? Math.min(Math.max(second, ...waits), longestWait) : undefined;
}

/** The wait, in ms, that an answer tells to all requests with the key: that of a 429, or of a service not available. */
export function requestedWait({
  status,
  limits,
}: Pick<Head, 'status' | 'limits'>): number | undefined {
  return status === 429 || status === 503 ? limits.retryAfter : undefined;
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

function wholeNumber(headers: WireHeaders, name: string): number | undefined {
  const [value = ''] = headerValues(headers, name);
  return /^\d{1,17}$/.test(value.trim()) ? Number(value) : undefined;
}
