/** What is known of the limit: what a window takes, what is left of the one that runs, and in how many ms that one resets. */
type Allowance = {
  readonly limit: number;
  readonly left: number;
  readonly resetMs?: number | undefined;
};
export type Allowances = {
  readonly minute: Allowance | undefined;
  readonly day: Allowance | undefined;
};

/** How long a number of requests takes as far as the limit decides it. */
export type Forecast = {
  readonly requests: number;
  /** ms from now until today's last request; undefined while no limit a minute is known. */
  readonly todayMs: number | undefined;
  /** Days after today; undefined while no limit a day is known. */
  readonly moreDays: number | undefined;
};

/** How long each window is, in ms. */
export const windowMs = { minute: 60_000, day: 86_400_000 } as const;
/** The first request of a window leaves so long after the reset, in ms. */
const afterReset = 1_000;

/** The forecast for that many requests, in whole minutes; the service is taken as fast enough to use its limit up. */
export function forecast(requests: number, { minute, day }: Allowances): Forecast {
  const { today, days } = byDays(requests, day);
  return {
    requests,
    todayMs: minute && windowsFor(today, minute) * windowMs.minute,
    moreDays: day && days,
  };
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
  const onLastDay = more - (days - 1) * day.limit;
  const fullMinute = minute && { limit: minute.limit, left: minute.limit };
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
  return { today, more, days: day ? Math.ceil(more / day.limit) : 0 };
}

function untilLast(requests: number, minute: Allowance | undefined, each = 0): number {
  const windows = minute ? windowsFor(requests, minute) : 0;
  if (!minute || windows === 0) return requests * each;
  const inLastWindow = requests - Math.max(0, minute.left) - (windows - 1) * minute.limit;
  const waits =
    (minute.resetMs ?? windowMs.minute) + (windows - 1) * (windowMs.minute + afterReset);
  // A slow service is its own limit.
  return Math.max(requests * each, waits + inLastWindow * each);
}

/** How many windows they need after the one that runs. */
function windowsFor(requests: number, { limit, left }: Allowance): number {
  return Math.ceil(Math.max(0, requests - Math.max(0, left)) / limit);
}
