import type { Category } from '../../api/resources.ts';
import { type JsonObject, parseJson } from '../../json/json.ts';
import { writeJson } from '../../json/write.ts';

/** An order of categories, and the one field that it compares. */
export type Sorting = {
  readonly field: string;
  readonly order: (a: Category, b: Category) => number;
};

/** In characters of JSON. */
const minBatchLength = 64 * 1024;

/**
 * Sorts a long list. Keeps the JSON of each category until its turn: parsed, fields that the interface document does not name may
 * take two hundred times as much memory.
 */
export async function* sortLong(
  batches: AsyncIterable<readonly Category[]>,
  sorting: Sorting,
): AsyncGenerator<Category[]> {
  let batch: Category[] = [];
  let length = 0;
  for (const text of await sortTexts(batches, sorting)) {
    batch.push(parseJson(text) as Category);
    length += text.length;
    if (length < minBatchLength) continue;
    yield batch;
    batch = [];
    length = 0;
  }
  yield batch;
}

async function sortTexts(
  batches: AsyncIterable<readonly Category[]>,
  { field, order }: Sorting,
): Promise<string[]> {
  // One small object for each category, since there may be a million.
  const kept: Category[] = [];
  for await (const batch of batches) {
    for (const category of batch) {
      const key: JsonObject = { [field]: category[field], text: flatten(writeJson(category)) };
      kept.push(key as Category);
    }
  }
  return kept.sort(order).map((category) => String(category.text));
}

/** Copies a text into one piece of memory: V8 keeps all parts of a concatenated string. */
function flatten(text: string): string {
  return Buffer.from(text).toString();
}
