import { cutDisputed, cutTo, mostWidthOf, widthOf } from './layout.ts';

type Rows = readonly (readonly string[])[];

/** A longer cell is cut on a terminal; in a pipe it is whole, and the other rows are not filled up to it. */
const longestCell = 200;
const narrowestColumn = 6;

/** The width of each column, but for the cells that are too long. */
export function columnWidths(rows: Rows, count: number): number[] {
  return Array.from({ length: count }, (_, column) =>
    rows.reduce((most, row) => Math.max(most, cellWidth(row[column] ?? '')), 0),
  );
}

/** The rows with cells cut so that each row takes `room` cells of a terminal. */
export function fitRows(rows: Rows, room: number, ellipsis: string): Rows {
  const count = rows[0]?.length ?? 0;
  const limits = fitWidths(columnWidths(rows, count), room);
  const cut = rows.map((row) => row.map((cell, at) => cutTo(limits[at] ?? 0, cell, ellipsis)));
  const widths = columnWidths(cut, count);
  const spare = room - sum(widths);
  // A row that is longer on some terminals than on others must not break there: its rest would look like another row.
  return cut.map((row) =>
    sum(row.map(excess)) > spare
      ? row.map((cell, at) => cutTo(widths[at] ?? 0, cutDisputed(cell, ellipsis), ellipsis))
      : row,
  );
}

export function pad(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - cellWidth(cell)));
}

/** Its width up to the longest cell's; what has ten times as many characters is not measured, since that takes minutes. */
function cellWidth(cell: string): number {
  return cell.length > 10 * longestCell ? longestCell : Math.min(longestCell, widthOf(cell));
}

/** How many cells more it may take than it is given. */
function excess(cell: string): number {
  return mostWidthOf(cell) - widthOf(cell);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Column widths that together take at most `available` cells: the widest columns give way first. */
function fitWidths(natural: readonly number[], available: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width, 0) - available;
  while (excess > 0) {
    const widest = Math.max(...widths);
    if (widest <= narrowestColumn) break;
    widths[widths.indexOf(widest)] = widest - 1;
    excess -= 1;
  }
  return widths;
}
