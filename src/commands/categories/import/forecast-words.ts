import {
  type Allowance,
  type Allowances,
  type Forecast,
  forecast,
  mayTakeDays,
} from '../../../import/forecast.ts';
import { exact, type JsonObject } from '../../../json/json.ts';
import { planAfter } from '../../../settings/values.ts';
import { duration, formatCount, isoTime } from '../../../time.ts';
import type { KnownLimit } from './known-limit.ts';

/** The same number of requests on the next larger plan. */
type NextPlan = { readonly plan: string; readonly forecast: Forecast };

/** "2,441 requests: about 16m today and 2 more days on Free, done by 2026-11-22T15:12Z", and what others take of it. */
export function forecastInWords(forecast: Forecast, limit: KnownLimit): string {
  const { requests, todayMs, moreDays } = forecast;
  const { plan, minute, profileFlag } = limit;
  const needed = count(requests, 'request');
  if (todayMs === undefined) return `${needed}; the rate limit is unknown`;
  const time = timeInWords(forecast);
  const pace = plan ? `on ${plan.name}` : `at ${formatCount(minute?.limit ?? 0)} per minute`;
  const advice =
    moreDays === undefined && mayTakeDays(requests)
      ? `; the daily limit is unknown (petstore config set plan free${profileFlag})`
      : '';
  const done = moreDays ? doneBy(forecast, limit) : '';
  return `${needed}: ${time} ${pace}${done}${othersInWords(limit)}${advice}`;
}

/** What the next plan would make of it, in words; undefined where none is known, or today is enough. */
export function nextPlanInWords(forecast: Forecast, limit: KnownLimit): string | undefined {
  const next = onNextPlan(forecast, limit);
  return next && `on ${next.plan}: ${timeInWords(next.forecast)}`;
}

/** The forecast as fields of a result. */
export function forecastFields(forecast: Forecast, limit: KnownLimit): JsonObject {
  const next = onNextPlan(forecast, limit);
  const at = doneAt(forecast, limit);
  return {
    plan: limit.plan?.name ?? null,
    ...timeFields(forecast),
    doneAt: at === undefined ? null : isoTime(at),
    nextPlan: next ? { plan: next.plan, ...timeFields(next.forecast) } : null,
  };
}

/** With fresh windows; what others take, they take on any plan. */
function onNextPlan(
  { requests, moreDays = 0 }: Forecast,
  { plan, minute, day }: KnownLimit,
): NextPlan | undefined {
  const next = plan && moreDays > 0 ? planAfter(plan) : undefined;
  if (!next) return undefined;
  const fresh = (limit: number, others = 0) => ({ limit, others, left: limit - others });
  const windows = {
    minute: fresh(next.quotas.minute, minute?.others),
    day: fresh(next.quotas.day, day?.others),
  };
  return { plan: next.name, forecast: forecast(requests, windows) };
}

/** Returns when the last request is done, in whole seconds, in ms since 1970. */
function doneAt({ doneMs }: Forecast, { at: now }: KnownLimit): number | undefined {
  return doneMs === undefined ? undefined : Math.ceil((now + doneMs) / 1_000) * 1_000;
}

/** Rounds up to the next minute, so that it is never too early. */
function doneBy(forecast: Forecast, limit: KnownLimit): string {
  const at = doneAt(forecast, limit);
  return at === undefined ? '' : `, done by ${isoTime(at + 59_000).slice(0, 16)}Z`;
}

function timeInWords({ today, todayMs = 0, moreDays }: Forecast): string {
  const time = todayMs === 0 ? 'less than a minute' : `about ${duration(todayMs)}`;
  if (!moreDays) return time;
  const more = count(moreDays, 'more day');
  return today === 0 ? `nothing left today, ${more}` : `${time} today and ${more}`;
}

function othersInWords({ minute, day }: Allowances): string {
  const parts = [othersOf(minute, 'minute'), othersOf(day, 'day')].filter(Boolean);
  return parts.length > 0 ? `; others use about ${parts.join(' and ')}` : '';
}

function othersOf(window: Allowance | undefined, name: string): string | undefined {
  return window?.others ? `${formatCount(window.others)} per ${name}` : undefined;
}

function timeFields({ todayMs, moreDays }: Forecast): JsonObject {
  return { todayMs: known(todayMs), moreDays: known(moreDays) };
}

function known(value: number | undefined) {
  return value === undefined ? null : exact(value);
}

function count(amount: number, what: string): string {
  return `${formatCount(amount)} ${what}${amount === 1 ? '' : 's'}`;
}
