import { CsvError, parse } from 'csv-parse';
import { positionAfter, startOfText } from '../../json/position.ts';
import { type CsvHeader, faultOfWidth, readHeader } from './csv-header.ts';
import { fieldStart, findRecord, positionOfField, type WrittenRecord } from './csv-record.ts';
import { characterOf } from './escapes.ts';
import { Fault, type Faults, stopAt } from './faults.ts';
import type { Reader, Rows } from './rows.ts';

/** Longest row, in bytes. */
const maxRow = 1024 * 1024;

/** Reads CSV (RFC 4180) with a header. Lines may end with \r\n, \n and \r; empty ones are passed over. */
export function createCsvReader(rows: Rows, faults: Faults): Reader {
  let header: CsvHeader | undefined;
  /** The line behind the last record, and the bytes up to it and in all. */
  let line = startOfText.line;
  let taken = 0;
  let given = 0;

  const parser = parse({
    raw: true,
    skip_empty_lines: true,
    relax_column_count: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: maxRow,
    on_record(found, { bytes }) {
      // With `raw` it comes wrapped, whatever its type says.
      const { record: fields, raw } = found as unknown as { record: string[]; raw: string };
      const record = findRecord(raw, line);
      taken = bytes;
      line = positionAfter(record.position, record.text).line + 1;
      if (header) takeRow(record, fields, header);
      else header = readHeader(record, fields, rows, faults);
      return undefined;
    },
  });
  // Without a listener it would end the process; write and end tell it to who waits for them.
  parser.on('error', () => {});

  return {
    async read(text) {
      const bytes = Buffer.from(text);
      given += bytes.length;
      await settled((done) => parser.write(bytes, done));
      // Its fields may be small and many; twice, since quotes are written twice.
      if (given - taken > 2 * maxRow) throw stopAt({ line, column: 1 }, longRow);
    },
    end: () => settled((done) => parser.end(done)),
  };

  function takeRow(record: WrittenRecord, fields: readonly string[], header: CsvHeader): void {
    const wrong = faultOfWidth(record, fields.length, header);
    if (wrong) {
      rows.addFault(wrong.position, wrong.reason);
      return;
    }
    const { description: at } = header;
    // Nothing is no description, and "" is an empty one.
    const isThere =
      at !== undefined && (fields[at] !== '' || record.text[fieldStart(record, at)] === '"');
    rows.add(
      record.position,
      {
        name: withoutEscapes(fields[header.name]),
        description: isThere ? withoutEscapes(fields[at]) : undefined,
      },
      (field) => positionOfField(record, header[field] ?? 0),
    );
  }

  async function settled(start: (done: (error?: Error | null) => void) => void): Promise<void> {
    try {
      await new Promise<void>((resolve, reject) =>
        start((error) => (error ? reject(error) : resolve())),
      );
    } catch (error) {
      throw error instanceof CsvError ? explain(error) : error;
    }
  }

  function explain({ code, raw, index }: CsvError): Fault {
    const record = findRecord(String(raw), line);
    const start = positionOfField(record, Number(index));
    const end = positionAfter(record.position, record.text, 0, record.text.length - 1);
    switch (String(code)) {
      case 'CSV_QUOTE_NOT_CLOSED':
        return new Fault(start, 'missing closing quote');
      case 'CSV_INVALID_CLOSING_QUOTE':
        return stopAt(end, 'expected a comma or newline after the closing quote');
      case 'INVALID_OPENING_QUOTE':
        return stopAt(end, 'unescaped quote in a field; quote the field and double its quotes');
      default:
        return stopAt(start, longRow);
    }
  }
}

const escapes = /\\u\{([0-9a-f]{1,6})\}/g;

/** The text as it was before it was printed: CSV has no escapes of its own (output/formats.ts). */
function withoutEscapes(text = ''): string {
  return text.replace(escapes, (found, digits) => characterOf(digits, found));
}

const longRow = 'row longer than 1 MiB';
