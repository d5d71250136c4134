import type { Category } from '../../api/resources.ts';
import { type JsonObject, parseJson } from '../../json/json.ts';
import { writeJson } from '../../json/write.ts';

/** An order of categories, and the one field that it looks at. */
export type Sorting = {
  readonly field: string;
  readonly order: (a: Category, b: Category) => number;
};

/** As much text is parsed again at a time, in characters. */
const batch = 64 * 1024;

/**
 * A long list in another order, in pieces. Of each category the text is kept, and parsed again when it is its turn: fields that
 * the document does not name may take two hundred times the room of their text.
 */
export async function* sortLong(
  pieces: AsyncIterable<readonly Category[]>,
  sorting: Sorting,
): AsyncGenerator<Category[]> {
  let piece: Category[] = [];
  let length = 0;
  for (const text of await sortedTexts(pieces, sorting)) {
    piece.push(parseJson(text) as Category);
    length += text.length;
    if (length < batch) continue;
    yield piece;
    piece = [];
    length = 0;
  }
  yield piece;
}

async function sortedTexts(
  pieces: AsyncIterable<readonly Category[]>,
  { field, order }: Sorting,
): Promise<string[]> {
  /** Of the fields only what is sorted by; one object for each, since there may be a million. */
  const kept: Category[] = [];
  for await (const piece of pieces) {
    for (const category of piece) {
      const key: JsonObject = { [field]: category[field], text: flat(writeJson(category)) };
      kept.push(key as Category);
    }
  }
  return kept.sort(order).map((category) => String(category.text));
}

/** The same text in one piece: one that was put together holds on to all of its parts. */
function flat(parts: string): string {
  return Buffer.from(parts).toString();
}
