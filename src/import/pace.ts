import { type Allowances, forecast } from './forecast.ts';

/** How fast it goes, and what that means for the rest. */
export type Pace = {
  /** Rows a minute, of the last minute; undefined at the beginning. */
  readonly rate: number | undefined;
  /** ms until the last row; undefined while it cannot be told, or when it is not today. */
  readonly leftMs: number | undefined;
};

const minute = 60_000;
/** Sooner than this, in ms, a rate says nothing. */
const earliest = 2_000;

/** Measures how rows get settled, from now on; call the returned function for each one with how many are left after it. */
export function createPace(now: () => number, { minute: perMinute, day }: Allowances) {
  const start = now();
  const settled: number[] = [];
  let outdated = 0;
  let count = 0;

  return (left: number): Pace => {
    const at = now();
    settled.push(at);
    count += 1;
    while ((settled[outdated] ?? at) <= at - minute) outdated += 1;
    const elapsed = Math.min(at - start, minute);
    const rate = elapsed < earliest ? undefined : ((settled.length - outdated) * minute) / elapsed;
    return { rate, leftMs: rate === undefined ? undefined : untilLast(left, rate) };
  };

  /** A burst at the beginning of a window goes no further than the window does. */
  function untilLast(left: number, rate: number): number | undefined {
    const { todayMs = 0, moreDays = 0 } = forecast(left, {
      minute: perMinute && { ...perMinute, left: 0 },
      day: day && { ...day, left: day.left - count },
    });
    return moreDays > 0 ? undefined : Math.max((left / rate) * minute, todayMs);
  }
}
