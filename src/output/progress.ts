import type { ProgressEvent } from '../events.ts';
import { thousands } from '../text/number.ts';
import { timeLeft } from '../text/time.ts';

/** The line of a progress where it is not watched: "petstore: 312 of 5,000 rows, 58/min, about 1h 21m left". */
export function progressLine({ done, total, rate, leftMs }: ProgressEvent): string {
  const parts = [
    `${thousands(done)} of ${thousands(total)} rows`,
    rate !== undefined && `${thousands(rate)}/min`,
    leftMs !== undefined && `about ${timeLeft(leftMs)} left`,
  ];
  return `petstore: ${parts.filter(Boolean).join(', ')}`;
}
