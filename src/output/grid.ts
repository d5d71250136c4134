import { ExactNumber, isJsonObject, type Json, type JsonObject } from '../json/exact.ts';
import { writeJson } from '../json/write.ts';

/** A field, or nothing where a record has none. */
export type Cell = Json | undefined;

/** Rows and columns before they are laid out. */
export type Grid = { readonly header: readonly string[]; readonly rows: readonly Cell[][] };

/** Records under the columns that are asked for. */
export function gridOf(records: readonly JsonObject[], columns: readonly string[]): Grid {
  return {
    header: columns,
    rows: records.map((record) => columns.map((column) => fieldOf(record, column))),
  };
}

/** The fields of one record, one under another. */
export function fieldList(record: JsonObject, columns: readonly string[]): Grid {
  return {
    header: ['field', 'value'],
    rows: columns.map((column) => [column, fieldOf(record, column)]),
  };
}

/** Above this, what comes are no records with fields in common, and a cell for each field of each would fill the memory. */
export const mostCells = 1_000_000;

/**
 * Data of which nothing is known beforehand as records: each item of a list, or the one thing it is. `asked` is how many
 * columns are asked for, or else each field has one.
 */
export function recordsOf(data: Json, asked: number | undefined): readonly JsonObject[] {
  const items = Array.isArray(data) ? data : [data];
  return areRecords(items, asked) ? items : items.map((value) => ({ value }));
}

function areRecords(items: readonly Json[], asked?: number): items is readonly JsonObject[] {
  if (!items.every(isJsonObject)) return false;
  const fields = columnsOf(items).length;
  return fields > 0 && (asked ?? fields) * items.length <= mostCells;
}

/** Each field that occurs, in the order of first sight. */
export function columnsOf(records: readonly JsonObject[]): string[] {
  return [...new Set(records.flatMap((record) => Object.keys(record)))];
}

/** A field as one cell: text as it is, nothing where there is nothing, everything else as JSON. */
export function cellText(value: Cell): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  if (value instanceof ExactNumber) return value.text;
  return writeJson(value);
}

/** Not what every object has by birth. */
function fieldOf(record: JsonObject, column: string): Cell {
  return Object.hasOwn(record, column) ? record[column] : undefined;
}

/** Digits and sign of an int64: half an id would be another id, and so none is cut. */
export const longestNumber = 20;

/** The room that the numbers of each column need. */
export function numberWidths({ header, rows }: Grid): number[] {
  return header.map((_, column) =>
    rows.reduce((most, { [column]: cell }) => {
      const digits = cell instanceof ExactNumber ? cell.text.length : 0;
      return digits > longestNumber ? most : Math.max(most, digits);
    }, 0),
  );
}
