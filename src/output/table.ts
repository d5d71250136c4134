import { ExactNumber } from '../json/exact.ts';
import { unloadable } from '../text/unloadable.ts';
import { cellText, type Grid } from './grid.ts';
import type { Line, Sink } from './sink.ts';

export type TableOptions = {
  /** The terminal's, in cells; undefined (a pipe) lets each row be as long as it is, and nothing is cut. */
  readonly width: number | undefined;
  /** Whether the first row says what the columns are. */
  readonly header: boolean;
  /** Lines and dots of ASCII, where the user's locale knows no others. */
  readonly ascii: boolean;
};

/** A longer list is scrolled through, and a wider one is folded: a frame is only in the way. */
export const mostBoxedRows = 1_000;
const mostBoxedColumns = 100;

/** Digits and sign of an int64: half an id would be another id, and so none is cut. */
const longestNumber = 20;

/** Lays a grid out as lines: a bold header and one line a row, whatever the cells contain. */
export async function tableLines(
  grid: Grid,
  sink: Sink,
  { width, header, ascii }: TableOptions,
): Promise<Line[]> {
  const ellipsis = ascii ? '...' : '…';
  const titles = header ? [grid.header.map((title) => sink.show(title))] : [];
  const rows = [...titles, ...grid.rows.map((row) => row.map((cell) => sink.show(cellText(cell))))];
  if (rows.length === 0) return [];
  const count = grid.header.length;
  const boxed = grid.rows.length <= mostBoxedRows && count <= mostBoxedColumns;
  const frame = boxed ? 3 * count + 1 : 2 * (count - 1);
  const room = width === undefined ? undefined : width - frame;
  const { widths, padded } =
    layPlain(rows, count, room) ?? (await layAny(rows, numberWidths(grid), room, ellipsis));
  return boxed ? box(widths, padded, header, ascii) : columns(padded, header);
}

type Rows = readonly (readonly string[])[];
type Laid = { readonly widths: readonly number[]; readonly padded: readonly string[][] };

/** Rows of short ASCII that fit, undefined for others: what measures those takes 10 ms to load. */
function layPlain(rows: Rows, count: number, room = Number.POSITIVE_INFINITY): Laid | undefined {
  if (!rows.every((row) => row.every((cell) => /^[ -~]{0,200}$/.test(cell)))) return undefined;
  const widths = Array.from({ length: count }, (_, column) =>
    rows.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0),
  );
  if (widths.reduce((total, width) => total + width, 0) > room) return undefined;
  const padded = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)));
  return { widths, padded };
}

async function layAny(
  rows: Rows,
  least: readonly number[],
  room: number | undefined,
  ellipsis: string,
): Promise<Laid> {
  const { columnWidths, fitRows, pad } = await import('./fit.ts').catch(unloadable);
  const fitted = room === undefined ? rows : fitRows(rows, room, least, ellipsis);
  const widths = columnWidths(fitted, least.length);
  const padded = fitted.map((row) => row.map((cell, column) => pad(cell, widths[column] ?? 0)));
  return { widths, padded };
}

/** The room that the numbers of each column need. */
function numberWidths({ header, rows }: Grid): number[] {
  return header.map((_, column) =>
    rows.reduce((most, { [column]: cell }) => {
      const digits = cell instanceof ExactNumber ? cell.text.length : 0;
      return digits > longestNumber ? most : Math.max(most, digits);
    }, 0),
  );
}

/**
 * A table of more rows than are known yet, in columns without a frame: as wide as those of the `sample` need to be, and wide
 * enough for every 64-bit integer. Later a longer cell pushes the rest of its row aside; on a terminal it is cut.
 */
export async function createLongTable(
  sample: Grid,
  sink: Sink,
  { width, header, ascii }: TableOptions,
): Promise<{ readonly head: readonly Line[]; readonly lay: (grid: Grid) => Line }> {
  const { columnWidths, fitRow, limitWidths, pad } = await import('./fit.ts').catch(unloadable);
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
    return fitted
      .map((cell, column) => pad(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd();
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

/** The rows in a frame, the first one as its head. */
function box(
  widths: readonly number[],
  rows: readonly string[][],
  header: boolean,
  ascii: boolean,
): Line[] {
  const dashes = widths.map((width) => (ascii ? '-' : '─').repeat(width + 2));
  const rule = (left: string, between: string, right: string) =>
    ascii ? `+${dashes.join('+')}+` : left + dashes.join(between) + right;
  const bar = ascii ? '|' : '│';
  const lines = rows.map((row) => `${bar} ${row.join(` ${bar} `)} ${bar}`);
  const [top, bottom] = [rule('┌', '┬', '┐'), rule('└', '┴', '┘')];
  if (!header) return [top, ...lines, bottom];
  const [head = '', ...others] = lines;
  const below = others.length > 0 ? [rule('├', '┼', '┤'), ...others] : [];
  return [top, { bold: head }, ...below, bottom];
}

function columns(rows: readonly string[][], header: boolean): Line[] {
  const lines = rows.map((row) => row.join('  ').trimEnd());
  return lines.map((line, index) => (header && index === 0 ? { bold: line } : line));
}
