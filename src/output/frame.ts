import Table from 'cli-table3';
import { measureBy } from './cell-width.ts';
import type { Line } from './sink.ts';

const ascii = {
  top: '-',
  'top-left': '+',
  'top-mid': '+',
  'top-right': '+',
  left: '|',
  middle: '|',
  right: '|',
  mid: '-',
  'left-mid': '+',
  'mid-mid': '+',
  'right-mid': '+',
  bottom: '-',
  'bottom-left': '+',
  'bottom-mid': '+',
  'bottom-right': '+',
};

/** For its log cli-table3 cuts each cell to ten columns, character by character, unless this leaves no room for any. */
const truncate = '…'.repeat(10);

export type FrameOptions = {
  /** Whether the first row is one, and so bold. */
  readonly header: boolean;
  readonly ascii: boolean;
  /** Columns that a text takes. */
  readonly widthOf: (text: string) => number;
};

/** The rows in a frame, each on a line. */
export function frame(
  rows: readonly (readonly string[])[],
  { header, ascii: isAscii, widthOf }: FrameOptions,
): Line[] {
  measureBy(widthOf);
  const table = new Table({
    head: header ? [...(rows[0] ?? [])] : [],
    chars: isAscii ? ascii : {},
    style: { head: [], border: [], compact: true },
    truncate,
  });
  table.push(...rows.slice(header ? 1 : 0).map((row) => [...row]));
  const lines = table.toString().split('\n');
  return lines.map((line, at) => (header && at === 1 ? { bold: line } : line));
}
