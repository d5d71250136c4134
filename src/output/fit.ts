import { cutDisputed, cutTo, mostWidthOf, widthOf } from './layout.ts';

type Rows = readonly (readonly string[])[];

/** A longer cell is cut on a terminal; in a pipe it is whole, and the other rows are not filled up to it. */
const longestCell = 200;

/** The width of each column, but for the cells that are too long. */
export function columnWidths(rows: Rows, count: number): number[] {
  return Array.from({ length: count }, (_, column) =>
    rows.reduce((most, row) => Math.max(most, cellWidth(row[column] ?? '')), 0),
  );
}

/**
 * The rows with cells cut so that each row takes `room` cells of a terminal; but no column becomes narrower than its `least`,
 * and so a row may take more.
 */
export function fitRows(
  rows: Rows,
  room: number,
  least: readonly number[],
  ellipsis: string,
): Rows {
  const count = least.length;
  const limits = fitWidths(columnWidths(rows, count), room, least);
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

/** Column widths for rows that are yet to come: what a terminal has left goes to the last column. */
export function limitWidths(
  natural: readonly number[],
  room: number,
  least: readonly number[],
): readonly number[] {
  const widths = fitWidths(natural, room, least);
  const last = widths.length - 1;
  return widths.with(last, Math.max(widths[last] ?? 0, room - sum(widths.slice(0, last))));
}

/** One row with cells cut to these widths, and so that it takes at most `room` cells on every terminal. */
export function fitRow(
  row: readonly string[],
  widths: readonly number[],
  room: number,
  ellipsis: string,
): readonly string[] {
  const cut = row.map((cell, at) => cutTo(widths[at] ?? 0, cell, ellipsis));
  const most = cut.map((cell, at) =>
    at < cut.length - 1 ? (widths[at] ?? 0) + excess(cell) : mostWidthOf(cell),
  );
  if (sum(most) <= Math.max(room, sum(widths))) return cut;
  return cut.map((cell, at) => cutTo(widths[at] ?? 0, cutDisputed(cell, ellipsis), ellipsis));
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
function fitWidths(
  natural: readonly number[],
  available: number,
  least: readonly number[],
): number[] {
  const atMost = (most: number) =>
    natural.map((width, column) => Math.min(width, Math.max(most, least[column] ?? 0)));
  let most = longestCell;
  while (most > 1 && sum(atMost(most)) > available) most -= 1;
  const widths = atMost(most);
  let spare = available - sum(widths);
  // Of columns that are equally wide the last ones have what is left over.
  for (let column = widths.length - 1; column >= 0 && spare > 0; column -= 1) {
    if (widths[column] !== most || natural[column] === most) continue;
    widths[column] = most + 1;
    spare -= 1;
  }
  return widths;
}
