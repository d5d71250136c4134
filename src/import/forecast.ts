/** What is known of the limit: what a window takes, and what is left of the one that runs. */
type Allowance = { readonly limit: number; readonly left: number };
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

const minute = 60_000;

/** The forecast for that many requests; the service is taken as fast enough to use its limit up. */
export function forecast(requests: number, { minute, day }: Allowances): Forecast {
  const today = Math.min(requests, day ? Math.max(0, day.left) : requests);
  return {
    requests,
    todayMs: minute && untilLast(today, minute),
    moreDays: day && Math.ceil((requests - today) / day.limit),
  };
}

function untilLast(requests: number, { limit, left }: Allowance): number {
  const later = requests - Math.max(0, left);
  return later <= 0 ? 0 : Math.ceil(later / limit) * minute;
}
