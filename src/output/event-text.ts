import type { Event } from '../events.ts';
import { isoTime } from '../text/iso-time.ts';
import { clockTime, timeLeft } from '../text/time.ts';
import type { Look } from './paint.ts';
import { progressLine } from './progress.ts';
import type { Outlet } from './sink.ts';
import { waitLine } from './waiting.ts';

/** How an event looks in colour: what warns is yellow, the rate limit dim. */
export function lookOf(event: Event): Look | undefined {
  if (event.event === 'rate_limit') return 'dim';
  return event.event === 'deprecation' || (event.event === 'notice' && event.isWarning)
    ? 'yellow'
    : undefined;
}

/** An event as a line of text. */
export function eventLine(event: Event, sink: Outlet, now: number): string {
  switch (event.event) {
    case 'rate_limit': {
      const { limit, remaining, resetAt } = event;
      return `rate limit: ${remaining} of ${limit} left, resets in ${timeLeft(resetAt - now)} (${clockTime(resetAt)})`;
    }
    case 'wait':
      return waitLine(event);
    case 'progress':
      return progressLine(event);
    case 'deprecation':
      return `deprecated: ${sink.show(event.operation)} ${removal(event)}`;
    case 'empty':
      return sink.show(event.message);
    case 'notice':
      return `petstore: ${sink.show(event.message)}`;
  }
}

/** From fewer days on it is said how many are left. */
const soon = 30;

function removal({ sunset, daysLeft }: Extract<Event, { event: 'deprecation' }>): string {
  if (sunset === undefined || daysLeft === undefined)
    return 'will be removed; no date is published';
  const date = isoTime(sunset).slice(0, '2026-12-31'.length);
  if (daysLeft < 0) return `was scheduled to be removed on ${date}`;
  if (daysLeft >= soon) return `will be removed on ${date}`;
  return `will be removed on ${date}, in ${daysLeft === 0 ? 'less than a day' : days(daysLeft)}`;
}

function days(count: number): string {
  return count === 1 ? '1 day' : `${count} days`;
}
