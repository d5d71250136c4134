import { cutTo, mostWidthOf, widthOf } from './layout.ts';

export { widthOf };

type Rows = readonly (readonly string[])[];

/** A longer cell is cut on a terminal; in a pipe it is whole, and the other rows are not filled up to it. */
const longestCell = 200;

/** Columns on a terminal that has `room` for them all. */
type Columns = {
  readonly widths: readonly number[];
  readonly room: number;
  /** Where nothing follows the last column, so that it is not padded: what it needs all the same. */
  readonly open?: number;
};

/** The width of each column, but for the cells that are too long. */
export function columnWidths(rows: Rows, count: number): number[] {
  return columnsOf(rows, count, widthOf);
}

/** The rows with cells cut so that none takes more than `room` cells of a terminal, but for columns at their `least`. */
export function fitRows(rows: Rows, columns: Columns, ellipsis: string): Rows {
  return rows.map((row) => fitRow(row, columns, ellipsis));
}

/** Of a narrower column one reads too little, in cells. */
const usefulWidth = 10;

/** Whether so much is cut from a column that little is left of it. */
export function isCrowded(rows: Rows, widths: readonly number[]): boolean {
  const needs = columnWidths(rows, widths.length);
  return widths.some((width, at) => width < Math.min(usefulWidth, needs[at] ?? 0));
}

/**
 * Column widths for rows that are yet to come, after a sample of them: what a terminal has left goes to the last column, which is
 * not padded.
 */
export function limitWidths(
  sample: Rows,
  room: number,
  least: readonly number[],
  ellipsis: string,
): readonly number[] {
  const widths = fitWidths(sample, room, least, ellipsis);
  const last = widths.length - 1;
  return widths.with(last, Math.max(widths[last] ?? 0, room - sum(widths.slice(0, last))));
}

/** The row with cells cut to the widths of their columns, and so that it is longer than the terminal on none. */
export function fitRow(
  row: readonly string[],
  { widths, room, open }: Columns,
  ellipsis: string,
): readonly string[] {
  const padded = open === undefined ? widths.length : widths.length - 1;
  /** What a cell takes beside the width of its column: a padded one takes that already. */
  const beside = (at: number, width: number, most: number) => (at < padded ? most - width : most);
  const cutAll = (shares: readonly number[]) =>
    row.map((cell, at) =>
      cutTo(
        cell,
        ellipsis,
        (width, most) => width <= (widths[at] ?? 0) && beside(at, width, most) <= (shares[at] ?? 0),
      ),
    );
  const cut = cutAll(row.map(() => Number.MAX_VALUE));
  const needs = cut.map((cell, at) => beside(at, widthOf(cell), mostWidthOf(cell)));
  const spare = Math.max(room, sum(widths)) - sum(widths.slice(0, padded));
  if (sum(needs) <= spare) return cut;
  return cutAll(
    shareOut(
      needs,
      spare,
      needs.map((_, at) => (at < padded ? 0 : (open ?? 0))),
    ),
  );
}

/** Whether it would be cut on a terminal. */
export function isLong(cell: string): boolean {
  return cell.length > 10 * longestCell || widthOf(cell) > longestCell;
}

/** The cells under those of other rows, without a frame. */
export function columnLine(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, at) => cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - cellWidth(cell, widthOf))))
    .join('  ')
    .trimEnd();
}

function columnsOf(rows: Rows, count: number, measure: (cell: string) => number): number[] {
  return Array.from({ length: count }, (_, column) =>
    rows.reduce((most, row) => Math.max(most, cellWidth(row[column] ?? '', measure)), 0),
  );
}

/** Its width up to the longest cell's; what has ten times as many characters is not measured, since that takes minutes. */
function cellWidth(cell: string, measure: (cell: string) => number): number {
  return cell.length > 10 * longestCell ? longestCell : Math.min(longestCell, measure(cell));
}

/** How many cells more it may take than it is given. */
function excess(cell: string): number {
  return mostWidthOf(cell) - widthOf(cell);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/**
 * Column widths that together take at most `room` cells, but no one less than its `least`. Terminals do not agree on the width of
 * emoji and of Indic text: what rows may take beside these widths is left free, but of room that other rows need only a third.
 */
export function fitWidths(
  rows: Rows,
  room: number,
  least: readonly number[],
  ellipsis: string,
): number[] {
  const count = least.length;
  const atLeast = least.map((width) => Math.max(1, width));
  const mosts = shareOut(columnsOf(rows, count, mostWidthOf), room, atLeast);
  const cut = rows.map((row) =>
    row.map((cell, at) => cutTo(cell, ellipsis, (_, most) => most <= (mosts[at] ?? 0))),
  );
  const disputed = Math.max(0, ...cut.map((row) => sum(row.map(excess))));
  const free = Math.max(0, room - sum(columnWidths(cut, count)), Math.floor(room / 3));
  return shareOut(columnWidths(rows, count), room - Math.min(disputed, free), atLeast);
}

/** As much of the `available` for each as it needs: who needs most gives way first, but not below its `least`. */
function shareOut(needs: readonly number[], available: number, least: readonly number[]): number[] {
  const atMost = (most: number) =>
    needs.map((need, at) => Math.min(need, Math.max(most, least[at] ?? 0)));
  let most = Math.max(0, Math.min(available, Math.max(...needs)));
  while (most > 0 && sum(atMost(most)) > available) most -= 1;
  const shares = atMost(most);
  let spare = available - sum(shares);
  // Of those that have as much as each other the last ones have what is left over.
  for (let at = shares.length - 1; at >= 0 && spare > 0; at -= 1) {
    if (shares[at] !== most || needs[at] === most) continue;
    shares[at] = most + 1;
    spare -= 1;
  }
  return shares;
}
