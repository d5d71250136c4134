import { frame } from './frame.ts';
import { cellText, type Grid, numberWidths } from './grid.ts';
import type { Line, Sink } from './sink.ts';

export type TableOptions = {
  /** The terminal's, in cells; undefined (a pipe) lets each row be as long as it is, and nothing is cut. */
  readonly width: number | undefined;
  /** Whether the first row says what the columns are. */
  readonly header: boolean;
  /** Lines and dots of ASCII, where the user's locale knows no others. */
  readonly ascii: boolean;
};

/** A longer list is scrolled through, and a wider one is folded: a frame is only in the way, and takes long to draw. */
const mostFramed = { cells: 1_000, columns: 100 };

/**
 * Lays a grid out as lines: a bold header and one line a row, whatever the cells contain; on a terminal that is too narrow for the
 * columns, a block of lines for each row.
 */
export async function tableLines(
  grid: Grid,
  sink: Sink,
  { width, header, ascii }: TableOptions,
): Promise<Line[]> {
  const titles = header ? [grid.header.map((title) => sink.show(title))] : [];
  const rows = [...titles, ...grid.rows.map((row) => row.map((cell) => sink.show(cellText(cell))))];
  if (rows.length === 0) return [];
  const count = grid.header.length;
  const isSmall = count <= mostFramed.columns && count * grid.rows.length <= mostFramed.cells;
  const room =
    width === undefined ? undefined : width - (isSmall ? 3 * count + 1 : 2 * (count - 1));
  if (isSmall && fitAsTheyAre(rows, count, room))
    return frame(rows, { header, ascii, widthOf: (text) => text.length });
  const { columnLine, columnWidths, fitRows, fitWidths, isCrowded, isLong, widthOf } = await import(
    './fit.ts'
  );
  let fitted: Rows = rows;
  if (width !== undefined && room !== undefined) {
    const ellipsis = ascii ? '...' : '…';
    const widths = fitWidths(rows, room, numberWidths(grid), ellipsis);
    // Of two columns the first is most often the name of the second.
    if (header && count > 2 && isCrowded(rows, widths)) {
      const { blocks } = await import('./blocks.ts');
      return blocks(rows[0] ?? [], rows.slice(1), width, ellipsis);
    }
    fitted = fitRows(rows, { widths, room }, ellipsis);
  }
  // On a terminal no cell is long any more.
  if (isSmall && (room !== undefined || !fitted.flat().some(isLong)))
    return frame(fitted, { header, ascii, widthOf });
  const widths = columnWidths(fitted, count);
  const lines = fitted.map((row) => columnLine(row, widths));
  return lines.map((line, index) => (header && index === 0 ? { bold: line } : line));
}

type Rows = readonly (readonly string[])[];

/** Rows of short ASCII that have room: what measures others takes 10 ms to load. */
function fitAsTheyAre(rows: Rows, count: number, room = Number.POSITIVE_INFINITY): boolean {
  if (!rows.every((row) => row.every((cell) => /^[ -~]{0,200}$/.test(cell)))) return false;
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return widths.reduce((total, width) => total + width, 0) <= room;
}
