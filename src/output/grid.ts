import { ExactNumber, isJsonObject, type Json, type JsonObject } from '../json/exact.ts';
import { writeJson } from '../json/write.ts';
import type { Pieces } from './items.ts';

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
const mostCells = 1_000_000;
/** A record may lack so many of the fields of others, however long the list is. */
const fewFields = 20;

/** What the rows of a list are of which nothing is known beforehand. */
type Survey = {
  /** Each field that occurs, in the order of first sight. */
  readonly there: readonly string[];
  /** Elements as records with these fields. */
  readonly toRecords: (elements: readonly Json[]) => readonly JsonObject[];
};

/** Looks through such a list. @param asked how many columns are asked for, or else each field has one */
export async function survey(pieces: Pieces<Json>, asked: number | undefined): Promise<Survey> {
  const fields = new Set<string>();
  let count = 0;
  for await (const elements of pieces) {
    count += elements.length;
    if (!elements.every(isJsonObject)) return values;
    for (const element of elements) for (const name of Object.keys(element)) fields.add(name);
    const columns = asked ?? fields.size;
    if (columns > fewFields && columns * count > mostCells) return values;
  }
  if (count > 0 && fields.size === 0) return values;
  return { there: [...fields], toRecords: (elements) => elements as readonly JsonObject[] };
}

/** Each element is one cell. */
const values: Survey = {
  there: ['value'],
  toRecords: (elements) => elements.map((value) => ({ value })),
};

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
