import { asFailure, Failure, type FailureKind, unprintedFailure } from '../../errors.ts';
import { notice, warn } from '../../events.ts';
import { anyOptionalField, optionalFields } from '../../fields.ts';
import { findByFate } from '../../import/fates.ts';
import type { Ending } from '../../import/import-rows.ts';
import type { Fate, Item } from '../../import/rows.ts';
import { type JsonObject, toInteger } from '../../json/json.ts';
import type { Session } from '../../session/session.ts';
import { onProfile } from '../../session/settings.ts';
import { quoted } from '../../text/quote.ts';
import { countOf, formatCount, isoTime } from '../../time.ts';
import { forecastImport } from './forecast.ts';

export const outcomeColumns = ['line', 'name', 'outcome', 'id', 'as', 'status', 'code', 'message'];

const maxListed = 20;

type Word = Fate | 'left';
type Counts = Readonly<Partial<Record<Word, number>>>;

/** What is said of one row or several, in this order; what they count as when the import ends; the exit code they lead to. */
export const rowFates: Readonly<
  Record<Word, { readonly words: string; readonly outcome?: Word; readonly exitCode: number }>
> = {
  create: { words: 'to create', outcome: 'left', exitCode: 7 },
  created: { words: 'created', exitCode: 0 },
  existing: { words: 'already there', exitCode: 0 },
  differs: { words: `there with another ${anyOptionalField}`, exitCode: 0 },
  similar: { words: 'similar to another name', outcome: 'refused', exitCode: 7 },
  repeated: { words: 'repeated in the file', exitCode: 0 },
  refused: { words: 'refused', exitCode: 7 },
  unknown: { words: 'with unknown outcome', exitCode: 6 },
  left: { words: 'left to create', exitCode: 7 },
};

/** Says what an import will do, and returns how many rows it will create and how long that takes. `made` requests were sent already. */
export async function showPlan(session: Session, items: readonly Item[], made: number) {
  const toCreate = findByFate(items, 'create').length;
  const { ms, words } = await forecastImport(session, toCreate, made);
  const counts = listEntries(countWords(items.map(({ fate }) => fate))).map(([word, count]) => {
    const where = word === 'create' ? onProfile(session) : '';
    return `${formatCount(count)} ${rowFates[word].words}${where}`;
  });
  const sentences = [counts.join(', '), toCreate > 0 && words, ...describeOddities(items)];
  for (const sentence of sentences) if (sentence) notice(session.report, sentence);
  return { toCreate, ms };
}

function describeOddities(items: readonly Item[]): string[] {
  const firsts = new Map<string, Item>();
  const oddities: string[] = [];
  for (const item of items) {
    const first = firsts.get(item.name) ?? item;
    firsts.set(item.name, first);
    const oddity = describeOddity(item, first);
    if (oddity) oddities.push(`line ${item.line}: ${quoted(item.name)} ${oddity}`);
  }
  const more = oddities.length - maxListed;
  return more > 0
    ? [...oddities.slice(0, maxListed), `${countOf(more, 'more row')} of these kinds`]
    : oddities;
}

function describeOddity(item: Item, first: Item): string | undefined {
  const { fate, id, as, lookAlike } = item;
  if (as !== undefined) return `already exists as ${quoted(as)} (id ${id})`;
  if (lookAlike !== undefined) return `is ${describeLookAlike(item)}; it is refused`;
  if (fate === 'differs') {
    return `already exists with a different ${anyOptionalField} (id ${id}); it is left unchanged`;
  }
  const isOther = optionalFields.some((field) => first[field] !== item[field]);
  if (fate !== 'repeated' || !isOther) return undefined;
  return `is a duplicate of line ${first.line} with a different ${anyOptionalField}; line ${first.line} is used`;
}

function describeLookAlike({ lookAlike = '', lookAlikeLine }: Item): string {
  const where = lookAlikeLine === undefined ? 'which already exists' : `line ${lookAlikeLine}`;
  return `similar to ${quoted(lookAlike)}, ${where}`;
}

export async function reportEnding(
  session: Session,
  source: string,
  items: readonly Item[],
  ending: Ending,
): Promise<void> {
  const { output, report } = session;
  const counts = countWords(items.map(toOutcome));
  const failure = importFailure(ending, items, counts);
  const result = {
    text: listEntries(counts).map(([word, count]) => {
      return `${rowFates[word].words}: ${formatCount(count)}`;
    }),
    list: [items.map(toOutcomeRow)],
    columns: outcomeColumns,
    head: { file: source, rows: items.length, counts, copies: [...ending.copies] },
  };
  await output.print(result).catch((error) => {
    if (!failure && !counts.created) throw error;
    if (!failure) throw unprintedFailure(error, `${countOf(counts.created ?? 0, 'row')} created`);
    if (error instanceof Failure) warn(report, error.message);
  });
  if (failure) throw failure;
}

