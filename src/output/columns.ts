import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { writeJson } from '../json/write.ts';

export type Row = readonly (Json | undefined)[];

/** A longer grid of more columns would fill the memory: its elements have no fields in common. */
const maxGridSide = 1_000;

/** Returns the fields of a list in order of first occurrence, or undefined if it is not a list of records. */
export function inferColumns(list: readonly Json[]): readonly string[] | undefined {
  const columns = new Set<string>();
  for (const item of list) {
    if (!isJsonObject(item)) return undefined;
    for (const name of Object.keys(item)) columns.add(name);
    if (Math.min(columns.size, list.length) > maxGridSide) return undefined;
  }
  return columns.size > 0 ? [...columns] : undefined;
}

export function toRow(element: Json, columns: readonly string[] | undefined): Row {
  if (!columns) return [element];
  return columns.map((name) =>
    isJsonObject(element) && Object.hasOwn(element, name) ? element[name] : undefined,
  );
}

export function cellText(cell: Json | undefined): string {
  if (cell === undefined) return '';
  return typeof cell === 'string' ? cell : writeJson(cell);
}

/** A list of lists gets the columns 1, 2, …; null becomes an empty cell, because an import would read `null` back as a text. */
export function toQueryRows(result: Json): Json {
  if (result === null) return [];
  if (!Array.isArray(result)) return withoutNulls(result);
  const isListOfLists = result.every((item) => Array.isArray(item));
  return result.map((item) => withoutNulls(isListOfLists ? numbered(item as Json[]) : item));
}

function numbered(list: readonly Json[]): JsonObject {
  return Object.fromEntries(list.map((value, index) => [String(index + 1), value]));
}

function withoutNulls(value: Json): Json {
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).map(([name, field]) => [name, field ?? undefined]);
  return Object.fromEntries(fields);
}

export function pickFields(value: Json, columns: readonly string[]): Json {
  if (Array.isArray(value)) return value.map((item) => pickFields(item, columns));
  if (!isJsonObject(value)) return value;
  const names = columns.filter((name) => Object.hasOwn(value, name));
  return Object.fromEntries(names.map((name) => [name, value[name]]));
}

export function pickOnly(value: Json, columns: readonly string[]): Json {
  return isJsonObject(value) ? (toRow(value, columns)[0] ?? null) : value;
}
