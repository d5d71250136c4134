import { CsvError, type Info, type Options, parse } from 'csv-parse/sync';
import { categoryColumns, contentFields } from '../fields.ts';
import { createLocator } from '../json/position.ts';
import { unescapeCell } from '../text/escape.ts';
import { quoted, quoteSome } from '../text/quote.ts';
import { countOf } from '../time.ts';
import type { Rows } from './rows.ts';
import { type Place, Stop } from './text.ts';

type Format = 'csv' | 'tsv';

type Header = {
  /** The columns up to the last one with a title. One without a title is an empty text. */
  readonly titles: readonly string[];
  readonly line: number;
  /** Where the rows begin. */
  readonly end: number;
};

const delimiters = { csv: ',', tsv: '\t' };
const separators: Readonly<Record<string, string>> = {
  ',': 'commas',
  '\t': 'tabs',
  ';': 'semicolons',
  '|': 'vertical bars',
  '  ': 'spaces',
};
const separatorHint = 'Save it with commas as .csv, or with tabs as .tsv.';
const columnHint = `Leave out all columns but ${contentFields.join(', ')}.`;
const fieldHint = 'Put a field with a separator in it in quotes.';
const quoteHint = 'Put the field in quotes, and double each quote in it: "a ""big"" dog".';

const columns = new Set<string>(categoryColumns);
/** With more unknown columns it is the file of something else. */
const maxUnknownColumns = 3;
/** Spreadsheets have up to 18,278 columns. */
const maxColumns = 20_000;
/** A list may not have a longer element: such a category could be created, and never be listed. */
const maxRowBytes = 1024 * 1024;
/** Ctrl-C is noticed between pieces. A row fits into one: its text may double with its quotes. */
const pieceBytes = 4 * maxRowBytes;
const pieceRows = 10_000;

