import type { Grid } from './columns.ts';
import { cutDisputed, cutTo, fitWidths, mostWidthOf, pad, widthOf } from './layout.ts';
import type { Line, Sink } from './sink.ts';

/** A longer cell is cut, in cells of the terminal; JSON has it whole. */
const longestCell = 200;
/** A longer list is scrolled through, where a frame is only in the way. */
const mostBoxedRows = 1_000;

/**
 * Lays a grid out as lines: a bold header and one line a row, whatever the cells contain.
 * `width` is the terminal's, in cells; undefined (a pipe) lets each row be as long as it is.
 */
export async function tableLines(
  grid: Grid,
  sink: Sink,
  width: number | undefined,
): Promise<Line[]> {
  const show = (cell: string) => cutTo(longestCell, sink.show(cell));
  const rows = [grid.header, ...grid.rows].map((row) => row.map(show));
  const boxed = grid.rows.length <= mostBoxedRows;
  const natural = grid.header.map((_, column) => widest(rows, column));
  const frame = boxed ? 3 * grid.header.length + 1 : 2 * (grid.header.length - 1);
  const limits = width === undefined ? natural : fitWidths(natural, width - frame);
  const fitted = rows.map((row) =>
    row.map((cell, column) => cutTo(limits[column] ?? longestCell, cell)),
  );
  const widths = limits.map((_, column) => widest(fitted, column));
  const spare = (width ?? Number.POSITIVE_INFINITY) - frame - sum(widths);
  // A row that is longer on some terminals than on others must not break there: its rest would look like another row.
  const safe = fitted.map((row) => (sum(row.map(excess)) > spare ? row.map(cutDisputed) : row));
  const padded = safe.map((row) => row.map((cell, column) => pad(cell, widths[column] ?? 0)));
  return boxed ? box(widths, padded) : columns(padded);
}

function widest(rows: readonly string[][], column: number): number {
  return rows.reduce((most, row) => Math.max(most, widthOf(row[column] ?? '')), 0);
}

/** How many cells more it may take than it is given. */
function excess(cell: string): number {
  return mostWidthOf(cell) - widthOf(cell);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The rows in a frame, the first one as its head. */
async function box(widths: readonly number[], rows: readonly string[][]): Promise<Line[]> {
  const { default: CliTable } = await import('cli-table3');
  // It draws the frame alone: it measures text in another way, and takes time that grows with the square of its rows.
  // Without colours of its own it does not load its colour library.
  const table = new CliTable({
    head: widths.map((width) => 'x'.repeat(width)),
    style: { head: [], border: [] },
  });
  table.push(widths.map(() => ''));
  const [top = '', , rule = '', , bottom = ''] = table.toString().split('\n');
  const [head = '', ...lines] = rows.map((row) => `│ ${row.join(' │ ')} │`);
  return [top, { bold: head }, ...(lines.length > 0 ? [rule] : []), ...lines, bottom];
}

function columns(rows: readonly string[][]): Line[] {
  const lines = rows.map((row) => row.join('  ').trimEnd());
  return lines.map((line, index) => (index === 0 ? { bold: line } : line));
}
