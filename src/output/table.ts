import Table from 'cli-table3';
import { isNumber } from '../json/json.ts';
import { escapeText } from '../json/safe-text.ts';
import { cellText, type Row } from './columns.ts';
import type { Line } from './sink.ts';
import { breakWords, measureWidth, pad } from './width.ts';

export type TableOptions = {
  readonly columns: readonly string[];
  readonly header: boolean;
  /** undefined in a pipe, where nothing is wrapped. */
  readonly width: number | undefined;
};

/** cli-table3 takes a second for 10,000 cells, and four times as long for twice as many, or for texts twice as long. */
const maxRows = 1_000;
const maxCells = 10_000;
const maxTextWidth = 1_000;
/** Any character has room in two cells. */
const minWidth = 2;

type Cells = readonly string[];

/** Lays out a list as a table in a frame, or a long one as plain columns that fit its first rows. */
export async function* tableLines(
  batches: AsyncIterable<readonly Row[]>,
  { columns, header, width = Number.POSITIVE_INFINITY }: TableOptions,
): AsyncGenerator<readonly Line[]> {
  const titles = columns.map(escapeCell);
  const head = header ? [titles] : [];
  const numbers = new Set<number>();
  let held: Cells[] = [];
  let write: ((cells: Cells) => string) | undefined;
  const takeHeld = (): Line[] => {
    const heading = write ? [] : head;
    write ??= createWriter([...head, ...held]);
    const lines = [...heading.map(write).map(toBold), ...held.map(write)];
    held = [];
    return lines;
  };

  try {
    for await (const batch of batches) {
      for (const row of batch) {
        held.push(row.map((cell) => escapeCell(cellText(cell))));
        for (const [index, cell] of row.entries()) if (isNumber(cell)) numbers.add(index);
      }
      if (write || isLong(held)) yield takeHeld();
    }
  } catch (error) {
    // If the list breaks off, what was read of it is still printed.
    if (held.length > 0) yield takeHeld();
    throw error;
  }
  if (held.length === 0) return;
  yield frame(head, held, numbers, width);
}

/** Escapes the border of a frame, too: it would forge a row on a terminal that draws a text wider than it is measured. */
function escapeCell(text: string): string {
  return escapeText(text).replaceAll('│', '\\u{2502}');
}

function isLong(rows: readonly Cells[]): boolean {
  const [first = []] = rows;
  if (rows.length > maxRows || rows.length * first.length > maxCells) return true;
  return rows.some((cells) => cells.some((cell) => cell.length > maxTextWidth));
}

/** Returns what writes a row in plain columns. Nothing is cut: a longer text of a later row stands out. */
function createWriter(rows: readonly Cells[]): (cells: Cells) => string {
  const widths = measureColumns(rows);
  return (cells) =>
    cells
      .map((cell, index) => pad(cell, Math.min(widths[index] ?? 0, maxTextWidth)))
      .join('  ')
      .trimEnd();
}

function frame(
  head: readonly Cells[],
  rows: readonly Cells[],
  numbers: ReadonlySet<number>,
  width: number,
): Line[] {
  const needed = measureColumns([...head, ...rows]);
  const widths = fitColumns(needed, numbers, width - 3 * needed.length - 1);
  const fitted = (cells: Cells) =>
    cells.map((cell, index) => breakWords(cell, widths[index] ?? minWidth));
  const table = new Table({
    head: head.flatMap(fitted),
    colWidths: widths.map((columnWidth) => columnWidth + 2),
    wordWrap: true,
    style: { head: [], border: [], compact: true },
    // Without it cli-table3 cuts each cell character by character for its debug log, and measures this one if it is not ASCII.
    truncate: '.'.repeat(10),
  });
  table.push(...rows.map(fitted));
  const lines = table.toString().split('\n');
  const headEnd = lines.findIndex((line) => line.startsWith('├'));
  return lines.map((line, index) => (index > 0 && index < headEnd ? toBold(line) : line));
}

function measureColumns(rows: readonly Cells[]): number[] {
  const widths: number[] = [];
  for (const cells of rows) {
    for (const [index, cell] of cells.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, measureWidth(cell));
    }
  }
  return widths;
}

/** Shares the room of a line among columns, the narrow ones first. Numbers get what they need: an id is never broken. */
function fitColumns(
  needed: readonly number[],
  numbers: ReadonlySet<number>,
  room: number,
): number[] {
  const widths = [...needed];
  const rank = (index: number) => (numbers.has(index) ? 0 : (needed[index] ?? 0));
  const order = [...needed.keys()].sort((a, b) => rank(a) - rank(b));
  let left = room;
  for (const [done, index] of order.entries()) {
    const share = Math.max(minWidth, Math.floor(left / (order.length - done)));
    if (!numbers.has(index)) widths[index] = Math.min(needed[index] ?? 0, share);
    left -= widths[index] ?? 0;
  }
  return widths;
}

function toBold(text: string): Line {
  return { style: 'bold', text };
}
