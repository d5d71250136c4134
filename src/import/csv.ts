import { CsvError, parse } from 'csv-parse/sync';
import { categoryColumns, contentFields } from '../fields.ts';
import { createLocator } from '../json/position.ts';
import { quoted } from '../text/quote.ts';
import { countOf } from '../time.ts';
import type { Rows } from './rows.ts';
import { type Place, Stop } from './text.ts';

type Delimiter = ',' | '\t';

export function readTable(text: Buffer, delimiter: Delimiter, rows: Rows): void {
  const findPlace = createPlaceFinder(text);
  let header: readonly string[] | undefined;
  let start = 0;
  try {
    parse(text, {
      delimiter,
      quote: delimiter === ',' ? '"' : null,
      record_delimiter: ['\r\n', '\n', '\r'],
      skip_empty_lines: true,
      relax_column_count: true,
      on_record(cells: string[], { bytes: end }) {
        const place = findPlace(start);
        const record = text.subarray(start, end);
        start = end;
        if (header) takeRow(cells, record, header, place);
        else header = readHeader(cells, delimiter, place, rows);
        return undefined;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new Stop(findPlace(Number(error.bytes)), explain(error));
  }

  function takeRow(cells: string[], record: Buffer, header: readonly string[], place: Place): void {
    if (cells.length !== header.length) {
      rows.fault(place, `expected ${countOf(header.length, 'field')}, got ${cells.length}`);
      return;
    }
    const fields: Record<string, string> = {};
    for (const [index, field] of header.entries()) {
      const text = decodeEscapes(cells[index] ?? '', delimiter);
      const isGiven =
        text !== '' || field === 'name' || (delimiter === ',' && isQuoted(record, index));
      if (isGiven && field !== 'id') fields[field] = text;
    }
    rows.add(place, fields);
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

function readHeader(
  titles: string[],
  delimiter: Delimiter,
  place: Place,
  rows: Rows,
): readonly string[] {
  const [only = ''] = titles;
  const cells = titles.map((title) => title.toLowerCase());
  if (cells.length === 1 && /[;,\t]/.test(only)) {
    throw new Stop(
      place,
      `the separator must be a ${delimiter === ',' ? 'comma' : 'tab'}`,
      'Save it with commas as .csv, or with tabs as .tsv.',
    );
  }
  const known = new Set<string>(categoryColumns);
  if (!cells.some((title) => known.has(title))) {
    throw new Stop(place, `line ${place.line} must be a header, for example name,description`);
  }
  for (const [index, title] of cells.entries()) {
    if (!known.has(title)) {
      rows.fault(
        place,
        `unknown column ${quoted(titles[index] ?? '')}; columns: ${contentFields.join(', ')}`,
      );
    } else if (cells.indexOf(title) < index) {
      rows.fault(place, `duplicate column "${title}"`);
    }
  }
  if (!cells.includes('name')) throw new Stop(place, 'missing column "name"');
  if (cells.includes('id')) rows.ignoreIds();
  return cells;
}

function explain({ code, index }: CsvError): string {
  const field = `field ${Number(index) + 1}`;
  if (code === 'CSV_QUOTE_NOT_CLOSED') return `missing closing quote of ${field}`;
  if (code === 'CSV_INVALID_CLOSING_QUOTE') {
    return `expected a comma or newline after the closing quote of ${field}`;
  }
  return `unescaped quote in ${field}; quote the field and double its quotes`;
}

/** Returns what finds the first record at or after an offset. The lines of csv-parse are wrong after a \r\n in quotes. */
function createPlaceFinder(text: Buffer): (offset: number) => Place {
  // One character for each byte, since csv-parse counts bytes.
  const characters = text.toString('latin1');
  const locate = createLocator(characters);
  const content = /[^\r\n]/g;
  return (offset) => {
    content.lastIndex = offset;
    return { line: locate(content.exec(characters)?.index ?? offset).line };
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
