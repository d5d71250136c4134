import type { Category } from '../../api/resources.ts';
import { nearest } from '../../text/nearest.ts';
import { shellWord } from '../../text/shell.ts';

/** What a list has for an id or a name, in a memory that does not grow with the list. */
export type Found = {
  /** The first one of all that match. */
  readonly category: Category | undefined;
  readonly count: number;
  /** Of those that match; the first ones alone. */
  readonly ids: readonly string[];
  /** The name that comes nearest where nothing matches; one that a shell can be given. */
  readonly similar: string | undefined;
};

const mostIds = 20;

/** A longer name is compared with no other one: that takes the product of their lengths. In characters. */
const longestSimilar = 200;

/** Looks for all categories with this very id or name. @throws what the pieces throw */
export async function findCategory(
  pieces: AsyncIterable<readonly Category[]>,
  word: string,
): Promise<Found> {
  let category: Category | undefined;
  let count = 0;
  let similar: string | undefined;
  const ids: string[] = [];
  for await (const piece of pieces) {
    // Ids are valid here, and the text of an int64 is the only one that it has.
    for (const one of piece.filter(({ id, name }) => id.text === word || name === word)) {
      category ??= one;
      count += 1;
      if (ids.length < mostIds) ids.push(one.id.text);
    }
    if (count === 0) similar = nearestOf(word, similar, piece);
  }
  return { category, count, ids, similar };
}

function nearestOf(
  word: string,
  before: string | undefined,
  piece: readonly Category[],
): string | undefined {
  if (word.length > longestSimilar) return undefined;
  const names = piece.map(({ name }) => name).filter((name) => name.length <= longestSimilar);
  const known = before === undefined ? names : [before, ...names];
  return nearest(word, known, (name) => shellWord(name) !== undefined);
}
