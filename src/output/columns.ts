import { ExactNumber, isJsonObject, type Json, type JsonObject } from '../json/exact.ts';
import { writeJson } from '../json/write.ts';

/** A table before it is laid out: plain text in rows and columns. */
export type Grid = { readonly header: readonly string[]; readonly rows: readonly string[][] };

/** Records under the columns that are asked for. */
export function gridOf(records: readonly JsonObject[], columns: readonly string[]): Grid {
  return {
    header: columns,
    rows: records.map((record) => columns.map((column) => cellText(fieldOf(record, column)))),
  };
}

/**
 * Data of which nothing is known beforehand. A list of objects has a column for each field that occurs, in the order
 * of first sight; anything else lists its fields one under another.
 */
export function gridOfAnything(data: Json): Grid {
  if (Array.isArray(data) && data.every(isJsonObject)) {
    const columns = new Set(data.flatMap((record) => Object.keys(record)));
    return columns.size > 0
      ? gridOf(data, [...columns])
      : { header: ['value'], rows: data.map(() => ['{}']) };
  }
  if (isJsonObject(data)) {
    const rows = Object.entries(data).map(([field, value]) => [field, cellText(value)]);
    return { header: ['field', 'value'], rows };
  }
  const values = Array.isArray(data) ? data : [data];
  return { header: ['value'], rows: values.map((value) => [cellText(value)]) };
}

/** Not what every object has by birth. */
function fieldOf(record: JsonObject, column: string): Json | undefined {
  return Object.hasOwn(record, column) ? record[column] : undefined;
}

/** A field as one cell: text as it is, nothing where there is nothing, everything else as JSON. */
function cellText(value: Json | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  if (value instanceof ExactNumber) return value.text;
  return writeJson(value);
}
