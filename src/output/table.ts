import type { Grid } from './columns.ts';
import { cutTo, fitWidths, pad, widthOf } from './layout.ts';
import type { Line, Sink } from './sink.ts';

/** A longer cell is cut, in cells of the terminal; JSON has it whole. */
const longestCell = 200;
/** Boxes take time that grows with the square of their rows, so a longer list has none. */
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
  const header = grid.header.map((cell) => sink.show(cell));
  const rows = grid.rows.map((row) => row.map((cell) => cutTo(longestCell, sink.show(cell))));
  const boxed = rows.length <= mostBoxedRows;
  const natural = header.map((cell, column) =>
    rows.reduce((most, row) => Math.max(most, widthOf(row[column] ?? '')), widthOf(cell)),
  );
  const frame = boxed ? 3 * header.length + 1 : 2 * (header.length - 1);
  const widths = width === undefined ? natural : fitWidths(natural, width - frame);
  const fitRow = (row: readonly string[]) =>
    row.map((cell, column) => cutTo(widths[column] ?? longestCell, cell));
  return boxed
    ? box(fitRow(header), rows.map(fitRow))
    : columns(widths, [header, ...rows].map(fitRow));
}

async function box(header: string[], rows: string[][]): Promise<Line[]> {
  const { default: CliTable } = await import('cli-table3');
  // Without colours of its own it does not load its colour library.
  const table = new CliTable({ head: header, style: { head: [], border: [] } });
  table.push(...rows);
  const lines = table.toString().split('\n');
  // One rule below the header is enough; a rule below every row hides the rows.
  const isRule = (line: string) => line.startsWith('├');
  return lines
    .filter((line, index) => index === 2 || !isRule(line))
    .map((line, index) => (index === 1 ? { bold: line } : line));
}

function columns(widths: readonly number[], rows: readonly string[][]): Line[] {
  const lines = rows.map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return lines.map((line, index) => (index === 0 ? { bold: line } : line));
}
