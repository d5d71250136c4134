import { ExactNumber } from '../json/exact.ts';
import { type Cell, cellText, type Grid, longestNumber, numberWidths } from './grid.ts';
import type { Pieces } from './items.ts';
import type { Line, Sink } from './sink.ts';
import { type TableOptions, tableLines } from './table.ts';

/** Finished lines, and how many elements end in them. */
export type Laid = { readonly lines: readonly Line[]; readonly count: number };

/** As many rows as the columns follow at most. */
const mostSampled = 1_000;
/** As much text as the columns follow at most, in characters: a row may be a megabyte, and three as it is shown. */
const longestSample = 1024 * 1024;

/** A list as a table, while it comes: of up to a thousand rows as if it had come all at once. */
export async function* inTable<Element>(
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

/**
 * A table of more rows than are known yet, in columns without a frame: as wide as those of the `sample` need to be, and wide
 * enough for every 64-bit integer. Later a longer cell pushes the rest of its row aside; on a terminal it is cut.
 */
async function createLongTable(
  sample: Grid,
  sink: Sink,
  { width, header, ascii }: TableOptions,
): Promise<{ readonly head: readonly Line[]; readonly lay: (grid: Grid) => Line }> {
  const { columnLine, columnWidths, fitRow, limitWidths } = await import('./fit.ts');
  const least = numberWidths(sample).map((most) => (most > 0 ? longestNumber : 0));
  const text = (row: Grid['rows'][number]) => row.map((cell) => sink.show(cellText(cell)));
  const titles = sample.header.map((title) => sink.show(title));
  const shown = [
    ...(header ? [titles] : []),
    ...sample.rows.map(text),
    least.map((n) => ' '.repeat(n)),
  ];
  const ellipsis = ascii ? '...' : '…';
  const room = width === undefined ? undefined : width - 2 * (titles.length - 1);
  const widths =
    room === undefined
      ? columnWidths(shown, titles.length)
      : limitWidths(shown, room, least, ellipsis);
  const open = least.at(-1) ?? 0;
  const line = (cells: readonly string[]) => {
    const fitted = room === undefined ? cells : fitRow(cells, { widths, room, open }, ellipsis);
    return columnLine(fitted, widths);
  };
  return {
    head: header ? [{ bold: line(titles) }] : [],
    lay: ({ rows }) => {
      const cells = rows.map((row) => row.map(cellText));
      const asItIs = sink.showsAsItIs(cells.map((row) => row.join(' ')).join(' '));
      return cells.map((row) => line(asItIs ? row : row.map(sink.show))).join('\n');
    },
  };
}
