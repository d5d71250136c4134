import { pipeline } from 'node:stream/promises';
import { CsvError, type Options, parse } from 'csv-parse';
import { contentFields, findColumn } from '../fields.ts';
import { maxElementLength } from '../json/json.ts';
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
const headerHint = `The first line must be a header, for example ${contentFields.join(',')}.`;
const columnHint = `Rename or leave out all columns but ${contentFields.join(', ')}.`;
const fieldHint = 'Put a field with a separator in it in quotes.';
const quoteHint =
  'Put the whole field in quotes, with no space before them, and double each quote in it: "a ""big"" dog".';

/** With more unknown columns it is the file of something else. */
const maxUnknownColumns = 3;
/** Spreadsheets have up to 18,278 columns. */
const maxColumns = 20_000;
/** Ctrl-C is noticed between pieces. */
const pieceBytes = 64 * 1024;

export async function readTable(format: Format, text: Buffer, rows: Rows): Promise<void> {
  const find = createFinder(text);
  const hasContent = (byte: number) => byte > 0x20 && byte !== delimiters[format].charCodeAt(0);
  const { offset, line } = find(findHeader(text, hasContent));
  const [titleLine = ''] = text
    .toString('utf8', offset, offset + maxElementLength)
    .split(/[\r\n]/, 1);
  const header = { line, titles: readTitles(titleLine, format, { line }, rows) };
  const base = offset + Buffer.byteLength(titleLine);
  // A spreadsheet may end with a million empty rows, which take csv-parse five seconds.
  const end = text.indexOf('\n', text.findLastIndex(hasContent));
  const body = text.subarray(base, end < 0 ? undefined : end);
  let start = base;
  const parser = parse({
    ...dialect(format),
    on_record(cells: string[], { bytes }) {
      const place = find(start);
      const raw = () => text.toString('utf8', place.offset, base + bytes);
      takeRow(cells, raw, place, header, format, rows);
      start = base + bytes;
    },
  });
  try {
    await pipeline(splitUp(body, rows), parser.resume());
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new Stop(find(base + Number(error.bytes)), explain(error), quoteHint);
  }
}

/** Returns where the header begins: after the line in which a spreadsheet names the separator, and empty rows. */
function findHeader(text: Buffer, hasContent: (byte: number) => boolean): number {
  const [separatorLine = ''] = /^"?sep=[^\r\n]*/i.exec(text.toString('latin1', 0, 10)) ?? [];
  const start = separatorLine.length;
  const first = text.findIndex((byte, index) => index >= start && hasContent(byte));
  return Math.max(start, text.lastIndexOf('\n', first) + 1, text.lastIndexOf('\r', first) + 1);
}

function readTitles(line: string, format: Format, place: Place, rows: Rows): string[] {
  const text = line.replaceAll('"', '');
  const own = delimiters[format];
  const used = [own, ...Object.keys(separators)].find((each) =>
    text.split(each).some((cell) => findColumn(cell.trim())),
  );
  if (used !== undefined && used !== own) {
    const message = `the columns are separated by ${separators[used]}, not by ${separators[own]}`;
    throw new Stop(place, message, separatorHint);
  }
  const cells = text.split(own).map((cell) => cell.trim());
  const titles = cells.map((cell) => findColumn(cell) ?? cell);
  if (!titles.includes('name')) {
    const message = `no column is called name; the columns are ${quoteSome(cells)}`;
    throw new Stop(place, message, headerHint);
  }
  const unknown = cells.filter((_, index) => titles[index] && !findColumn(titles[index]));
  if (unknown.length > 0) {
    const what = unknown.length === 1 ? 'unknown column' : 'unknown columns';
    const message = `${what} ${quoteSome(unknown)}; columns: ${contentFields.join(', ')}`;
    if (unknown.length > maxUnknownColumns) throw new Stop(place, message, columnHint);
    rows.fault(place, message, columnHint);
  }
  const repeated = titles.find(
    (title, index) => findColumn(title) && titles.indexOf(title) < index,
  );
  if (repeated) rows.fault(place, `duplicate column ${quoted(repeated)}`, columnHint);
  if (titles.includes('id')) rows.ignoreIds();
  return titles.slice(0, titles.findLastIndex(Boolean) + 1);
}

function dialect(format: Format): Options<string[]> {
  return {
    delimiter: delimiters[format],
    record_delimiter: ['\r\n', '\n', '\r'],
    skip_empty_lines: true,
    relax_column_count: true,
    // In TSV, a quote in a cell that does not begin with one is a quote.
    relax_quotes: format === 'tsv',
    max_record_size: maxElementLength,
    // Separators beyond these become text of the last cell, which counts as part of the row.
    ignore_last_delimiters: maxColumns,
  };
}

async function* splitUp(text: Buffer, rows: Rows): AsyncGenerator<Buffer> {
  for (let offset = 0; offset < text.length; offset += pieceBytes) {
    await rows.pause();
    yield text.subarray(offset, offset + pieceBytes);
  }
}

function takeRow(
  cells: readonly string[],
  raw: () => string,
  place: Place,
  { titles, line }: Header,
  format: Format,
  rows: Rows,
): void {
  if (cells.every((cell) => cell.trim() === '') && !raw().includes('"')) return;
  const extra = cells.findLastIndex((cell, index) => cell !== '' && !titles[index]);
  if (titles.every((title, index) => !title || findColumn(cells[index]?.trim() ?? ''))) {
    rows.fault(place, `repeats the header of line ${line}`, 'Leave this line out.');
  } else if (cells.length < titles.length || extra >= titles.length) {
    const reason = `expected ${countOf(titles.length, 'field')}, got ${cells.length}`;
    rows.fault(place, reason, extra >= 0 ? fieldHint : undefined);
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
): Record<string, string> {
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
  if (code === 'CSV_MAX_RECORD_SIZE') return 'the row is longer than 1 MiB; a quote may be missing';
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
