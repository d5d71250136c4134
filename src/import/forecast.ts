import { windowMs } from '../plans.ts';

/** What is known of the limit: what a window takes, what is left of the one that runs, and in how many ms that one resets. */
export type Allowance = {
  readonly limit: number;
  readonly left: number;
  readonly resetMs?: number | undefined;
  /** What others took of the one that runs, as far as it was seen; each one to come is taken to lose as much to them. */
  readonly others?: number | undefined;
};
export type Allowances = {
  readonly minute: Allowance | undefined;
  readonly day: Allowance | undefined;
};

/** How long a number of requests takes as far as the limit decides it. */
export type Forecast = {
  readonly requests: number;
  /** Those that the day that runs has left. */
  readonly today: number;
  /** ms from now until today's last request; undefined while no limit a minute is known. */
  readonly todayMs: number | undefined;
  /** Days after today; undefined while no limit a day is known. */
  readonly moreDays: number | undefined;
  /** ms from now until the last request of all; undefined while a limit that decides it is unknown. */
  readonly doneMs: number | undefined;
};

/** The first request of a window leaves so long after the reset, in ms. */
const afterReset = 1_000;
/** The smallest plan has a thousand a day: fewer requests, with some for what came before, are done today on any. */
const anyDay = 900;

/** The forecast for that many requests, in whole minutes; the service is taken as fast enough to exhaust its limit. */
export function forecast(requests: number, known: Allowances): Forecast {
  const { minute, day } = known;
  const { today, days } = byDays(requests, day);
  return {
    requests,
    today,
    todayMs: minute && timeOfWindows(windowsFor(today, minute), minute),
    moreDays: day && days,
    doneMs: day || !mayTakeDays(requests) ? timeFor(requests, known, undefined) : undefined,
  };
}

/** Whether there are plans on which that many requests take more than today. */
export function mayTakeDays(requests: number): boolean {
  return requests > anyDay;
}

/**
 * ms until the last of that many requests has its response, waits for both windows included; undefined while neither the limit
 * nor the pace is known.
 * @param each ms that a request takes where none has to wait
 */
export function timeFor(
  requests: number,
  { minute, day }: Allowances,
  each: number | undefined,
): number | undefined {
  if (minute === undefined && each === undefined) return undefined;
  const { today, more, days } = byDays(requests, day);
  if (!day || more === 0) return untilLast(today, minute, each);
  const onLastDay = more - (days - 1) * eachTakes(day);
  const fullMinute = minute && { ...minute, left: eachTakes(minute), resetMs: undefined };
  return (
    (day.resetMs ?? windowMs.day) +
    (days - 1) * windowMs.day +
    untilLast(onLastDay, fullMinute, each)
  );
}

/** How many of the requests today takes, how many more there are, and how many days those need. */
function byDays(requests: number, day: Allowance | undefined) {
  const today = day ? Math.min(requests, Math.max(0, day.left)) : requests;
  const more = requests - today;
  return { today, more, days: day ? Math.ceil(more / eachTakes(day)) : 0 };
}

function untilLast(requests: number, minute: Allowance | undefined, each = 0): number {
  const windows = minute ? windowsFor(requests, minute) : 0;
  if (!minute || windows === 0) return requests * each;
  const inLastWindow = requests - Math.max(0, minute.left) - (windows - 1) * eachTakes(minute);
  const waits =
    (minute.resetMs ?? windowMs.minute) + (windows - 1) * (windowMs.minute + afterReset);
  // A slow service is its own limit.
  return Math.max(requests * each, waits + inLastWindow * each);
}

/** How many windows they need after the one that runs. */
function windowsFor(requests: number, window: Allowance): number {
  return Math.ceil(Math.max(0, requests - Math.max(0, window.left)) / eachTakes(window));
}

/** What each window to come takes of ours. However much others take, it is not nothing for ever. */
function eachTakes({ limit, others = 0 }: Allowance): number {
  return Math.max(1, limit - others);
}

/** ms of so many windows after the one that runs, in whole minutes; a wait in force may put the first of them off. */
function timeOfWindows(windows: number, { resetMs = 0 }: Allowance): number {
  if (windows === 0) return 0;
  const first = Math.max(1, Math.round(resetMs / windowMs.minute));
  return (first + windows - 1) * windowMs.minute;
}
