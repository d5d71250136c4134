import { explained, Failure } from '../errors.ts';
import type { Format } from '../formats.ts';
import { ExactNumber, type Json, type JsonObject } from '../json/exact.ts';
import { unloadable } from '../text/unloadable.ts';
import { choose } from './columns.ts';
import { type Cell, cellText, type Grid } from './grid.ts';
import { createLongTable } from './long-table.ts';
import type { Line, Sink } from './sink.ts';
import { type TableOptions, tableLines } from './table.ts';

/** A list as it comes, so many elements at a time. */
export type Pieces<Element = JsonObject> =
  | AsyncIterable<readonly Element[]>
  | Iterable<readonly Element[]>;

/** Finished lines, and how many elements end in them. */
type Laid = { readonly lines: readonly Line[]; readonly count: number };

export type StreamOptions = TableOptions & {
  readonly format: Format;
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
  const chosen = (elements: readonly Element[]): readonly Json[] =>
    asked ? elements.map((element) => choose(element, asked)) : elements;
  switch (format) {
    case 'json':
      return inJson(pieces, (records) => sink.json([...chosen(records)], 2));
    case 'table':
      return inTable(pieces, grid, sink, options);
    case 'ndjson':
      return inTurn(pieces, async (elements) =>
        elements.length > 0 ? [sink.jsonLines(chosen(elements))] : [],
      );
    case 'yaml':
      return inTurn(pieces, async (records) =>
        (await import('./yaml.ts').catch(unloadable)).yamlLines([...chosen(records)]),
      );
    case 'csv':
      return inTurn(pieces, async (records, isFirst) =>
        (await import('./csv.ts').catch(unloadable)).csvLines(
          grid(records),
          sink,
          header && isFirst,
        ),
      );
    case 'tsv':
      return inTurn(pieces, async (records, isFirst) =>
        (await import('./tsv.ts').catch(unloadable)).tsvLines(grid(records), header && isFirst),
      );
  }
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

/** The error that ended a stream, which then tells what was printed before it. */
export function brokenOff(
  error: unknown,
  printed: number,
  what: string,
  signal: AbortSignal,
): unknown {
  const failure = explained(error, signal, {});
  if (printed === 0 || !(failure instanceof Failure)) return error;
  const told = `${failure.message}: ${printed} ${what} were printed; the list is not complete`;
  return failure.with({}, told);
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

/** As many rows as the columns follow at most. */
const mostSampled = 1_000;
/** As much text as the columns follow at most, in characters: a row may be a megabyte, and three as it is shown. */
const longestSample = 1024 * 1024;

async function* inTable<Element>(
  pieces: Pieces<Element>,
  grid: (elements: readonly Element[]) => Grid,
  sink: Sink,
  options: TableOptions,
): AsyncGenerator<Laid> {
  /** Only what is shown: an element may have a megabyte of other fields. */
  const sample: Grid[] = [];
  let rows = 0;
  let length = 0;
  let lay: ((grid: Grid) => Line) | undefined;
  for await (const records of pieces) {
    if (records.length === 0) continue;
    if (lay) {
      yield { lines: [lay(grid(records))], count: records.length };
      continue;
    }
    const part = detached(grid(records));
    sample.push(part);
    rows += records.length;
    length += lengthOf(part);
    if (rows <= mostSampled && length <= longestSample) continue;
    const { header, rows: all } = together(sample);
    const first = { header, rows: all.slice(0, mostSampled) };
    const table = await createLongTable(first, sink, options);
    lay = table.lay;
    let { head } = table;
    for (const part of sample.splice(0)) {
      yield { lines: [...head, lay(part)], count: part.rows.length };
      head = [];
    }
  }
  if (lay) return;
  const whole = sample.length > 0 ? together(sample) : grid([]);
  yield { lines: await tableLines(whole, sink, options), count: rows };
}

function together(grids: readonly Grid[]): Grid {
  return { header: grids[0]?.header ?? [], rows: grids.flatMap(({ rows }) => rows) };
}

/** The same cells, which keep nothing else of what they were taken from. */
function detached({ header, rows }: Grid): Grid {
  return { header, rows: rows.map((row) => row.map(detachedCell)) };
}

function detachedCell(cell: Cell): Cell {
  if (cell === undefined) return undefined;
  return cell instanceof ExactNumber ? new ExactNumber(copyOf(cell.text)) : copyOf(cellText(cell));
}

/** A text of its own: what is cut out of a longer one keeps that one in memory. */
function copyOf(text: string): string {
  return ` ${text}`.slice(1);
}

function lengthOf({ rows }: Grid): number {
  return rows.flat().reduce<number>((sum, cell) => sum + cellText(cell).length, 0);
}
