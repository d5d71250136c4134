import { cellText, type Grid } from './grid.ts';
import type { Line } from './sink.ts';

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
};

/** One line a record, a tab between fields and none in them, nothing quoted: what cut and awk expect. */
export function tsvLines({ header, rows }: Grid, withHeader: boolean): Line[] {
  const records = withHeader ? [header, ...rows] : rows;
  return records.map((record) => ({
    record: record.map((cell) => tsvText(cellText(cell))).join('\t'),
  }));
}

/** Reversible: what else acts or hides leaves the sink as `\u{1b}`. */
function tsvText(text: string): string {
  return text.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? character);
}
