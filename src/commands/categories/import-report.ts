import { Failure, type FailureKind, withDetails } from '../../errors.ts';
import { notice, warn } from '../../events.ts';
import type { Input } from '../../import/input.ts';
import type { Plan } from '../../import/plan.ts';
import type { Row } from '../../import/rows.ts';
import type { Ending } from '../../import/run.ts';
import { ExactNumber, exact, type JsonObject } from '../../json/json.ts';
import { inBatches } from '../../output/printer.ts';
import type { Session } from '../../session/session.ts';
import { quoted } from '../../text/quoted.ts';
import { countOf, duration, formatCount, isoTime } from '../../time.ts';
import { describeForecast, type ImportForecast } from './forecast.ts';

export const planColumns = ['line', 'name', 'intention', 'id', 'looksLike'];
export const outcomeColumns = ['line', 'name', 'outcome', 'id', 'as', 'status', 'code', 'message'];

const maxListed = 20;

/** Words for one row and, where they differ, for several; in the order in which they are shown. */
const rowWords = {
  create: ['to create'],
  created: ['created'],
  created_before: ['created earlier'],
  existing: ['already exists', 'already exist'],
  differs: ['exists with a different description', 'exist with a different description'],
  similar: ['similar to an existing name', 'similar to existing names'],
  repeated: ['duplicate in the file', 'duplicates in the file'],
  refused: ['refused'],
  unknown: ['with unknown outcome'],
  left: ['left to create'],
} as const satisfies Record<string, readonly [one: string, several?: string]>;

type Word = keyof typeof rowWords;
type Counts = Readonly<Partial<Record<Word, number>>>;

type RowOutcome = {
  readonly outcome: Word;
  readonly id?: ExactNumber | undefined;
  readonly as?: string | undefined;
  /** The status of a refusal. If it is missing, the row was not sent. */
  readonly status?: ExactNumber;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
};

export function showPlan(session: Session, plan: Plan, input: Input, forecast: ImportForecast) {
  const sentences = [
    describeCounts(countWords(plan.fates)),
    ...(forecast.toCreate > 0 ? [describeForecast(forecast, session)] : []),
    ...describeOddities(plan, input.rows),
  ];
  for (const sentence of sentences) notice(session.report, sentence);
}

function describeOddities({ fates, ids, lookAlikes }: Plan, rows: readonly Row[]): string[] {
  const firstRows = new Map<string, Row>();
  const ignored: string[] = [];
  const similar: string[] = [];
  for (const [index, row] of rows.entries()) {
    const { line, name, description } = row;
    const first = firstRows.get(name);
    if (!first) firstRows.set(name, row);
    const start = `line ${line}: ${quoted(name)}`;
    const lookAlike = lookAlikes.get(index);
    if (fates[index] === 'differs') {
      ignored.push(
        `${start} already exists with a different description (id ${ids.get(index)}); it is left unchanged`,
      );
    } else if (fates[index] === 'repeated' && first?.description !== description) {
      ignored.push(
        `${start} is a duplicate of line ${first?.line} with a different description; line ${first?.line} is used`,
      );
    }
    if (lookAlike !== undefined) {
      similar.push(`${start} is similar to ${quoted(lookAlike)}, which already exists`);
    }
  }
  return [
    ...shorten(ignored, 'more different descriptions are not used'),
    ...shorten(similar, 'more similar names'),
  ];
}

function shorten(sentences: readonly string[], more: string): string[] {
  const left = sentences.length - maxListed;
  if (left <= 0) return [...sentences];
  return [...sentences.slice(0, maxListed), `${formatCount(left)} ${more}`];
}

export async function printPlan(
  session: Session,
  { fates, ids, lookAlikes }: Plan,
  input: Input,
  { requests, plan, todayMs, moreDays }: ImportForecast,
): Promise<void> {
  const known = (value: number | undefined) => (value === undefined ? null : exact(value));
  const head = {
    requests: exact(requests),
    forecast: { plan: plan?.name ?? null, todayMs: known(todayMs), moreDays: known(moreDays) },
  };
  await printRows(session, input, countWords(fates), head, planColumns, (row) => ({
    intention: fates[row],
    id: idOf(ids.get(row)),
    looksLike: fates[row] === 'similar' ? lookAlikes.get(row) : undefined,
  }));
}

export async function reportEnding(
  session: Session,
  input: Input,
  ending: Ending,
  tookMs: number | undefined,
): Promise<void> {
  const { report } = session;
  const { signal } = session.context;
  const outcomes = outcomesOf(ending, input.rows.length);
  const counts = countWords(outcomes.map(({ outcome }) => outcome));
  const failure = importFailure(ending, outcomes, counts, signal);
  // Before the result: a pager may draw that on the same terminal.
  if (!failure && tookMs !== undefined) {
    notice(report, describeCounts(counts, ` in ${duration(tookMs)}`));
  }
  if (ending.plan) {
    const head = { copies: [...ending.copies] };
    const fieldsOf = (row: number) => ({ ...outcomes[row] });
    await printRows(session, input, counts, head, outcomeColumns, fieldsOf).catch((error) => {
      const consequence = `The import finished: ${countOf(counts.created ?? 0, 'row')} created.`;
      if (!failure) throw withDetails(error, signal, { consequence, outcome: 'created' });
      if (error instanceof Failure) warn(report, error.message);
    });
  }
  if (failure) throw failure;
}

