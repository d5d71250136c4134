import { unloadable } from '../text/unloadable.ts';
import { cellText, type Grid, longestNumber, numberWidths } from './grid.ts';
import type { Line, Sink } from './sink.ts';
import type { TableOptions } from './table.ts';

/**
 * A table of more rows than are known yet, in columns without a frame: as wide as those of the `sample` need to be, and wide
 * enough for every 64-bit integer. Later a longer cell pushes the rest of its row aside; on a terminal it is cut.
 */
export async function createLongTable(
  sample: Grid,
  sink: Sink,
  { width, header, ascii }: TableOptions,
): Promise<{ readonly head: readonly Line[]; readonly lay: (grid: Grid) => Line }> {
  const { columnLine, columnWidths, fitRow, limitWidths } = await import('./fit.ts').catch(
    unloadable,
  );
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
