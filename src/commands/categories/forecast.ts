import { resetMarginMs } from '../../limit/decide.ts';
import { windowMs } from '../../plans.ts';

export type Allowance = {
  readonly limit: number;
  readonly left: number;
  readonly resetMs?: number | undefined;
};

export type Allowances = {
  readonly minute: Allowance | undefined;
  readonly day: Allowance | undefined;
};

export type Forecast = {
  readonly today: number;
  readonly todayMs: number | undefined;
  /** Days after today; undefined if the limit per day is unknown. */
  readonly moreDays: number | undefined;
  readonly totalMs: number | undefined;
};

export function forecast(requests: number, { minute, day }: Allowances): Forecast {
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
