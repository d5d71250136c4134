import { stringify } from 'csv-stringify/sync';
import { ExactNumber } from '../json/exact.ts';
import type { Cell, Grid } from './grid.ts';
import type { Line, Sink } from './sink.ts';

/** Records of CSV (RFC 4180, but for lines that end with \n): nothing is an empty field, an empty text is `""`. */
export function csvLines({ header, rows }: Grid, sink: Sink, withHeader: boolean): Line[] {
  const cells = rows.map((row) => row.map((cell) => csvCell(cell, sink)));
  const titles = header.map((title) => csvText(sink.redact(title)));
  const text = stringify(withHeader ? [titles, ...cells] : cells, { quoted_match: /^$/ });
  return text
    .split('\n')
    .slice(0, -1)
    .map((record) => ({ record }));
}

function csvCell(cell: Cell, sink: Sink): string | undefined {
  if (cell === undefined) return undefined;
  if (typeof cell === 'string') return csvText(sink.redact(cell));
  return cell instanceof ExactNumber ? cell.text : sink.json(cell);
}

/**
 * CSV has no escapes of its own. What acts on a terminal or hides leaves the sink as `\u{1b}`, which import reads back; the
 * backslash of such letters in the text itself is `\u{5c}`, so that both come back as they were.
 */
function csvText(text: string): string {
  return text.replace(/\\(?=u\{[0-9a-f]{1,6}\})/g, '\\u{5c}');
}
