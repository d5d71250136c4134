import { isJsonObject, type Json, type JsonObject } from '../json/exact.ts';
import { mostCells } from './grid.ts';

/** What the rows of a list are. */
type Survey = {
  /** Each field that occurs, in the order of first sight. */
  readonly there: readonly string[];
  /** Elements as records with these fields. */
  readonly toRecords: (elements: readonly Json[]) => readonly JsonObject[];
};

/**
 * Looks through a list of which nothing is known beforehand, as recordsOf and columnsOf do where all of it is in memory.
 * @param asked how many columns are asked for, or else each field has one
 */
export async function survey(
  pieces: AsyncIterable<readonly Json[]>,
  asked: number | undefined,
): Promise<Survey> {
  const fields = new Set<string>();
  let count = 0;
  for await (const elements of pieces) {
    count += elements.length;
    if (!elements.every(isJsonObject)) return values;
    for (const element of elements) for (const name of Object.keys(element)) fields.add(name);
    if ((asked ?? fields.size) * count > mostCells) return values;
  }
  if (fields.size === 0) return values;
  return { there: [...fields], toRecords: (elements) => elements as readonly JsonObject[] };
}

/** Each element is one cell. */
const values: Survey = {
  there: ['value'],
  toRecords: (elements) => elements.map((value) => ({ value })),
};
