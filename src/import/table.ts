import { CsvError, parse } from 'csv-parse/sync';
import { quoted } from '../text/quoted.ts';
import { countOf } from '../time.ts';
import { knownFields, type Rows } from './rows.ts';
import { type Place, Stop } from './text.ts';

type Delimiter = ',' | '\t';

/** How many fields each record has, and the index of each column; -1 if there is none. */
type Header = { readonly width: number; readonly name: number; readonly description: number };

export function readTable(text: Buffer, delimiter: Delimiter, rows: Rows): void {
  const findLine = createLineFinder(text);
  let header: Header | undefined;
  let start = 0;
  try {
    parse(text, {
      delimiter,
      quote: delimiter === ',' ? '"' : null,
      record_delimiter: ['\r\n', '\n', '\r'],
      skip_empty_lines: true,
      relax_column_count: true,
      on_record(cells: string[], { bytes: end }) {
        const place = { line: findLine(start) };
        const record = text.subarray(start, end);
        start = end;
        if (header) takeRow(cells, record, header, place);
        else header = readHeader(cells, delimiter, place, rows);
        return undefined;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new Stop({ line: findLine(Number(error.bytes)) }, explain(error));
  }

  function takeRow(cells: string[], record: Buffer, header: Header, place: Place): void {
    if (cells.length !== header.width) {
      rows.fault(place, `expected ${countOf(header.width, 'field')}, got ${cells.length}`);
      return;
    }
    const name = decodeEscapes(cells[header.name] ?? '', delimiter);
    const description = decodeEscapes(cells[header.description] ?? '', delimiter);
    const isGiven =
      description !== '' || (delimiter === ',' && isQuoted(record, header.description));
    rows.add(place, isGiven ? { name, description } : { name });
  }
}

/** Tells `""`, an empty text, from nothing. csv-parse would have to cast all fields: 50 MB and 0.6 s for 100,000 rows. */
function isQuoted(record: Buffer, field: number): boolean {
  // With one quote for each quoted stretch, only the commas between fields are left.
  const fields = record
    .toString()
    .replace(/"[^"]*"/g, '"')
    .split(',');
  return fields[field]?.includes('"') ?? false;
}

function readHeader(cells: string[], delimiter: Delimiter, place: Place, rows: Rows): Header {
  const [only = ''] = cells;
  if (cells.length === 1 && /[;,\t]/.test(only)) {
    throw new Stop(
      place,
      `the separator must be a ${delimiter === ',' ? 'comma' : 'tab'}`,
      'Save it with commas as .csv, or with tabs as .tsv.',
    );
  }
  for (const [index, title] of cells.entries()) {
    const isKnown = ['name', 'description', 'id'].includes(title);
    if (!isKnown) rows.fault(place, `unknown column ${quoted(title)}; columns: ${knownFields}`);
    else if (cells.indexOf(title) < index) rows.fault(place, `duplicate column "${title}"`);
  }
  const name = cells.indexOf('name');
  if (name < 0) throw new Stop(place, 'missing column "name"');
  if (cells.includes('id')) rows.ignoreIds();
  return { width: cells.length, name, description: cells.indexOf('description') };
}

function explain({ code, index }: CsvError): string {
  const field = `field ${Number(index) + 1}`;
  if (code === 'CSV_QUOTE_NOT_CLOSED') return `missing closing quote of ${field}`;
  if (code === 'CSV_INVALID_CLOSING_QUOTE') {
    return `expected a comma or newline after the closing quote of ${field}`;
  }
  return `unescaped quote in ${field}; quote the field and double its quotes`;
}

/** Returns the line of the record at an offset. The lines of csv-parse are wrong after a \r\n in quotes; its bytes are right. */
function createLineFinder(text: Buffer): (offset: number) => number {
  const [newline, carriageReturn] = [0x0a, 0x0d];
  let line = 1;
  let at = 0;
  return (offset) => {
    for (; at < offset || text[at] === newline || text[at] === carriageReturn; at += 1) {
      if (text[at] === newline || (text[at] === carriageReturn && text[at + 1] !== newline)) {
        line += 1;
      }
    }
    return line;
  };
}

const letters: Readonly<Record<string, string>> = { '\\': '\\', t: '\t', n: '\n', r: '\r' };

function decodeEscapes(text: string, delimiter: Delimiter): string {
  const escapes =
    delimiter === ',' ? /\\()u\{([0-9a-f]{1,6})\}/g : /\\(?:([\\tnr])|u\{([0-9a-f]{1,6})\})/g;
  return text.replace(escapes, (found, letter: string, digits: string) => {
    if (letter) return letters[letter] ?? found;
    const code = Number.parseInt(digits, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : found;
  });
}
