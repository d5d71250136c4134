import { notice } from '../../../events.ts';
import { type Forecast, forecast } from '../../../import/forecast.ts';
import { count, type Outcome } from '../../../import/outcome.ts';
import type { Intention, Plan } from '../../../import/plan.ts';
import { quoted } from '../../../import/read/faults.ts';
import type { Input } from '../../../import/read/input.ts';
import type { Session } from '../../../session/session.ts';
import { thousands } from '../../../text/number.ts';
import { timeLeft } from '../../../text/time.ts';
import type { KnownLimit } from './limits.ts';

/** What is done with rows, in the order in which it is told. */
export const rowWords: Readonly<Record<Intention | Outcome, string>> = {
  create: 'to create',
  created: 'created',
  created_before: 'created before',
  existing: 'already there',
  differs: 'there with another description',
  similar: 'like a name that is there',
  repeated: 'twice in the file',
  refused: 'refused',
  unknown: 'of unknown outcome',
  left: 'left to create',
};

/** More oddities of a kind than this are counted only. */
const mostListed = 20;

/** Says sentences on stderr, one a line. */
export function say({ report }: Session, messages: readonly string[]): void {
  for (const message of messages) notice(report, message);
}

/** The plan as sentences: what is to be done, how long that takes, and what looks odd. */
export function planInWords(plan: Plan, input: Input, limit: KnownLimit, lists = 1): string[] {
  const counts = count(plan.intentions);
  const parts = (Object.keys(rowWords) as Intention[])
    .filter((intention) => counts.has(intention))
    .map((intention) => `${thousands(counts.get(intention) ?? 0)} ${rowWords[intention]}`);
  const time =
    plan.create.length > 0 ? [forecastInWords(forecastOf(plan, limit, lists), limit)] : [];
  return [
    parts.join(', '),
    ...time,
    ...differencesInWords(plan, input),
    ...contradictionsInWords(plan, input),
    ...similarInWords(plan, input),
  ];
}

/** One request for each row, and `lists` for the looks at the list that are yet to be made. */
export function forecastOf({ create }: Plan, limit: KnownLimit, lists = 1): Forecast {
  return forecast(create.length === 0 ? 0 : create.length + lists, limit);
}

function forecastInWords(
  { requests, todayMs, moreDays }: Forecast,
  { plan, minute }: KnownLimit,
): string {
  const needed = `${thousands(requests)} requests`;
  if (todayMs === undefined) return `${needed}; no limit is known that they have to keep`;
  const time = todayMs === 0 ? 'less than a minute' : `about ${timeLeft(todayMs)}`;
  const days = moreDays ? ` today and ${thousands(moreDays)} more ${plural(moreDays, 'day')}` : '';
  const pace = plan ? `on ${plan}` : `at ${thousands(minute?.limit ?? 0)} a minute`;
  // The smallest plan has a thousand a day.
  const advice =
    moreDays === undefined && requests > 900
      ? '; how many a day is not known (petstore config set plan free)'
      : '';
  return `${needed}: ${time}${days} ${pace}${advice}`;
}

function differencesInWords({ intentions, ids }: Plan, { rows }: Input): string[] {
  const differing = [...intentions.keys()].filter((row) => intentions[row] === 'differs');
  return first(differing, 'more are there with another description', (row) => {
    const { line, name = '' } = rows[row] ?? {};
    return `line ${line}: ${quoted(name)} is there with another description (id ${ids.get(row)}), and stays as it is`;
  });
}

function contradictionsInWords({ contradictions }: Plan, { rows }: Input): string[] {
  return first(contradictions, 'more are in the file with another description', (found) => {
    const { line, name = '' } = rows[found.row] ?? {};
    return `line ${line}: ${quoted(name)} is in line ${rows[found.earlier]?.line} with another description, and that one counts`;
  });
}

function similarInWords({ similar }: Plan, { rows }: Input): string[] {
  return first(similar, 'more names look like others', ({ row, other, listed }) => {
    const { line, name = '' } = rows[row] ?? {};
    const what = listed ? 'which is there already' : 'and is another name';
    return `line ${line}: ${quoted(name)} looks like ${quoted(other)}, ${what}`;
  });
}

/** The first ones as sentences, and how many more there are. */
function first<Item>(items: readonly Item[], more: string, tell: (item: Item) => string): string[] {
  const listed = items.slice(0, mostListed).map(tell);
  const left = items.length - listed.length;
  return left > 0 ? [...listed, `${thousands(left)} ${more}`] : listed;
}

function plural(count: number, word: string): string {
  return count === 1 ? word : `${word}s`;
}
