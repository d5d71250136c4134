import { explained, Failure, type FailureDetails } from '../../../errors.ts';
import type { Ending } from '../../../import/execute.ts';
import type { Journal } from '../../../import/journal.ts';
import { count, type RowOutcome } from '../../../import/outcome.ts';
import { commandOn } from '../../../text/shell.ts';
import { formatCount, isoTime } from '../../../time.ts';

/** What an import came to, in rows. */
type Tally = {
  readonly rows: number;
  readonly unknown: number;
  readonly refused: number;
  readonly left: number;
  /** Of the refused ones those that were not sent, since a name like theirs is there. */
  readonly similar?: number;
};

/** What an import ends with that is not all done; undefined when it is. @param path of its journal */
export function importFailure(
  { stop, lookedUp }: Ending,
  path: string,
  outcomes: readonly RowOutcome[],
  signal: AbortSignal,
): unknown {
  const counts = count(outcomes.map(({ outcome }) => outcome));
  const [unknown = 0, refused = 0, left = 0] = (['unknown', 'refused', 'left'] as const).map(
    (outcome) => counts.get(outcome),
  );
  const similar = outcomes.filter(
    ({ outcome, refusal }) => outcome === 'refused' && refusal?.status === undefined,
  ).length;
  const tally = { rows: outcomes.length, unknown, refused, left, similar };
  if (stop?.kind === 'failed') return failureOf(stop.error, tally, signal);
  const reason = stop ? 'three outcomes in a row were unknown' : whySimilar(tally);
  // Looked up and still unknown: only a person can tell.
  const hint =
    unknown > 0 && lookedUp && left === 0
      ? `Check the similar categories named above; if every row exists, delete the journal: ${commandOn('rm', path)}`
      : undefined;
  if (unknown + refused + left === 0) return undefined;
  return unfinished(tally, reason, hint === undefined ? {} : { hint });
}

/** The failure for an import that ended before any row was sent in this run. */
export function notBegun(
  error: unknown,
  { state: { header, done, open } }: Journal,
  rows: number,
  signal: AbortSignal,
): unknown {
  // Found before anything was sent, and told in full.
  if (error instanceof Failure && error.kind === 'config') return error;
  const left = rows - done.size - open.size;
  if (header) return failureOf(error, { rows, unknown: open.size, refused: 0, left }, signal);
  const consequence = 'Nothing was created.';
  const own = error instanceof Failure ? error.details : {};
  return explained(error, signal, { consequence, ...own });
}

/** What stopped it, with what that means for the rows. What nobody foresaw is handed on as it is. */
function failureOf(cause: unknown, tally: Tally, signal: AbortSignal): unknown {
  const error = explained(cause, signal, {});
  if (!(error instanceof Failure)) return error;
  const { kind, message, details } = error;
  const { unknown, refused, left } = tally;
  if (unknown + refused + left === 0) return lastLookFailed(error);
  if (kind === 'interrupted' || (kind === 'output' && unknown === 0)) {
    return new Failure(kind, message, { ...detailsOf(tally), exitCode: error.exitCode });
  }
  const { resetAt, retryAfter, service } = details;
  const when = resetAt === undefined ? '' : ` at ${isoTime(resetAt)}`;
  const advice = kind === 'auth' && details.hint ? `${details.hint} Then run` : 'Run';
  const hint = `${advice} the same command again${when} to resume.`;
  if (kind === 'rate_limited' && unknown === 0 && left > 0) {
    const limited = { ...detailsOf(tally), hint, resetAt, retryAfter };
    return new Failure('rate_limited', `${rowsWord(left)} left: ${message}`, limited);
  }
  // What the service said stands in our message already.
  const { status, code } = service ?? {};
  const answer = status === undefined ? undefined : { status, ...(code !== undefined && { code }) };
  return unfinished(tally, message, {
    service: answer,
    resetAt,
    retryAfter,
    ...(unknown === 0 && { hint }),
  });
}

function whySimilar({ unknown, refused, left, similar = 0 }: Tally): string | undefined {
  if (similar === 0 || unknown > 0) return undefined;
  const which = similar < refused + left ? rowsWord(similar) : similar === 1 ? 'it' : 'they';
  const differ = similar === 1 ? 'differs from an existing name' : 'differ from existing names';
  return `${which} ${differ} only in case, spaces or Unicode composition`;
}

/** An unknown outcome is worse than rows that are refused or left. */
function unfinished(tally: Tally, reason: string | undefined, details: FailureDetails): Failure {
  const { unknown, refused, left } = tally;
  const because = reason === undefined ? '' : `: ${reason}`;
  const all = { ...detailsOf(tally), ...details };
  if (unknown > 0) {
    return new Failure(
      'outcome_unknown',
      `${rowsWord(unknown)} with unknown outcome${because}`,
      all,
    );
  }
  const parts = [
    refused > 0 && `${rowsWord(refused)} refused`,
    left > 0 && `${rowsWord(left)} left`,
  ];
  return new Failure('partial', `${parts.filter(Boolean).join(', ')}${because}`, all);
}

function detailsOf({ rows, unknown, refused, left, similar = 0 }: Tally): FailureDetails {
  const done = rows - unknown - refused - left;
  const again = 'Run the same command again to resume';
  const hint =
    unknown > 0
      ? `${again}; it checks the unknown rows first.`
      : left > 0
        ? `${again}.`
        : similar > 0
          ? 'Correct the refused rows in a separate file and import it; to create these names as they are, add --allow-duplicates.'
          : 'Correct the refused rows in a separate file and import it.';
  return {
    consequence: `${formatCount(done)} of ${formatCount(rows)} rows are done; nothing was lost.`,
    hint,
    ...(unknown > 0 && { outcome: 'unknown' }),
  };
}

function lastLookFailed(error: Failure): Failure {
  return error.with({
    consequence: 'All rows are done; only the final check of the list failed.',
    hint:
      error.kind === 'service'
        ? error.details.hint
        : 'Run the same command again to repeat that check.',
  });
}

function rowsWord(count: number): string {
  return count === 1 ? '1 row' : `${formatCount(count)} rows`;
}
