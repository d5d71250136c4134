import { resetMarginMs } from '../../limit/decide.ts';
import { readStatus, type WindowStatus } from '../../limit/status.ts';
import { plans, windowMs } from '../../plans.ts';
import type { Session } from '../../session/session.ts';
import { profileFlag } from '../../session/settings.ts';
import { countOf, duration, formatCount } from '../../time.ts';

type Allowance = { readonly limit: number; readonly left: number; readonly resetMs: number };

type KnownLimit = {
  /** The plan whose limit it is, where no response has told one. */
  readonly plan: string | undefined;
  readonly minute: Allowance;
  readonly day: Allowance | undefined;
};

export type Forecast = {
  readonly requests: number;
  readonly ms: number;
  readonly limit: KnownLimit;
};

/** The smallest plan allows 1,000 requests per day: fewer, and some earlier ones, fit into one day on any plan. */
const maxOnAnyDay = 900;

/** Predicts an import: a request for each row, and a list before and after them. `made` requests were sent already. */
export async function forecastImport(
  session: Session,
  toCreate: number,
  made: number,
): Promise<Forecast> {
  const limit = await readKnownLimit(session);
  const requests = toCreate === 0 ? 1 : toCreate + 2;
  return { requests, ms: timeFor(requests - made, limit), limit };
}

export function describeForecast({ requests, ms, limit }: Forecast, { profile }: Session): string {
  const minutes = Math.round(ms / windowMs.minute);
  const time =
    minutes === 0 ? 'less than a minute' : `about ${duration(minutes * windowMs.minute)}`;
  const advice =
    limit.day === undefined && requests > maxOnAnyDay
      ? `; the daily limit is unknown (petstore config set plan free${profileFlag(profile)})`
      : '';
  return `${countOf(requests, 'request')}: ${time} ${describeLimit(limit, requests)}${advice}`;
}

function describeLimit({ plan, minute, day }: KnownLimit, requests: number): string {
  if (plan !== undefined) return `on ${plan}`;
  const perDay = day && requests > day.left ? ` and ${formatCount(day.limit)} per day` : '';
  return `at ${formatCount(minute.limit)} per minute${perDay}`;
}

/** Returns the limit in force: what responses told, else that of the plan, else the smallest one. */
async function readKnownLimit(session: Session): Promise<KnownLimit> {
  const plan = session.settings.get('plan')?.value;
  const { minute, day } = await readStatus(await session.limits());
  const perMinute = minute.limit ?? plan?.quotas.minute ?? plans.free.minute;
  const perDay = day.limit ?? plan?.quotas.day;
  const isOfPlan = minute.source !== 'service' && perMinute === plan?.quotas.minute;
  return {
    plan: isOfPlan ? plan.name : undefined,
    minute: toAllowance(perMinute, minute, windowMs.minute),
    day: perDay === undefined ? undefined : toAllowance(perDay, day, windowMs.day),
  };
}

function toAllowance(
  limit: number,
  { remaining, used = 0, resetMs }: WindowStatus,
  lengthMs: number,
): Allowance {
  const untilNextMs = resetMs === undefined ? lengthMs : resetMs + resetMarginMs;
  return { limit, left: remaining ?? Math.max(0, limit - used), resetMs: untilNextMs };
}

/** Returns how long a limit holds requests back. How long the service takes is not known. */
function timeFor(requests: number, { minute, day }: KnownLimit): number {
  const today = Math.min(requests, day?.left ?? requests);
  if (!day || today === requests) return timeInMinutes(requests, minute);
  const daysBetween = Math.ceil((requests - today) / day.limit) - 1;
  const onLastDay = requests - today - daysBetween * day.limit;
  const newMinute = { ...minute, left: minute.limit };
  return day.resetMs + daysBetween * windowMs.day + timeInMinutes(onLastDay, newMinute);
}

function timeInMinutes(requests: number, { limit, left, resetMs }: Allowance): number {
  if (requests <= left) return 0;
  const windows = Math.ceil((requests - left) / limit);
  // A new window begins with its first request, which is sent after the margin.
  return resetMs + (windows - 1) * (windowMs.minute + resetMarginMs);
}
