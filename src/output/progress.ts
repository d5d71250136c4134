import type { ProgressEvent } from '../events.ts';
import { thousands } from '../text/number.ts';
import { timeLeft } from '../text/time.ts';

/** Whether this is the last that is heard of it. */
export function isOver({ done, total, over }: ProgressEvent): boolean {
  return over === true || done >= total;
}

/** "312 of 5,000", "58/min", "about 1h 21m left"; undefined what cannot be told. */
export function progressWords({ done, total, rate, leftMs }: ProgressEvent) {
  return {
    count: `${thousands(done)} of ${thousands(total)}`,
    rate: rate === undefined ? undefined : `${thousands(rate)}/min`,
    left: leftMs === undefined ? undefined : `about ${timeLeft(leftMs)} left`,
  };
}

/** The line of a progress where nobody watches it. */
export function progressLine(event: ProgressEvent): string {
  const { count, rate, left } = progressWords(event);
  return `petstore: ${[`${count} rows`, rate, left].filter(Boolean).join(', ')}`;
}
