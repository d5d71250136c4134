import { resetMarginMs } from '../../limit/decide.ts';
import { readStatus, type WindowStatus } from '../../limit/status.ts';
import { plans, windowMs } from '../../plans.ts';
import type { Session } from '../../session/session.ts';
import { profileFlag } from '../../session/settings.ts';
import { countOf, duration, formatCount } from '../../time.ts';

type Allowance = { readonly limit: number; readonly left: number; readonly resetMs: number };

/** The smallest plan allows 1,000 requests per day: fewer, and some earlier ones, fit into one day on any plan. */
const maxOnAnyDay = 900;

/** Predicts an import: a request for each row, and a list before and after them. `made` requests were sent already. */
export async function forecastImport(
  session: Session,
  toCreate: number,
  made: number,
): Promise<{ readonly ms: number; readonly words: string }> {
  const plan = session.settings.get('plan');
  const status = await readStatus(await session.limits());
  const minute = toAllowance(status.minute, plan?.value.minute ?? plans.free.minute, 'minute');
  const day = toAllowance(status.day, plan?.value.day ?? Number.POSITIVE_INFINITY, 'day');
  const requests = toCreate === 0 ? 1 : toCreate + 2;
  const ms = timeFor(requests - made, minute, day);

  const minutes = Math.round(ms / windowMs.minute) * windowMs.minute;
  const time = minutes === 0 ? 'less than a minute' : `about ${duration(minutes)}`;
  const perDay = requests > day.left ? ` and ${formatCount(day.limit)} per day` : '';
  const isDayUnknown = day.limit === Number.POSITIVE_INFINITY && requests > maxOnAnyDay;
  const unknown = isDayUnknown
    ? `; the daily limit is unknown${planAdvice(session, minute.limit)}`
    : '';
  const rate = `at ${formatCount(minute.limit)} per minute${perDay}`;
  return { ms, words: `${countOf(requests, 'request')}: ${time} ${rate}${unknown}` };
}

function planAdvice({ profile }: Session, limit: number): string {
  const plan = Object.entries(plans).find(([, quotas]) => quotas.minute === limit)?.[0];
  return plan === undefined ? '' : ` (petstore config set plan ${plan}${profileFlag(profile)})`;
}

function toAllowance(
  { limit: told, remaining, used = 0, resetMs }: WindowStatus,
  ofPlan: number,
  window: 'minute' | 'day',
): Allowance {
  const limit = told ?? ofPlan;
  const untilNextMs = resetMs === undefined ? windowMs[window] : resetMs + resetMarginMs;
  return { limit, left: remaining ?? Math.max(0, limit - used), resetMs: untilNextMs };
}

function timeFor(requests: number, minute: Allowance, day: Allowance): number {
  const later = requests - Math.min(requests, day.left);
  if (later === 0) return timeInMinutes(requests, minute);
  const daysBetween = Math.ceil(later / day.limit) - 1;
  const onLastDay = later - daysBetween * day.limit;
  const newMinute = { ...minute, left: minute.limit };
  return day.resetMs + daysBetween * windowMs.day + timeInMinutes(onLastDay, newMinute);
}

function timeInMinutes(requests: number, { limit, left, resetMs }: Allowance): number {
  if (requests <= left) return 0;
  const windows = Math.ceil((requests - left) / limit);
  // A new window begins with its first request, which is sent after the margin.
  return resetMs + (windows - 1) * (windowMs.minute + resetMarginMs);
}
