import Table from 'cli-table3';
import { escapeText } from '../json/safe-text.ts';
import { cellText, type Row } from './columns.ts';
import type { Line } from './sink.ts';
import { breakWords, fillLines, measureWidth, pad } from './width.ts';

export type Rows = AsyncIterable<readonly Row[]>;
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
/** A longer word may be broken, unless it is a number. */
const maxWordWidth = 16;

type Cells = readonly string[];

/** Lays out a list as a table in a frame, or as records where that is too wide, or a long one as plain columns that fit its first rows. */
export async function* tableLines(
  batches: Rows,
  { columns, header, width }: TableOptions,
): AsyncGenerator<readonly Line[]> {
  const titles = columns.map(escapeCell);
  const head = header ? [titles] : [];
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
      for (const row of batch) held.push(row.map((cell) => escapeCell(cellText(cell))));
      if (write || isLong(held)) yield takeHeld();
    }
  } catch (error) {
    // If the list breaks off, what was read of it is still printed.
    if (held.length > 0) yield takeHeld();
    throw error;
  }
  if (held.length === 0) return;
  const room = width || Number.POSITIVE_INFINITY;
  yield frame(head, held, room) ?? records(head, held, room);
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

/** Returns undefined if the width is too small for the words. */
function frame(head: readonly Cells[], rows: readonly Cells[], width: number): Line[] | undefined {
  const widths = fitColumns([...head, ...rows], width);
  if (!widths) return undefined;
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

function measureColumns(rows: readonly Cells[], measure = measureWidth): number[] {
  const widths: number[] = [];
  for (const cells of rows) {
    for (const [index, cell] of cells.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, measure(cell));
    }
  }
  return widths;
}

/** Shares what the longest words leave of a line among the columns, the narrow ones first. */
function fitColumns(rows: readonly Cells[], width: number): number[] | undefined {
  const needed = measureColumns(rows);
  const widths = measureColumns(rows, measureLongestWord);
  const used = widths.reduce((sum, wordWidth) => sum + wordWidth + 3, 1);
  let left = width - used;
  if (left < 0) return undefined;
  const wanted = needed.map((full, index) => full - (widths[index] ?? 0));
  const order = [...wanted.keys()].sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  for (const [done, index] of order.entries()) {
    const more = Math.min(wanted[index] ?? 0, Math.floor(left / (order.length - done)));
    widths[index] = (widths[index] ?? 0) + more;
    left -= more;
  }
  return widths;
}

function measureLongestWord(text: string): number {
  const widths = text.split(/\s+/).map((word) => {
    const wordWidth = measureWidth(word);
    return /^-?[\d.]+$/.test(word) ? wordWidth : Math.min(wordWidth, maxWordWidth);
  });
  return Math.max(minWidth, ...widths);
}

/** Writes each row as lines of `name: value`. A line that goes on is indented: it cannot pass for another field. */
function records([titles]: readonly Cells[], rows: readonly Cells[], width: number): Line[] {
  const indent = '  ';
  const room = Math.max(minWidth, width - indent.length);
  return rows.flatMap((cells, row) => {
    const lines = cells.flatMap((cell, index) => {
      const text = titles ? `${titles[index]}: ${cell}`.trimEnd() : cell;
      const words = breakWords(text, room).split(' ');
      return fillLines(words, room, ' ').join(`\n${indent}`);
    });
    return row > 0 ? ['', ...lines] : lines;
  });
}

function toBold(text: string): Line {
  return { style: 'bold', text };
}
