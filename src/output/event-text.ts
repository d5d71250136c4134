import type { Failure } from '../errors.ts';
import type { Event, Progress, Wait } from '../events.ts';
import { escapeJson } from '../json/safe-text.ts';
import { clockTime, countOf, duration, formatCount, isoTime } from '../time.ts';
import type { Style } from './sink.ts';

const timeFields = new Set(['resetAt', 'sunset']);
/** Only text has these, in its own form. */
const textFields = new Set(['why', 'next', 'isWarning', 'lines', 'over']);

/** Writes an event, or a failure as one, as the line that scripts read. Only texts and the names of header fields are redacted, never its own names and numbers. */
export function eventJson(
  event: Event | ReturnType<typeof failureEvent>,
  redact: (text: string) => string,
): string {
  const json = JSON.stringify(event, (name, value) => {
    if (textFields.has(name)) return undefined;
    if (typeof value === 'string') return redact(value);
    if (name === 'headers') return withNames(value, redact);
    if (typeof value !== 'number') return value;
    // A wait that only another process can end has no end.
    if (!Number.isFinite(value)) return undefined;
    return timeFields.has(name) ? isoTime(value) : Math.ceil(value);
  });
  return escapeJson(json);
}

function withNames(headers: object, redact: (name: string) => string): object {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [redact(name), value]));
}

export function failureEvent({ kind, message, details, exitCode }: Failure) {
  const { faults, hint, outcome, service, retryAfter, resetAt } = details;
  return {
    event: 'error',
    kind,
    message: service?.message ?? message,
    faults,
    hint,
    outcome,
    code: service?.code,
    status: service?.status,
    retryAfter,
    resetAt,
    exitCode,
  };
}

export function chooseStyle(event: Event): Style | undefined {
  if (event.event === 'rate_limit') return 'dim';
  const isWarning = event.event === 'notice' && event.isWarning;
  return event.event === 'deprecation' || isWarning ? 'yellow' : undefined;
}

export function eventText(event: Event, now: number): string {
  switch (event.event) {
    case 'rate_limit': {
      const { limit, remaining, resetAt } = event;
      return `rate limit: ${remaining} of ${limit} left, resets in ${duration(resetAt - now)} (${clockTime(resetAt)})`;
    }
    case 'wait':
      return `petstore: ${waitText(event)}`;
    case 'progress':
      return `petstore: ${progressText(event)}`;
    case 'deprecation':
      return `deprecated: ${event.operation} ${removalText(event.sunset, event.daysLeft)}`;
    case 'notice':
      return `petstore: ${event.message}`;
  }
}

export function waitText({ why, next, resetAt, waitMs, left }: Wait): string {
  const rows = left === undefined ? '' : `; ${countOf(left, 'row')} left`;
  if (resetAt === undefined) return [why, next].filter(Boolean).join(', ') + rows;
  // On a narrow terminal the end of the line is cut.
  return `${next} in ${duration(waitMs)} (${clockTime(resetAt)}): ${why}${rows}`;
}

export function progressText({ leftMs, ...progress }: Progress): string {
  const time = leftMs === undefined ? '' : `, about ${duration(leftMs)} left`;
  return `${rowsText(progress)} rows${time}`;
}

export function rowsText({ done, total }: Pick<Progress, 'done' | 'total'>): string {
  return `${formatCount(done)} of ${formatCount(total)}`;
}

function removalText(sunset: number | null, daysLeft = Number.POSITIVE_INFINITY): string {
  if (sunset === null) return 'will be removed; no date is published';
  const date = isoTime(sunset).slice(0, '2026-11-20'.length);
  if (daysLeft < 0) return `was scheduled to be removed on ${date}`;
  if (daysLeft >= 30) return `will be removed on ${date}`;
  return `will be removed on ${date}, in ${daysLeft === 0 ? 'less than a day' : countOf(daysLeft, 'day')}`;
}
