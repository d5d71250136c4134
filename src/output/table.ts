import Table from 'cli-table3';
import { ExactNumber } from '../json/json.ts';
import { escapeText } from '../json/safe-text.ts';
import { cellText, type Row } from './rows.ts';
import type { Line } from './sink.ts';
import { truncate, widthOf, wrap } from './width.ts';

export type TableOptions = {
  readonly columns: readonly string[];
  readonly header: boolean;
  /** undefined in a pipe, where nothing is cut or wrapped. */
  readonly width: number | undefined;
  readonly framed: boolean;
};

/** Longer tables are scrolled through, and cli-table3 needs 2.5 s for 10,000 rows. */
const maxFramedCells = 1_000;
const maxSampleRows = 1_000;
const maxSampleLength = 1024 * 1024;
/** On a terminal a longer text is cut. In a pipe it is whole, and other rows are not padded to it. */
const maxCellWidth = 200;
const minColumnWidth = 10;
const maxNumberWidth = 20;

type Cells = readonly string[];
type Sample = { readonly rows: Cells[]; readonly isNumber: boolean[]; length: number };

/** Lays out a table, a small one in a frame, a longer one in columns while its rows arrive. */
export async function* tableLines(
  batches: AsyncIterable<readonly Row[]>,
  options: TableOptions,
): AsyncGenerator<readonly Line[]> {
  const { columns, header, framed, width } = options;
  const titles = columns.map(escapeCell);
  const sample: Sample = { rows: [], isNumber: [], length: 0 };
  let write: ((cells: Cells) => string) | undefined;

  const startColumns = (): Line[] => {
    write = createRowWriter(sample, titles, options);
    const lines = sample.rows.splice(0).map(write);
    return header ? [{ style: 'bold', text: write(titles) }, ...lines] : lines;
  };

  try {
    for await (const batch of batches) {
      if (write) {
        yield batch.map(escapeRow).map(write);
        continue;
      }
      for (const row of batch) addTo(sample, row);
      if (sample.rows.length > maxSampleRows || sample.length > maxSampleLength) {
        yield startColumns();
      }
    }
  } catch (error) {
    // If the list breaks off, what was read of it is still printed.
    if (!write && sample.rows.length > 0) yield startColumns();
    throw error;
  }
  if (sample.rows.length === 0) return;
  const isCut = (cell: string) => truncate(cell, maxCellWidth) !== cell;
  const hasRoom = width !== undefined || !sample.rows.flat().some(isCut);
  const isSmall = sample.rows.length * columns.length <= maxFramedCells;
  yield framed && hasRoom && isSmall ? frame(sample, titles, options) : startColumns();
}

function escapeRow(row: Row): string[] {
  return row.map((cell) => escapeCell(cellText(cell)));
}

/** Escapes the border of a frame, too: it would forge a row on a terminal that draws a text wider than it is measured. */
function escapeCell(text: string): string {
  return escapeText(text).replaceAll('│', '\\u{2502}');
}

function addTo(sample: Sample, row: Row): void {
  // V8 cuts a text out of a longer one by reference: 1,000 names would keep 1,000 elements of up to 1 MiB.
  const cells = escapeRow(row).map((cell) => ` ${cell}`.slice(1));
  sample.rows.push(cells);
  for (const [index, cell] of row.entries()) {
    sample.length += cells[index]?.length ?? 0;
    if (cell instanceof ExactNumber && cell.text.length <= maxNumberWidth) {
      sample.isNumber[index] = true;
    }
  }
}

function frame(sample: Sample, titles: Cells, options: TableOptions): Line[] {
  const { header, width = Number.POSITIVE_INFINITY } = options;
  const room = width - 3 * titles.length - 1;
  const { widths, isNarrow } = fitColumns(sample, titles, header, room);
  // Of two columns the first one usually names the second.
  if (header && isNarrow && titles.length > 2)
    return sample.rows.flatMap((cells, index) => recordLines(titles, cells, index > 0));
  const fitted = (cells: Cells) =>
    cells.map((cell, index) => wrap(truncate(cell, maxCellWidth), widths[index] ?? 0));
  const table = new Table({
    head: header ? fitted(titles) : [],
    style: { head: [], border: [], compact: true },
    // Without it cli-table3 cuts each cell character by character for its debug log.
    truncate: '…'.repeat(10),
  });
  table.push(...sample.rows.map(fitted));
  const lines = table.toString().split('\n');
  return lines.map((text, index) => (header && index === 1 ? { style: 'bold', text } : text));
}

function recordLines(titles: Cells, cells: Cells, hasPrevious: boolean): Line[] {
  const lines = titles.map(
    (title, index) => `${title}: ${truncate(cells[index] ?? '', maxCellWidth)}`,
  );
  return hasPrevious ? ['', ...lines] : lines;
}

function createRowWriter(
  sample: Sample,
  titles: Cells,
  { header, width }: TableOptions,
): (cells: Cells) => string {
  const room = width === undefined ? Number.POSITIVE_INFINITY : width - 2 * (titles.length - 1);
  const { widths } = fitColumns(sample, titles, header, room, maxNumberWidth);
  return (cells) =>
    cells
      .map((cell, index) => {
        const columnWidth = widths[index] ?? 0;
        const text = width === undefined ? cell : truncate(cell, columnWidth);
        return text + ' '.repeat(Math.max(0, columnWidth - cellWidth(text)));
      })
      .join('  ')
      .trimEnd();
}

/** Fits the columns into `room`: the widest give way first, columns of numbers never. */
function fitColumns(
  { rows, isNumber }: Sample,
  titles: Cells,
  header: boolean,
  room: number,
  minNumberWidth = 0,
) {
  const needed = titles.map((_, index) => {
    let width = isNumber[index] ? minNumberWidth : 0;
    for (const cells of header ? [titles, ...rows] : rows) {
      width = Math.max(width, cellWidth(cells[index] ?? ''));
    }
    return width;
  });
  const widths = [...needed];
  const shrinkable = [...titles.keys()].filter((index) => !isNumber[index]);
  let excess = widths.reduce((sum, width) => sum + width, 0) - room;
  for (; excess > 0 && shrinkable.length > 0; excess -= 1) {
    const widest = shrinkable.reduce((best, index) =>
      (widths[index] ?? 0) > (widths[best] ?? 0) ? index : best,
    );
    widths[widest] = Math.max(1, (widths[widest] ?? 0) - 1);
  }
  const isNarrow = widths.some(
    (width, index) => width < Math.min(minColumnWidth, needed[index] ?? 0),
  );
  return { widths, isNarrow };
}

function cellWidth(cell: string): number {
  return cell.length > 10 * maxCellWidth ? maxCellWidth : Math.min(maxCellWidth, widthOf(cell));
}