function toOutcome({ fate }: Item): Word {
  return rowFates[fate].outcome ?? fate;
}

function toOutcomeRow(item: Item): JsonObject {
  const { line, name, fate, id, as, refusal } = item;
  const exactId = id === undefined ? undefined : toInteger(BigInt(id));
  const row = { line, name, outcome: toOutcome(item), id: exactId, as };
  if (refusal) return { ...row, ...refusal };
  if (fate !== 'similar') return row;
  return { ...row, message: describeLookAlike(item) };
}

function importFailure(
  { stop, copies }: Ending,
  items: readonly Item[],
  { unknown = 0, refused = 0, left = 0 }: Counts,
): unknown {
  const error = stop && 'error' in stop ? stop.error : undefined;
  const cause = asFailure(error);
  if (error !== undefined && !cause) return error;
  const { hint, resetAt, retryAfter, service } = cause?.details ?? {};
  const open = items.filter(({ fate }) => rowFates[fate].exitCode > 0).length;
  const done = `${formatCount(items.length - open)} of ${countOf(items.length, 'row')} ${items.length === 1 ? 'is' : 'are'} done; nothing was lost.`;
  const mistaken = items.filter(({ isMistaken }) => isMistaken).length;
  if (open + copies.length + mistaken === 0) {
    return cause?.with({
      consequence: 'All rows are done, but the last step failed.',
      hint: hint ?? 'Run the same command again to repeat that step.',
    });
  }
  const similar = findByFate(items, 'similar').length;
  const reason = cause?.message ?? (stop && 'the outcomes of three requests in a row are unknown');
  const which = similar > 0 ? ` (${formatCount(similar)} ${rowFates.similar.words})` : '';
  const parts = [
    unknown > 0 && `${countOf(unknown, 'row')} with unknown outcome`,
    refused > 0 && `${countOf(refused, 'row')} refused${which}`,
    left > 0 && `${countOf(left, 'row')} left`,
    mistaken > 0 && `${countOf(mistaken, 'row')} answered with older categories`,
    describeCopies(copies),
  ];
  const kind = chooseKind(cause, unknown, left);
  return new Failure(kind, `${parts.filter(Boolean).join(', ')}${reason ? `: ${reason}` : ''}`, {
    consequence: done,
    hint: stop || unknown + left > 0 ? resumeHint(cause, unknown) : correctHint(refused, similar),
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

/** The service was late, or another client created them. */
function describeCopies([first, ...more]: Ending['copies']): string | undefined {
  if (!first) return undefined;
  const count = countOf(1 + more.length, 'duplicate');
  return `${count}${more.length > 0 ? ', such as' : ':'} ${quoted(first.name)} with id ${first.id}`;
}

/** A limit is the reason only for rows that are left. An interruption counts more than what it leaves unknown. */
function chooseKind(cause: Failure | undefined, unknown: number, left: number): FailureKind {
  if (cause?.kind === 'interrupted') return cause.kind;
  if (unknown > 0) return 'outcome_unknown';
  if (cause?.kind === 'output') return cause.kind;
  return cause?.kind === 'rate_limited' && left > 0 ? cause.kind : 'partial';
}

function resumeHint(cause: Failure | undefined, unknown: number): string {
  const { hint, resetAt } = cause?.details ?? {};
  if (hint !== undefined && cause?.kind === 'output') return hint;
  const when = resetAt === undefined ? '' : ` at ${isoTime(resetAt)}`;
  const first = unknown > 0 ? '; it checks the unknown rows first' : '';
  const resume = `Run the same command again${when} to resume${first}.`;
  return hint !== undefined && cause?.kind === 'auth' ? `${resume} ${hint}` : resume;
}

function correctHint(refused: number, similar: number): string {
  if (refused === 0) return 'Check what the service has: no request can delete a category.';
  const more = similar > 0 ? ' To create a similar name, run petstore categories create NAME.' : '';
  return `Put the refused rows into a separate file, correct them and import that file.${more}`;
}

function countWords(words: readonly Word[]): Counts {
  const counts: Partial<Record<Word, number>> = {};
  for (const word of Object.keys(rowFates) as Word[]) {
    const count = words.filter((other) => other === word).length;
    if (count > 0) counts[word] = count;
  }
  return counts;
}

function listEntries(counts: Counts): [Word, number][] {
  return Object.entries(counts) as [Word, number][];
}
