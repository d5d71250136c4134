import { notice } from '../../../events.ts';
import { type Forecast, forecast } from '../../../import/forecast.ts';
import type { Input } from '../../../import/input.ts';
import { count, type Outcome } from '../../../import/outcome.ts';
import type { Intention, Plan } from '../../../import/plan.ts';
import type { Session } from '../../../session/session.ts';
import { quoted } from '../../../text/quoted.ts';
import { formatCount } from '../../../time.ts';
import { forecastInWords, nextPlanInWords } from './forecast-words.ts';
import type { KnownLimit } from './known-limit.ts';

/** What is done with rows, in the order in which it is shown: for one row and, where they differ, for several. */
const rowWords: Readonly<Record<Intention | Outcome, readonly [one: string, several?: string]>> = {
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
};

/** How many rows there are of each kind, and the words for it. */
export function countsInWords(
  counts: ReadonlyMap<Intention | Outcome, number>,
): { readonly kind: Intention | Outcome; readonly rows: string; readonly count: number }[] {
  return (Object.keys(rowWords) as (Intention | Outcome)[]).flatMap((kind) => {
    const count = counts.get(kind);
    const [one, several = one] = rowWords[kind];
    return count === undefined ? [] : [{ kind, rows: count === 1 ? one : several, count }];
  });
}

/** More oddities of a kind than this are counted only. */
const mostListed = 20;

/** Says sentences on stderr, one a line. */
export function say({ report }: Session, messages: readonly string[]): void {
  for (const message of messages) notice(report, message);
}

/**
 * The plan as sentences: what is to be done, how long that takes, and what looks odd.
 * @param made requests that the import has made already
 */
export function planInWords(plan: Plan, input: Input, limit: KnownLimit, made: number): string[] {
  const parts = countsInWords(count(plan.intentions)).map(
    ({ rows, count }) => `${formatCount(count)} ${rows}`,
  );
  const time = plan.create.length > 0 ? timeInWords(forecastOf(plan, limit, made), limit) : [];
  return [
    parts.join(', '),
    ...time,
    ...differencesInWords(plan, input),
    ...odditiesInWords(plan, input),
  ];
}

/** How many rows have the name of an earlier one, if there are such. */
export function duplicatesInWords({ intentions }: Plan): string[] {
  return countsInWords(count(intentions.filter((intention) => intention === 'repeated'))).map(
    ({ rows, count }) => `${formatCount(count)} ${rows}`,
  );
}

/** What looks odd about the names in a file. */
export function odditiesInWords(plan: Plan, input: Input): string[] {
  return [...contradictionsInWords(plan, input), ...similarInWords(plan, input)];
}

/** All requests of the import: one for each row, a list before and one after them, and one for each day that follows. */
export function forecastOf({ create }: Plan, limit: KnownLimit, made: number): Forecast {
  const all = create.length === 0 ? 1 : create.length + 2;
  const { moreDays = 0 } = forecast(all - made, limit);
  return { ...forecast(all + moreDays - made, limit), requests: all + moreDays };
}

function timeInWords(forecast: Forecast, limit: KnownLimit): string[] {
  const next = nextPlanInWords(forecast, limit);
  return [forecastInWords(forecast, limit), ...(next ? [next] : [])];
}

function differencesInWords({ intentions, ids }: Plan, { rows }: Input): string[] {
  const differing = [...intentions.keys()].filter((row) => intentions[row] === 'differs');
  return first(differing, 'more exist with a different description', (row) => {
    const { line, name = '' } = rows[row] ?? {};
    return `line ${line}: ${quoted(name)} already exists with a different description (id ${ids.get(row)}); it is left unchanged`;
  });
}

function contradictionsInWords({ contradictions }: Plan, { rows }: Input): string[] {
  return first(contradictions, 'more duplicates with a different description', (found) => {
    const { line, name = '' } = rows[found.row] ?? {};
    return `line ${line}: ${quoted(name)} is a duplicate of line ${rows[found.earlier]?.line} with a different description; line ${rows[found.earlier]?.line} is used`;
  });
}

function similarInWords({ similar }: Plan, { rows }: Input): string[] {
  return first(similar, 'more similar names', ({ row, other, listed }) => {
    const { line, name = '' } = rows[row] ?? {};
    const what = listed ? ', which already exists' : ' but a different name';
    return `line ${line}: ${quoted(name)} is similar to ${quoted(other)}${what}`;
  });
}

/** The first ones as sentences, and how many more there are. */
function first<Item>(
  items: readonly Item[],
  more: string,
  describe: (item: Item) => string,
): string[] {
  const listed = items.slice(0, mostListed).map(describe);
  const left = items.length - listed.length;
  return left > 0 ? [...listed, `${formatCount(left)} ${more}`] : listed;
}