export async function readTable(
  format: Format,
  text: Buffer,
  rows: Rows,
  pause: () => Promise<void>,
): Promise<void> {
  const find = createFinder(text);
  let base = findHeader(text, format);
  try {
    const header = readHeader(text.subarray(base), format, find(base), rows);
    base += header.end;
    for (base = find(base).offset; base < text.length; base = find(base).offset) {
      await pause();
      base = readPiece(base, header);
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new Stop(find(base + Number(error.bytes)), explain(error), quoteHint);
  }

  /** Returns where it has read to. A row that reaches the end of the piece is left for the next one. */
  function readPiece(base: number, header: Header): number {
    const end = Math.min(base + pieceBytes, text.length);
    const isLast = end === text.length;
    let start = base;
    try {
      parse(text.subarray(base, end), {
        ...dialect(format),
        to: pieceRows,
        on_record(cells: string[], { bytes }) {
          if (base + bytes === end && !isLast) return;
          const place = find(start);
          const raw = () => text.toString('utf8', place.offset, base + bytes);
          takeRow(cells, raw, place, header, format, rows);
          start = base + bytes;
        },
      });
    } catch (error) {
      const isCut = error instanceof CsvError && error.code === 'CSV_QUOTE_NOT_CLOSED' && !isLast;
      if (!isCut) throw error;
    }
    return start;
  }
}

function dialect(format: Format): Options<string[]> {
  return {
    delimiter: delimiters[format],
    record_delimiter: ['\r\n', '\n', '\r'],
    skip_empty_lines: true,
    relax_column_count: true,
    // In TSV, a quote in a cell that does not begin with one is a quote.
    relax_quotes: format === 'tsv',
    max_record_size: maxRowBytes,
    // Separators beyond these become text of the last cell, which counts as part of the row.
    ignore_last_delimiters: maxColumns,
  };
}

/** Returns where the header begins: after the line in which a spreadsheet names the separator, and empty rows. */
function findHeader(text: Buffer, format: Format): number {
  const beginning = text.toString('latin1', 0, 10);
  const [separatorLine = '', separator] = /^"?sep=(.)"?(?=[\r\n])/i.exec(beginning) ?? [];
  if (separator !== undefined) requireSeparator(separator, format, { line: 1 });
  const start = separatorLine.length;
  const first = text.findIndex((byte, index) => index >= start && byte > 0x20 && byte !== 0x2c);
  return Math.max(start, text.lastIndexOf('\n', first) + 1, text.lastIndexOf('\r', first) + 1);
}

function requireSeparator(found: string, format: Format, place: Place): void {
  if (found === delimiters[format]) return;
  const what = separators[found] ?? quoted(found);
  const wanted = format === 'csv' ? 'commas' : 'tabs';
  throw new Stop(place, `the columns are separated by ${what}, not by ${wanted}`, separatorHint);
}

function readHeader(text: Buffer, format: Format, place: Place, rows: Rows): Header {
  const [line = ''] = text
    .toString('utf8', 0, maxRowBytes)
    .replaceAll('"', '')
    .split(/[\r\n]/, 1);
  const own = delimiters[format];
  const found = [own, ...Object.keys(separators)].find((each) => hasTitle(line.split(each)));
  requireSeparator(found ?? own, format, place);
  const options = { ...dialect(format), trim: true, to: 1, info: true } as const;
  const [first] = parse(text, options) as unknown as { record: string[]; info: Info }[];
  const cells = first?.record ?? [];
  const titles = cells.map(toTitle);
  if (!hasTitle(titles)) {
    throw new Stop(place, `line ${place.line} must be a header, for example name,description`);
  }
  const unknown = cells.filter((_, index) => titles[index] && !columns.has(titles[index]));
  const repeated = titles.filter(
    (title, index) => columns.has(title) && titles.indexOf(title) < index,
  );
  const message = describeUnknown(unknown);
  if (unknown.length > maxUnknownColumns) throw new Stop(place, message, columnHint);
  if (unknown.length > 0) rows.fault(place, message, columnHint);
  if (repeated.length > 0) rows.fault(place, `duplicate column ${quoteSome(repeated)}`, columnHint);
  if (!titles.includes('name')) throw new Stop(place, 'missing column "name"');
  if (titles.includes('id')) rows.ignoreIds();
  const width = titles.findLastIndex((title) => title !== '') + 1;
  return { titles: titles.slice(0, width), line: place.line, end: first?.info.bytes ?? 0 };
}

function hasTitle(cells: readonly string[]): boolean {
  return cells.some((cell) => columns.has(toTitle(cell)));
}

function toTitle(cell: string): string {
  return cell.trim().toLowerCase();
}

function describeUnknown(titles: readonly string[]): string {
  const what = titles.length === 1 ? 'unknown column' : 'unknown columns';
  return `${what} ${quoteSome(titles)}; columns: ${contentFields.join(', ')}`;
}

function takeRow(
  cells: readonly string[],
  raw: () => string,
  place: Place,
  { titles, line }: Header,
  format: Format,
  rows: Rows,
): void {
  if (cells.every((cell) => cell === '') && !raw().includes('"')) return;
  const extra = cells.findLastIndex((cell, index) => cell !== '' && !titles[index]);
  if (titles.every((title, index) => !title || columns.has(toTitle(cells[index] ?? '')))) {
    rows.fault(place, `repeats the header of line ${line}`, 'Leave this line out.');
  } else if (cells.length < titles.length) {
    rows.fault(place, `expected ${countOf(titles.length, 'field')}, got ${cells.length}`);
  } else if (extra >= titles.length) {
    const expected = countOf(titles.length, 'field');
    rows.fault(place, `expected ${expected}, got ${extra + 1}`, fieldHint);
  } else if (extra >= 0) {
    rows.fault(place, `field ${extra + 1} has no title in line ${line}`, columnHint);
  } else {
    rows.add(place, readFields(cells, raw, titles, format));
  }
}

function readFields(
  cells: readonly string[],
  raw: () => string,
  titles: readonly string[],
  format: Format,
): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {};
  for (const [index, title] of titles.entries()) {
    const cell = cells[index] ?? '';
    if (title === '' || title === 'id') continue;
    // Quotes matter where there is nothing else, and in TSV for backslashes: ours has no quotes, that of spreadsheets no escapes.
    const canMatter = cell === '' || (format === 'tsv' && cell.includes('\\'));
    const isQuoted = canMatter && hasQuotes(raw(), index, format);
    if (cell !== '' || isQuoted) fields[title] = unescapeCell(cell, isQuoted ? 'csv' : format);
  }
  return fields;
}

/** Tells `""`, an empty text, from nothing. csv-parse would have to cast all fields: three times as long for 100,000 rows. */
function hasQuotes(record: string, field: number, format: Format): boolean {
  // With one quote for each quoted stretch, only the separators between fields are left.
  const fields = record.replace(/"[^"]*"/g, '"').split(delimiters[format]);
  return fields[field]?.startsWith('"') ?? false;
}

function explain({ code, index }: CsvError): string {
  const field = `field ${Number(index) + 1}`;
  if (code === 'CSV_MAX_RECORD_SIZE') return `${field} ends beyond 1 MiB; a quote may be missing`;
  if (code === 'CSV_QUOTE_NOT_CLOSED') return `missing closing quote of ${field}`;
  if (code === 'INVALID_OPENING_QUOTE') return `unescaped quote in ${field}`;
  return `text after the closing quote of ${field}`;
}

/** Returns what finds the first record at or after an offset. The lines of csv-parse are wrong after a \r\n in quotes. */
function createFinder(text: Buffer): (offset: number) => Place & { readonly offset: number } {
  // One character for each byte, since csv-parse counts bytes.
  const characters = text.toString('latin1');
  const locate = createLocator(characters);
  const content = /[^\r\n]/g;
  return (from) => {
    content.lastIndex = from;
    const offset = content.exec(characters)?.index ?? text.length;
    return { line: locate(offset).line, offset };
  };
}
