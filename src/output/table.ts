import Table from 'cli-table3';
import { isNumber } from '../json/json.ts';
import { escapeText } from '../json/safe-text.ts';
import { cellText, type Row } from './columns.ts';
import type { Line } from './sink.ts';
import { measureWidth, pad, truncate, wrap } from './width.ts';

export type TableOptions = {
  readonly columns: readonly string[];
  readonly header: boolean;
  /** undefined in a pipe, where nothing is cut or wrapped. */
  readonly width: number | undefined;
  readonly framed: boolean;
  readonly notice: (message: string) => void;
};

/** Longer tables are scrolled through. */
const maxFramedCells = 1_000;
const maxSampleRows = 1_000;
const maxSampleLength = 1024 * 1024;
/** On a terminal a longer text is cut. In a pipe it is whole, and other rows are not padded to it. */
const maxCellWidth = 200;
const minColumnWidth = 10;
/** Any character has room in two cells. */
const minCellWidth = 2;
/** The longest integer of 64 bits. Ids are never cut. */
const maxNumberWidth = 20;
/** Numbers behind the sample may be a hundred times as large. */
const spareDigits = 2;

type Cells = readonly string[];
type Cut = (text: string, width: number) => string;
type Sample = { readonly rows: Cells[]; readonly isNumber: boolean[]; length: number };

/** Lays out a table, a small one in a frame, a longer one in columns while its rows arrive. */
export async function* tableLines(
  batches: AsyncIterable<readonly Row[]>,
  options: TableOptions,
): AsyncGenerator<readonly Line[]> {
  const { columns, header, framed, width, notice } = options;
  const titles = columns.map(escapeCell);
  const sample: Sample = { rows: [], isNumber: [], length: 0 };
  let write: ((cells: Cells) => string) | undefined;
  let hasCut = false;

  const cut = (text: string, width: number) => {
    const shown = truncate(text, width);
    hasCut ||= shown !== text;
    return shown;
  };
  const startColumns = (isSample = false): Line[] => {
    write = createRowWriter(sample, titles, options, isSample, cut);
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
        yield startColumns(true);
      }
    }
  } catch (error) {
    // If the list breaks off, what was read of it is still printed.
    if (!write && sample.rows.length > 0) yield startColumns();
    throw error;
  }
  if (sample.rows.length > 0) {
    const isLong = (cell: string) => truncate(cell, maxCellWidth) !== cell;
    const hasRoom = width !== undefined || !sample.rows.flat().some(isLong);
    const isSmall = sample.rows.length * columns.length <= maxFramedCells;
    yield framed && hasRoom && isSmall ? frame(sample, titles, options, cut) : startColumns();
  }
  if (hasCut) notice('some texts are cut and end in …; to see all of each: --output yaml');
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
    const { length } = cells[index] ?? '';
    sample.length += length;
    if (isNumber(cell) && length <= maxNumberWidth) sample.isNumber[index] = true;
  }
}

function frame(sample: Sample, titles: Cells, options: TableOptions, cut: Cut): Line[] {
  const { header, width = Number.POSITIVE_INFINITY } = options;
  const room = width - 3 * titles.length - 1;
  const { widths, isNarrow } = fitColumns(sample, titles, header, room);
  // Of two columns the first one usually names the second.
  if (header && isNarrow && titles.length > 2)
    return sample.rows.flatMap((cells, index) => recordLines(titles, cells, index > 0, cut));
  const fitted = (cells: Cells) =>
    cells.map((cell, index) => wrap(cut(cell, maxCellWidth), widths[index] ?? 0));
  const table = new Table({
    head: header ? fitted(titles) : [],
    style: { head: [], border: [], compact: true },
    // Without it cli-table3 cuts each cell character by character for its debug log, and measures this one if it is not ASCII.
    truncate: '.'.repeat(10),
  });
  table.push(...sample.rows.map(fitted));
  const lines = table.toString().split('\n');
  return lines.map((text, index) => (header && index === 1 ? { style: 'bold', text } : text));
}

function recordLines(titles: Cells, cells: Cells, hasPrevious: boolean, cut: Cut): Line[] {
  const lines = titles.map((title, index) => `${title}: ${cut(cells[index] ?? '', maxCellWidth)}`);
  return hasPrevious ? ['', ...lines] : lines;
}

/** Returns what writes a row. On a terminal its last cell gets the room that the others leave, since later rows may be longer. */
function createRowWriter(
  sample: Sample,
  titles: Cells,
  { header, width }: TableOptions,
  isSample: boolean,
  cut: Cut,
): (cells: Cells) => string {
  const { isNumber } = sample;
  const last = titles.length - 1;
  const room = width === undefined ? Number.POSITIVE_INFINITY : width - 2 * last;
  const { widths } = fitColumns(sample, titles, header, room, isSample ? spareDigits : 0);
  if (isSample && width !== undefined) growColumns(widths, isNumber, room);
  return (cells) => {
    let remaining = room;
    const texts = cells.map((cell, index) => {
      const columnWidth = widths[index] ?? 0;
      if (width === undefined) return pad(cell, columnWidth);
      const isWhole = isNumber[index] && cell.length <= maxNumberWidth;
      const maxWidth = index < last ? columnWidth : Math.min(maxCellWidth, remaining);
      const text = pad(isWhole ? cell : cut(cell, Math.max(minCellWidth, maxWidth)), columnWidth);
      remaining -= isWhole ? text.length : columnWidth;
      return text;
    });
    return texts.join('  ').trimEnd();
  };
}

/** Gives columns up to twice the width that the sample needs, as far as there is room: later rows may be longer. */
function growColumns(widths: number[], isNumber: readonly boolean[], room: number): void {
  let spare = room - addUp(widths);
  for (const [index, width] of widths.entries()) {
    if (isNumber[index] || spare <= 0) continue;
    widths[index] = width + Math.min(width, spare);
    spare -= width;
  }
}

/** Fits the columns into `room`: all that are wider than a cap get its width, columns of numbers never. */
function fitColumns(
  { rows, isNumber }: Sample,
  titles: Cells,
  header: boolean,
  room: number,
  extraDigits = 0,
) {
  const needed = titles.map((_, index) => {
    let width = 0;
    for (const cells of header ? [titles, ...rows] : rows) {
      width = Math.max(width, cellWidth(cells[index] ?? ''));
    }
    return width + (isNumber[index] ? extraDigits : 0);
  });
  let cap = maxCellWidth;
  let widths = needed;
  let spare = room - addUp(widths);
  while (spare < 0 && cap > minCellWidth) {
    cap -= 1;
    widths = needed.map((width, index) => (isNumber[index] ? width : Math.min(width, cap)));
    spare = room - addUp(widths);
  }
  // One cell more for each would not fit: the first ones get what is left.
  if (widths !== needed) {
    widths = widths.map((width, index) =>
      width < (needed[index] ?? 0) && spare-- > 0 ? width + 1 : width,
    );
  }
  const isNarrow = widths.some(
    (width, index) => width < Math.min(minColumnWidth, needed[index] ?? 0),
  );
  return { widths, isNarrow };
}

function addUp(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0);
}

function cellWidth(cell: string): number {
  return cell.length > 10 * maxCellWidth
    ? maxCellWidth
    : Math.min(maxCellWidth, measureWidth(cell));
}
