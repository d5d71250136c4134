import { ExactNumber } from '../json/exact.ts';
import type { Cell, Grid } from './grid.ts';
import { escapeLookalikes } from './safe-text.ts';
import type { Line, Sink } from './sink.ts';

/** Records of CSV (RFC 4180, but for lines that end with \n): nothing is an empty field, an empty text is `""`. */
export function csvLines({ header, rows }: Grid, sink: Sink, withHeader: boolean): Line[] {
  const records = withHeader ? [header, ...rows] : rows;
  const quick = sealQuickly(records, sink);
  if (quick) return [quick];
  return records.flatMap((record) => {
    const fields = record.map((cell) => csvField(cell, sink)).join();
    // A field may have line ends in it, but a line of the sink has none.
    return fields.includes('\n')
      ? fields.split('\n').map((record) => ({ record }))
      : { record: fields };
  });
}

/** All at once, where no field has anything that is written in another way than between quotes. */
function sealQuickly(records: readonly (readonly Cell[])[], sink: Sink): Line | undefined {
  const lines: string[] = [];
  for (const record of records) {
    let line = '';
    for (const [column, cell] of record.entries()) {
      const text = cell instanceof ExactNumber ? cell.text : cell === undefined ? '' : cell;
      if (typeof text !== 'string' || text.includes('"') || text.includes('\\')) return undefined;
      const quoted = cell === '' || text.includes(',') || text.includes('\n');
      line += (column > 0 ? ',' : '') + (quoted ? `"${text}"` : text);
    }
    lines.push(line);
  }
  return lines.length > 0 ? sink.sealAsItIs(lines.join('\n')) : undefined;
}

function csvField(cell: Cell, sink: Sink): string {
  if (cell === undefined) return '';
  if (cell instanceof ExactNumber) return cell.text;
  // Import reads the escapes back.
  const text = typeof cell === 'string' ? escapeLookalikes(cell) : sink.json(cell);
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
