import { usageFailure } from '../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../json/exact.ts';
import { nearest } from '../text/nearest.ts';
import { mayBeKey, wordFor } from '../text/secret.ts';

/** The fields of a record that are asked for and that it has, in the order in which they are asked for. */
function pick(record: JsonObject, columns: readonly string[]): JsonObject {
  const there = columns.filter((column) => Object.hasOwn(record, column));
  return Object.fromEntries(there.map((column) => [column, record[column]]));
}

/** The same of each record in a list; what is no record is left as it is. */
export function choose(data: Json, columns: readonly string[]): Json {
  if (Array.isArray(data)) return data.map((item) => choose(item, columns));
  return isJsonObject(data) ? pick(data, columns) : data;
}

/** @throws Failure (usage) when a column is asked for that no record of the command has */
export function refuseUnknown(asked: readonly string[], known: readonly string[]): void {
  const unknown = asked.find((column) => !known.includes(column));
  if (unknown === undefined) return;
  const meant =
    known.find((column) => column.toLowerCase().startsWith(unknown.toLowerCase())) ??
    nearest(unknown, known);
  const word = mayBeKey(unknown) ? `(${wordFor(unknown)})` : `"${unknown}"`;
  const what = meant === undefined ? word : `"${unknown}"; did you mean "${meant}"?`;
  throw usageFailure(`unknown column ${what}`, `Columns: ${known.join(', ')}`);
}

/** Fields that a notice names; a response may have thousands. */
const mostNamed = 20;

/** What is to be said of columns that are asked for and are not among those that there are, if there are any. */
export function noticesOfUnknown(asked: readonly string[], there: readonly string[]): string[] {
  const known = new Set(there);
  const named = there.slice(0, mostNamed).join(', ');
  const more = there.length > mostNamed ? ` and ${there.length - mostNamed} more` : '';
  return asked
    .filter((column) => known.size > 0 && !known.has(column))
    .map((column) => `unknown column "${column}"; the response has these fields: ${named}${more}`);
}
