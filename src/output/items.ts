import type { JsonObject } from '../json/exact.ts';
import type { Sink } from './sink.ts';

/** Many things, each made when its turn comes, so that a hundred thousand take no room. */
export type Items = {
  readonly columns: readonly string[];
  readonly count: number;
  readonly item: (index: number) => JsonObject;
};

/** A list as it comes, so many elements at a time. */
export type Pieces<Element = JsonObject> =
  | AsyncIterable<readonly Element[]>
  | Iterable<readonly Element[]>;

/** What comes of each piece, when its turn comes. */
export async function* mapPieces<Piece, Result>(
  pieces: AsyncIterable<Piece> | Iterable<Piece>,
  change: (piece: Piece) => Result,
): AsyncGenerator<Result> {
  for await (const piece of pieces) yield change(piece);
}

const piece = 1_000;

/** All of them in pieces of a thousand; of none, one empty piece. */
export function* piecesOf({ count, item }: Items): Generator<JsonObject[]> {
  let start = 0;
  do {
    const length = Math.min(piece, count - start);
    yield Array.from({ length }, (_, n) => item(start + n));
    start += piece;
  } while (start < count);
}

/** JSON of `head` with all of them as its `items`, in pieces. */
export function* nestedInJson(head: JsonObject, items: Items, sink: Sink): Generator<string[]> {
  // The head without its closing brace, so that the items can follow in it.
  yield [`${sink.json(head, 2).slice(0, -2)},`, '  "items": ['];
  let left = items.count;
  for (const records of piecesOf(items)) {
    yield records.map((record) => {
      left -= 1;
      return `    ${sink.json(record, 2).replaceAll('\n', '\n    ')}${left > 0 ? ',' : ''}`;
    });
  }
  yield ['  ]', '}'];
}

/** YAML of the same. */
export async function* nestedInYaml(head: JsonObject, items: Items): AsyncGenerator<string[]> {
  const { yamlLines } = await import('./yaml.ts');
  if (items.count === 0) return yield yamlLines({ ...head, items: [] });
  yield [...yamlLines(head), 'items:'];
  for (const records of piecesOf(items)) yield yamlLines(records);
}
