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
const longestWait = 366 * 24 * hour;

/**
 * Reads X-RateLimit-Limit, -Remaining and -Reset of an answer received at `receivedAt` (ms).
 * Undefined unless all three make sense; a wrong clock on either side is evened out by the Date header.
 */
export function readRateLimit(headers: WireHeaders, receivedAt: number): RateLimit | undefined {
  const limit = wholeNumber(headers, 'x-ratelimit-limit');
  const remaining = wholeNumber(headers, 'x-ratelimit-remaining');
  const reset = wholeNumber(headers, 'x-ratelimit-reset');
  if (limit === undefined || limit === 0 || remaining === undefined) return undefined;
  if (reset === undefined) return undefined;
  const untilReset = msUntilReset(reset, serverNow(headers, receivedAt));
  if (untilReset === undefined) return undefined;
  return { limit, remaining: Math.min(remaining, limit), resetAt: receivedAt + untilReset };
}

/** The unit is told by the size: delta seconds, seconds, milliseconds or microseconds since 1970. */
function msUntilReset(reset: number, now: number): number | undefined {
  const wait =
    reset < 1e8
      ? reset * second
      : reset < 1e11
        ? reset * second - now
        : reset < 1e14
          ? reset - now
          : reset / 1_000 - now;
  return wait >= oldestReset && wait <= farthestReset ? Math.max(0, wait) : undefined;
}

/**
 * Milliseconds that Retry-After asks to wait (RFC 9110, section 10.2.3), counted from `receivedAt`; at least a second.
 * Undefined when the field is absent or says nothing usable. Of several values the longest counts.
 */
export function readRetryAfter(headers: WireHeaders, receivedAt: number): number | undefined {
  const waits = headerValues(headers, 'retry-after')
    .map((value) => retryAfterWait(value.trim(), serverNow(headers, receivedAt)))
    .filter((wait) => wait !== undefined);
  return waits.length > 0 ? Math.min(Math.max(second, ...waits), longestWait) : undefined;
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
function serverNow(headers: WireHeaders, receivedAt: number): number {
  const [value = ''] = headerValues(headers, 'date');
  const date = parseHttpDate(value, receivedAt) ?? receivedAt;
  const agrees = receivedAt >= date && receivedAt < date + second;
  return agrees ? receivedAt : date;
}

function wholeNumber(headers: WireHeaders, name: string): number | undefined {
  const [value = ''] = headerValues(headers, name);
  return /^\d{1,17}$/.test(value.trim()) ? Number(value) : undefined;
}
