import { ExactNumber } from '../json/exact.ts';
import type { Cell, Grid } from './grid.ts';
import type { Line, Sink } from './sink.ts';

/** Records of CSV (RFC 4180, but for lines that end with \n): nothing is an empty field, an empty text is `""`. */
export function csvLines({ header, rows }: Grid, sink: Sink, withHeader: boolean): Line[] {
  const records = withHeader ? [header, ...rows] : rows;
  return records.flatMap((record) => {
    const fields = record.map((cell) => csvField(cell, sink)).join();
    // A field may have line ends in it, but a line of the sink has none.
    return fields.includes('\n')
      ? fields.split('\n').map((record) => ({ record }))
      : { record: fields };
  });
}

function csvField(cell: Cell, sink: Sink): string {
  if (cell === undefined) return '';
  if (cell instanceof ExactNumber) return cell.text;
  const text = typeof cell === 'string' ? csvText(sink.redact(cell)) : sink.json(cell);
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * CSV has no escapes of its own. What acts on a terminal or hides leaves the sink as `\u{1b}`, which import reads back; the
 * backslash of such letters in the text itself is `\u{5c}`, so that both come back as they were.
 */
function csvText(text: string): string {
  return text.replace(/\\(?=u\{[0-9a-f]{1,6}\})/g, '\\u{5c}');
}
