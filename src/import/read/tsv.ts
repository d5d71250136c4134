import { type CsvHeader, faultOfWidth, readHeader } from './csv-header.ts';
import { positionOfField, type WrittenRecord } from './csv-record.ts';
import { characterOf } from './escapes.ts';
import { type Faults, stopAt } from './faults.ts';
import type { Reader, Rows } from './rows.ts';

/** Longest line, in characters. */
const maxLine = 1024 * 1024;

/**
 * Reads tab-separated values with a header, as output/tsv.ts writes them: nothing is quoted, and what would end a field or a
 * line is escaped. Lines may end with \r\n, \n and \r; empty ones are passed over. An empty field is nothing.
 */
export function createTsvReader(rows: Rows, faults: Faults): Reader {
  let header: CsvHeader | undefined;
  let line = 1;
  let begun = '';

  return {
    read(text) {
      const [first = '', ...others] = text.split(/\r\n|\n|\r/);
      extend(first);
      for (const next of others) {
        takeLine();
        extend(next);
      }
    },
    end: takeLine,
  };

  function extend(text: string): void {
    begun += text;
    if (begun.length > maxLine) throw stopAt({ line, column: 1 }, 'line longer than 1 MiB');
  }

  function takeLine(): void {
    const record: WrittenRecord = { text: begun, position: { line, column: 1 }, separator: '\t' };
    begun = '';
    line += 1;
    if (record.text === '') return;
    const fields = record.text.split('\t');
    if (header) takeRow(record, fields, header);
    else header = readHeader(record, fields, rows, faults);
  }

  function takeRow(record: WrittenRecord, fields: readonly string[], header: CsvHeader): void {
    const wrong = faultOfWidth(record, fields.length, header);
    if (wrong) {
      rows.addFault(wrong.position, wrong.reason);
      return;
    }
    const [name = '', description = ''] = [
      fields[header.name],
      header.description === undefined ? '' : fields[header.description],
    ];
    if ([name, description].some((text) => quoted.test(text))) rows.keepQuotes(record.position);
    rows.add(
      record.position,
      {
        name: withoutEscapes(name),
        description: description === '' ? undefined : withoutEscapes(description),
      },
      (field) => positionOfField(record, header[field] ?? 0),
    );
  }
}

/** As a spreadsheet writes a field of TSV that has a tab, a quote or a comma. */
const quoted = /^".*"$/;

const letters: Readonly<Record<string, string>> = { '\\': '\\', t: '\t', n: '\n', r: '\r' };
const escapes = /\\(?:([\\tnr])|u\{([0-9a-f]{1,6})\})/g;

/** The text as it was before it was printed. */
function withoutEscapes(text: string): string {
  return text.replace(escapes, (found, letter: string | undefined, digits: string) =>
    letter === undefined ? characterOf(digits, found) : (letters[letter] ?? found),
  );
}
