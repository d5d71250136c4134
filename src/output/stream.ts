import { Failure, Interruption, interruptedFailure } from '../errors.ts';
import type { Format } from '../formats.ts';
import type { JsonObject } from '../json/exact.ts';
import { pick } from './columns.ts';
import { cellText, type Grid, gridOf } from './grid.ts';
import type { Line, Sink } from './sink.ts';
import { createLongTable, mostBoxedRows, type TableOptions, tableLines } from './table.ts';

/** Records as they come, so many at a time. */
export type Pieces = AsyncIterable<readonly JsonObject[]> | Iterable<readonly JsonObject[]>;

/** Finished lines, and how many records end in them. */
type Laid = { readonly lines: readonly Line[]; readonly count: number };

export type StreamOptions = TableOptions & {
  readonly format: Format;
  /** The columns that are asked for; undefined where none are. */
  readonly asked: readonly string[] | undefined;
};

/**
 * Lays records out while they come, just as if they had come all at once; but the columns of a table are as wide as its first
 * thousand rows want them.
 */
export function layStream(
  pieces: Pieces,
  columns: readonly string[],
  sink: Sink,
  options: StreamOptions,
): AsyncIterable<Laid> {
  const { format, asked, header } = options;
  const chosen = (records: readonly JsonObject[]) =>
    asked ? records.map((record) => pick(record, asked)) : records;
  const grid = (records: readonly JsonObject[]) => gridOf(records, asked ?? columns);
  switch (format) {
    case 'json':
      return inJson(pieces, (records) => sink.json([...chosen(records)], 2));
    case 'table':
      return inTable(pieces, grid, sink, options);
    case 'ndjson':
      return inTurn(pieces, async (records) =>
        records.length > 0 ? [sink.jsonLines(chosen(records))] : [],
      );
    case 'yaml':
      return inTurn(pieces, async (records) =>
        (await import('./yaml.ts')).yamlLines([...chosen(records)], sink),
      );
    case 'csv':
      return inTurn(pieces, async (records, isFirst) =>
        (await import('./csv.ts')).csvLines(grid(records), sink, header && isFirst),
      );
    case 'tsv':
      return inTurn(pieces, async (records, isFirst) =>
        (await import('./tsv.ts')).tsvLines(grid(records), sink, header && isFirst),
      );
  }
}

/** A long list in pieces of a thousand records. */
export function* slicesOf(records: readonly JsonObject[]): Generator<readonly JsonObject[]> {
  for (let at = 0; at < records.length; at += 1_000) yield records.slice(at, at + 1_000);
}

/** The error that ended a stream, which then tells what was printed before it. */
export function brokenOff(
  error: unknown,
  printed: number,
  what: string,
  signal: AbortSignal,
): unknown {
  const failure = error instanceof Interruption ? interruptedFailure(signal, {}) : error;
  if (printed === 0 || !(failure instanceof Failure)) return error;
  const { kind, message, details } = failure;
  const told = `${message}: ${printed} ${what} were printed; the list is not complete`;
  return new Failure(kind, told, details);
}

/** Each piece by itself; of none, one empty piece. */
async function* inTurn(
  pieces: Pieces,
  lay: (records: readonly JsonObject[], isFirst: boolean) => Promise<readonly Line[]>,
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
async function* inJson(
  pieces: Pieces,
  write: (records: readonly JsonObject[]) => string,
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

/** As much text as the columns follow at most, in characters: a row may be a megabyte. */
const longestSample = 8 * 1024 * 1024;

async function* inTable(
  pieces: Pieces,
  grid: (records: readonly JsonObject[]) => Grid,
  sink: Sink,
  options: TableOptions,
): AsyncGenerator<Laid> {
  const sample: (readonly JsonObject[])[] = [];
  let rows = 0;
  let length = 0;
  let lay: ((grid: Grid) => Line) | undefined;
  for await (const records of pieces) {
    if (records.length === 0) continue;
    if (lay) {
      yield { lines: [lay(grid(records))], count: records.length };
      continue;
    }
    sample.push(records);
    rows += records.length;
    length += lengthOf(grid(records));
    if (rows <= mostBoxedRows && length <= longestSample) continue;
    const first = sample.flat().slice(0, mostBoxedRows);
    const table = await createLongTable(grid(first), sink, options);
    lay = table.lay;
    let { head } = table;
    for (const records of sample.splice(0)) {
      yield { lines: [...head, lay(grid(records))], count: records.length };
      head = [];
    }
  }
  if (lay) return;
  yield { lines: await tableLines(grid(sample.flat()), sink, options), count: rows };
}

function lengthOf({ rows }: Grid): number {
  return rows.flat().reduce<number>((sum, cell) => sum + cellText(cell).length, 0);
}