function outcomesOf(ending: Ending, rows: number): RowOutcome[] {
  const { plan, created, createdBefore, unknown, refusals } = ending;
  return Array.from({ length: rows }, (_, row): RowOutcome => {
    const { id, as } = created.get(row) ?? {};
    if (id !== undefined) {
      const outcome = createdBefore.has(row) ? 'created_before' : 'created';
      return { outcome, id: idOf(id), as };
    }
    if (unknown.has(row)) return { outcome: 'unknown' };
    const refusal = refusals.get(row);
    if (refusal) return { ...refusal, outcome: 'refused', status: exact(refusal.status) };
    const fate = plan?.fates[row] ?? 'create';
    if (fate === 'create') return { outcome: 'left' };
    if (fate !== 'similar') return { outcome: fate, id: idOf(plan?.ids.get(row)) };
    const other = quoted(plan?.lookAlikes.get(row) ?? '');
    return { outcome: 'refused', message: `similar to ${other}, which already exists` };
  });
}

function importFailure(
  { plan, stop }: Ending,
  outcomes: readonly RowOutcome[],
  { unknown = 0, refused = 0, left = 0 }: Counts,
  signal: AbortSignal,
): unknown {
  const cause = stop?.kind === 'failed' ? withDetails(stop.error, signal, {}) : undefined;
  if (cause !== undefined && !(cause instanceof Failure)) return cause;
  const { hint, resetAt, retryAfter, service } = cause?.details ?? {};
  const open = unknown + refused + left;
  const done = `${formatCount(outcomes.length - open)} of ${countOf(outcomes.length, 'row')} are done; nothing was lost.`;
  const resume = resumeHint(cause, unknown);
  if (cause && !plan && unknown === 0) {
    const consequence = cause.details.consequence ?? done;
    return cause.with({ consequence, hint: hint ?? resume });
  }
  if (open === 0) {
    return cause?.with({
      consequence: 'All rows are done, but the last step failed.',
      hint: hint ?? 'Run the same command again to repeat that step.',
    });
  }
  const similar = outcomes.filter(
    ({ outcome, status }) => outcome === 'refused' && status === undefined,
  ).length;
  const reason = cause?.message ?? (stop && 'the outcomes of three requests in a row are unknown');
  const which = similar > 0 ? ` (${describeCount('similar', similar)})` : '';
  const parts = [
    unknown > 0 && `${countOf(unknown, 'row')} with unknown outcome`,
    refused > 0 && `${countOf(refused, 'row')} refused${which}`,
    left > 0 && `${countOf(left, 'row')} left`,
  ];
  const kind = kindOf(cause, unknown, left);
  return new Failure(kind, `${parts.filter(Boolean).join(', ')}${reason ? `: ${reason}` : ''}`, {
    consequence: done,
    hint: stop || unknown + left > 0 ? resume : correctHint(similar),
    outcome: unknown > 0 ? 'unknown' : undefined,
    service: service && {
      status: service.status,
      ...(service.code !== undefined && { code: service.code }),
    },
    resetAt,
    retryAfter,
    exitCode: kind === 'interrupted' ? cause?.exitCode : undefined,
  });
}

/** A limit is the reason only for rows that are left. An interruption counts more than what it leaves unknown. */
function kindOf(cause: Failure | undefined, unknown: number, left: number): FailureKind {
  if (cause?.kind === 'interrupted') return cause.kind;
  if (unknown > 0) return 'outcome_unknown';
  if (cause?.kind === 'output') return cause.kind;
  return cause?.kind === 'rate_limited' && left > 0 ? cause.kind : 'partial';
}

function resumeHint(cause: Failure | undefined, unknown: number): string {
  const { hint, resetAt } = cause?.details ?? {};
  if (hint !== undefined && cause?.kind === 'output') return hint;
  const run = hint !== undefined && cause?.kind === 'auth' ? `${hint} Then run` : 'Run';
  const when = resetAt === undefined ? '' : ` at ${isoTime(resetAt)}`;
  const first = unknown > 0 ? '; it checks the unknown rows first' : '';
  return `${run} the same command again${when} to resume${first}.`;
}

function correctHint(similar: number): string {
  const more = similar > 0 ? '; to create these names as they are, add --allow-duplicates' : '';
  return `Put the refused rows into a separate file, correct them and import that file${more}.`;
}

async function printRows(
  { output }: Session,
  { source, rows }: Input,
  counts: Counts,
  head: JsonObject,
  columns: readonly string[],
  fieldsOf: (row: number) => JsonObject,
): Promise<void> {
  const numbers = entriesOf(counts);
  await output.print({
    data: inBatches(rows.length, (row) => {
      const { line = 0, name = '' } = rows[row] ?? {};
      return { line: exact(line), name, ...fieldsOf(row) };
    }),
    head: {
      file: source,
      rows: exact(rows.length),
      counts: Object.fromEntries(numbers.map(([word, count]) => [word, exact(count)])),
      ...head,
    },
    columns,
    lines: numbers.map(([word, count]) => `${wordsFor(word, count)}: ${formatCount(count)}`),
  });
}

/** Counts words in the order of `rowWords`. */
function countWords(words: readonly Word[]): Counts {
  const counts: Partial<Record<Word, number>> = {};
  for (const word of Object.keys(rowWords) as Word[]) {
    const count = words.filter((other) => other === word).length;
    if (count > 0) counts[word] = count;
  }
  return counts;
}

function describeCounts(counts: Counts, time = ''): string {
  return entriesOf(counts)
    .map(([word, count]) => describeCount(word, count) + (word === 'created' ? time : ''))
    .join(', ');
}

function entriesOf(counts: Counts): [Word, number][] {
  return Object.entries(counts) as [Word, number][];
}

function describeCount(word: Word, count: number): string {
  return `${formatCount(count)} ${wordsFor(word, count)}`;
}

function wordsFor(word: Word, count: number): string {
  const [one, several = one]: readonly [string, string?] = rowWords[word];
  return count === 1 ? one : several;
}

function idOf(id: string | undefined): ExactNumber | undefined {
  return id === undefined ? undefined : new ExactNumber(id);
}
