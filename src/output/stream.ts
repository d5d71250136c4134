import { explained, Failure } from '../errors.ts';
import type { Json } from '../json/exact.ts';
import { choose } from './columns.ts';
import type { Grid } from './grid.ts';
import type { Pieces } from './items.ts';
import { type LayOptions, lay } from './lay.ts';
import { inTable, type Laid } from './long-table.ts';
import type { Line, Sink } from './sink.ts';

export type StreamOptions = LayOptions & {
  /** The columns that are asked for; undefined where none are. */
  readonly asked: readonly string[] | undefined;
};

/**
 * Lays a list out while it comes, just as if it had come all at once; but the columns of a table are as wide as its first
 * thousand rows want them.
 * @param grid lays elements out as rows, each time in the same columns
 */
export function layStream<Element extends Json>(
  all: Pieces<Element>,
  grid: (elements: readonly Element[]) => Grid,
  sink: Sink,
  options: StreamOptions,
): AsyncIterable<Laid> {
  const { format, asked, header } = options;
  const pieces = inSlices(all);
  // Not copied: a list that is written as it came is known by its array.
  const chosen = (elements: readonly Element[]) =>
    asked
      ? elements.map((element) => choose(element, asked))
      : (elements as readonly Json[] as Json[]);
  if (format === 'json') return inJson(pieces, (elements) => sink.json(chosen(elements), 2));
  if (format === 'table') return inTable(pieces, grid, sink, options);
  return inTurn(pieces, (elements, isFirst) =>
    lay(
      () => chosen(elements),
      () => grid(elements),
      sink,
      { ...options, header: header && isFirst },
    ),
  );
}

/** A long list in pieces of a thousand elements. */
export function* slicesOf<Element>(list: readonly Element[]): Generator<readonly Element[]> {
  for (let at = 0; at < list.length; at += 1_000) yield list.slice(at, at + 1_000);
}

/** Most elements that are laid out at a time: what is made of more lives too long to be forgotten cheaply. */
const mostAtOnce = 4_000;

async function* inSlices<Element>(pieces: Pieces<Element>): AsyncGenerator<readonly Element[]> {
  for await (const elements of pieces) {
    if (elements.length <= mostAtOnce) yield elements;
    else yield* slicesOf(elements);
  }
}

/** The error that ended a stream, which then says what was printed before it. */
export function brokenOff(
  error: unknown,
  printed: number,
  what: string,
  signal: AbortSignal,
): unknown {
  const failure = explained(error, signal, {});
  if (printed === 0 || !(failure instanceof Failure)) return error;
  const message = `${failure.message}; the list is incomplete: ${printed} ${what} printed`;
  return failure.with({}, message);
}

/** Each piece by itself; of none, one empty piece. */
async function* inTurn<Element>(
  pieces: Pieces<Element>,
  lay: (elements: readonly Element[], isFirst: boolean) => Promise<readonly Line[]>,
): AsyncGenerator<Laid> {
  let isFirst = true;
  for await (const records of pieces) {
    if (records.length === 0) continue;
    yield { lines: await lay(records, isFirst), count: records.length };
    isFirst = false;
  }
  if (isFirst) yield { lines: await lay([], true), count: 0 };
}

/** A piece waits for the next one, since only then it is known that a comma follows. */
async function* inJson<Element>(
  pieces: Pieces<Element>,
  write: (elements: readonly Element[]) => string,
): AsyncGenerator<Laid> {
  let held: { readonly text: string; readonly count: number } | undefined;
  let begin: readonly Line[] = ['['];
  for await (const records of pieces) {
    if (records.length === 0) continue;
    if (held) {
      yield { lines: [...begin, `${held.text},`], count: held.count };
      begin = [];
    }
    // Without its own brackets, each of which is a line.
    held = { text: write(records).slice(2, -2), count: records.length };
  }
  if (held) yield { lines: [...begin, held.text, ']'], count: held.count };
  else yield { lines: ['[]'], count: 0 };
}
