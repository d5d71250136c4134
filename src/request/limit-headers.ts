import type { WireHeaders } from '../context.ts';
import { headerValues, type LimitReading, type ResponseHead } from './exchange.ts';

const secondMs = 1_000;
const hourMs = 3_600 * secondMs;
/** A day's limit resets within 24 hours, and the clocks may differ. */
const maxResetMs = 25 * hourMs;
/** A smaller number is a time in seconds. */
const minDate = 1e8;
const minResetMs = -5 * secondMs;
const unreadableWaitMs = 60 * secondMs;
/** Longer waits are cut to this, so that their end can be shown as a date. */
const maxRetryAfterMs = 366 * 24 * hourMs;

export function readLimits(status: number, headers: WireHeaders, receivedAt: number): LimitReading {
  const date = parseHttpDate(headerValues(headers, 'date')[0] ?? '');
  const now = serviceTime(date, receivedAt);
  const limit = wholeNumber(headers, 'x-ratelimit-limit') || undefined;
  const reported = readRemaining(status, headers);
  const remaining = reported === undefined ? undefined : Math.min(reported, limit ?? reported);
  const reset = serviceMoment(headerValues(headers, 'x-ratelimit-reset')[0], now);
  const isWhole = limit !== undefined && remaining !== undefined && reset !== undefined;
  const resetAt = receivedAt + Math.max(0, (reset ?? now) - now);
  return {
    limit: { date, limit, remaining, reset },
    rateLimit: isWhole ? { limit, remaining, resetAt } : undefined,
    retryAfter: readRetryAfter(headers, now),
  };
}

/** Returns our clock if it agrees with the Date header, which has whole seconds, and otherwise the header. */
function serviceTime(date: number | undefined, receivedAt: number): number {
  if (date === undefined) return receivedAt;
  return receivedAt >= date && receivedAt < date + secondMs ? receivedAt : date;
}

function readRemaining(status: number, headers: WireHeaders): number | undefined {
  const name = 'x-ratelimit-remaining';
  // Who is over the limit may be counted on below zero; elsewhere -1 may say that there is no limit.
  const isBelowZero = status === 429 && /^\s*-\d/.test(headerValues(headers, name)[0] ?? '');
  return isBelowZero ? 0 : wholeNumber(headers, name);
}

function wholeNumber(headers: WireHeaders, name: string): number | undefined {
  const [value = ''] = headerValues(headers, name);
  return /^\d{1,17}$/.test(value.trim()) ? Number(value) : undefined;
}

/** Some limiters send fractions of a second (koa-ratelimit). */
function decimal(text = ''): number | undefined {
  return /^\d{1,17}(?:\.\d{1,9})?$/.test(text.trim()) ? Number(text) : undefined;
}

/** The size of the number tells its unit: seconds from now, or seconds or milliseconds since 1970. */
function serviceMoment(text: string | undefined, now: number): number | undefined {
  const number = decimal(text);
  if (number === undefined) return undefined;
  let time = now + number * secondMs;
  if (number >= minDate) time = number * secondMs;
  if (number >= 1e11) time = number;
  const wait = time - now;
  return wait >= minResetMs && wait <= maxResetMs ? time : undefined;
}

function readRetryAfter(headers: WireHeaders, now: number): number | undefined {
  const waits = headerValues(headers, 'retry-after')
    .flatMap((value) => (/^[\d.,\s]+$/.test(value) ? value.split(',') : value))
    .map((value) => retryAfterMs(value.trim(), now))
    .filter((wait) => wait !== undefined);
  return waits.length > 0 ? Math.min(Math.max(secondMs, ...waits), maxRetryAfterMs) : undefined;
}

function retryAfterMs(value: string, now: number): number | undefined {
  if (value === '' || /^-\d/.test(value)) return undefined;
  const seconds = decimal(value);
  if (seconds !== undefined && seconds < minDate) return Math.ceil(seconds) * secondMs;
  const date = seconds === undefined ? parseHttpDate(value) : serviceMoment(value, now);
  return date === undefined ? unreadableWaitMs : Math.max(0, date - now);
}

/** Gateways refuse also with a 403 that names a wait: secondary limits, bans. */
export function isLimited({ status, limits }: ResponseHead): boolean {
  return status === 429 || (status === 403 && limits.retryAfter !== undefined);
}

export function requestedWait(head: ResponseHead): number | undefined {
  return isLimited(head) || head.status === 503 ? head.limits.retryAfter : undefined;
}

const httpDate =
  /^[A-Z][a-z]{2}, (?<day>\d{2}) [A-Z][a-z]{2} \d{4} (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d GMT$/;

/** Reads the one form of a date that is sent (RFC 9110, section 5.6.7). `Date.parse` alone takes "tomorrow 5" for a day in 2001. */
export function parseHttpDate(text: string): number | undefined {
  const day = httpDate.exec(text)?.groups?.day;
  const date = new Date(text);
  // 31 February would be 3 March.
  return date.getUTCDate() === Number(day) ? date.getTime() : undefined;
}
