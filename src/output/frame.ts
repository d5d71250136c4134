import Table from 'cli-table3';
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

/** The rows in a frame, each on a line; the first one is bold where it is the `header`. */
export function frame(
  rows: readonly (readonly string[])[],
  { header, ascii: isAscii }: { readonly header: boolean; readonly ascii: boolean },
): Line[] {
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
