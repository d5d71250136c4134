import { Failure, type FailureDetails, Interruption, interruptedFailure } from '../../errors.ts';
import type { Outcome } from '../../import/outcome.ts';
import type { Stop } from '../../import/send.ts';
import { thousands } from '../../output/number.ts';
import { isoTime } from '../../output/time.ts';

const again = 'Run the same command again: it goes on from here';

/**
 * What an import ends with that is not all done, the worst first; undefined when it is. An error that nobody foresaw is
 * handed on as it is.
 */
export function importFailure(
  stop: Stop | undefined,
  counts: ReadonlyMap<Outcome, number>,
  rows: number,
  signal: AbortSignal,
): unknown {
  const cause = stop?.kind === 'failed' ? stop.error : undefined;
  const error = cause instanceof Interruption ? interruptedFailure(signal, {}) : cause;
  if (error !== undefined && !(error instanceof Failure)) return error;
  const unknown = counts.get('unknown') ?? 0;
  const refused = counts.get('refused') ?? 0;
  const left = counts.get('left') ?? 0;
  const open = unknown + refused + left;
  if (open === 0) return error && lastLookFailed(error);

  const details: FailureDetails = {
    consequence: `${thousands(rows - open)} of ${thousands(rows)} rows are done; nothing is lost.`,
    hint: `${again}${unknown > 0 ? ' and checks the unknown ones first' : ''}.`,
    ...(unknown > 0 && { outcome: 'unknown' }),
  };
  const reason =
    stop?.kind === 'unknowns' ? 'three outcomes in a row were unknown' : error?.message;
  const because = reason === undefined ? '' : `: ${reason}`;
  if (error?.kind === 'interrupted') return interruptedFailure(signal, details);
  if (error?.kind === 'output') return new Failure('output', error.message, details);
  if (unknown > 0) {
    const message = `${rowsAre(unknown)} of unknown outcome${because}`;
    return new Failure('outcome_unknown', message, details);
  }
  if (error?.kind === 'rate_limited') return limited(error, left, details);
  const parts = [refused > 0 && `${rowsAre(refused)} refused`, left > 0 && `${rowsAre(left)} left`];
  const hint = left === 0 ? 'Correct the refused rows and import them again.' : details.hint;
  return new Failure('partial', `${parts.filter(Boolean).join(', ')}${because}`, {
    ...details,
    hint: [error?.kind === 'auth' && error.details.hint, hint].filter(Boolean).join(' '),
  });
}

function lastLookFailed(error: Failure): Failure {
  return new Failure(error.kind, error.message, {
    ...error.details,
    consequence: 'All rows are done; only the last look at the list is missing.',
    hint: 'Run the same command again for that look.',
  });
}

/** The limit alone stopped it: told with the time at which it can go on. */
function limited(error: Failure, left: number, details: FailureDetails): Failure {
  const { resetAt, retryAfter } = error.details;
  const when = resetAt === undefined ? '' : ` at ${isoTime(Math.ceil(resetAt / 1_000) * 1_000)}`;
  return new Failure('rate_limited', `${rowsAre(left)} left: ${error.message}`, {
    ...details,
    hint: `Run the same command again${when}: it goes on from here.`,
    resetAt,
    retryAfter,
  });
}

function rowsAre(count: number): string {
  return count === 1 ? '1 row is' : `${thousands(count)} rows are`;
}
