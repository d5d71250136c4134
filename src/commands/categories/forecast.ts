import { resetMarginMs } from '../../limit/decide.ts';
import { readStatus, type WindowStatus } from '../../limit/status.ts';
import { windowMs } from '../../plans.ts';
import { profileFlag } from '../../session/chosen-profile.ts';
import { getSetting } from '../../session/resolve.ts';
import type { Session } from '../../session/session.ts';
import type { NamedPlan } from '../../settings/values.ts';
import { countOf, duration, formatCount } from '../../time.ts';

type Allowance = {
  readonly limit: number;
  readonly left: number;
  readonly resetMs?: number | undefined;
};

type KnownLimit = {
  readonly plan: NamedPlan | undefined;
  readonly minute: Allowance | undefined;
  readonly day: Allowance | undefined;
};

/** The smallest plan allows 1,000 requests per day: fewer, and some earlier ones, fit into one day on any plan. */
const maxOnAnyDay = 900;

/** Predicts all requests of an import: one for each row, a list before and after them, and one for each day that follows. */
export async function forecastImport(session: Session, toCreate: number, made: number) {
  const limit = await readKnownLimit(session);
  const once = toCreate === 0 ? 1 : toCreate + 2;
  const { moreDays = 0 } = forecast(once - made, limit);
  const requests = once + moreDays;
  return { ...limit, ...forecast(requests - made, limit), toCreate, requests };
}

export type ImportForecast = Awaited<ReturnType<typeof forecastImport>>;

export function describeForecast(
  { plan, minute, requests, today, todayMs, moreDays }: ImportForecast,
  { profile }: Session,
): string {
  const needed = countOf(requests, 'request');
  if (minute === undefined || todayMs === undefined) return `${needed}; the rate limit is unknown`;
  const minutes = Math.round(todayMs / windowMs.minute) * windowMs.minute;
  const time = minutes === 0 ? 'less than a minute' : `about ${duration(minutes)}`;
  const more = countOf(moreDays ?? 0, 'more day');
  const days = today === 0 ? `nothing left today, ${more}` : `${time} today and ${more}`;
  const pace = plan ? `on ${plan.name}` : `at ${formatCount(minute.limit)} per minute`;
  const advice =
    moreDays === undefined && requests > maxOnAnyDay
      ? `; the daily limit is unknown (petstore config set plan free${profileFlag(profile)})`
      : '';
  return `${needed}: ${moreDays ? days : time} ${pace}${advice}`;
}

export async function readKnownLimit(session: Session): Promise<KnownLimit> {
  const plan = getSetting('plan', session)?.value;
  const { minute, day, wait } = await readStatus(await session.limits());
  const perMinute = toAllowance(plan?.quotas.minute ?? minute.limit, { ...minute, used: 0 });
  return {
    plan,
    minute: perMinute && wait ? { ...perMinute, left: 0, resetMs: wait.waitMs } : perMinute,
    day: toAllowance(plan?.quotas.day ?? day.limit, day),
  };
}

/** Predicts how long requests take. Days are counted after today, and undefined if the limit per day is unknown. */
export function forecast(requests: number, { minute, day }: KnownLimit) {
  const today = day ? Math.min(requests, day.left) : requests;
  const later = requests - today;
  const todayMs = minute && waitMs(today, minute);
  if (!day || later === 0) return { today, todayMs, moreDays: day && 0, totalMs: todayMs };

  const moreDays = Math.ceil(later / day.limit);
  const onLastDay = later - (moreDays - 1) * day.limit;
  const daysMs = (day.resetMs ?? windowMs.day) + (moreDays - 1) * windowMs.day;
  const totalMs = minute && daysMs + waitMs(onLastDay, { limit: minute.limit, left: minute.limit });
  return { today, todayMs, moreDays, totalMs };
}

function waitMs(requests: number, { limit, left, resetMs = windowMs.minute }: Allowance): number {
  if (requests <= left) return 0;
  const windows = Math.ceil((requests - left) / limit);
  // A new window begins with its first request, which is sent after the margin.
  return resetMs + (windows - 1) * (windowMs.minute + resetMarginMs);
}

function toAllowance(
  limit: number | undefined,
  { remaining, used = 0, resetMs }: WindowStatus,
): Allowance | undefined {
  if (limit === undefined) return undefined;
  const untilNextMs = resetMs === undefined ? undefined : resetMs + resetMarginMs;
  return { limit, left: remaining ?? Math.max(0, limit - used), resetMs: untilNextMs };
}
