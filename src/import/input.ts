import type { Context } from '../context.ts';
import { type Failure, usageFailure } from '../errors.ts';
import { notice, type Report } from '../events.ts';
import { categoryColumns } from '../fields.ts';
import { readJson, readNdjson } from './json-rows.ts';
import { describeRow, type Item, Rows } from './rows.ts';
import { type InputSession, readBytes, Stop, utf8Text } from './text.ts';

type Reader = (text: Buffer, rows: Rows) => Promise<void>;

const readers = {
  csv: async (...input) => (await import('./csv.ts')).readTable('csv', ...input),
  tsv: async (...input) => (await import('./csv.ts')).readTable('tsv', ...input),
  json: (text, rows) => readJson(text.toString(), rows),
  ndjson: (text, rows) => readNdjson(text.toString(), rows),
} satisfies Record<string, Reader>;

export type InputFormat = keyof typeof readers;

export const inputFormats = Object.keys(readers) as InputFormat[];

const maxMiB = 32;

const jsonHint = 'Add --format json, or ndjson for one object per line.';
const names = 'CSV, TSV, JSON or NDJSON';

type OtherFile = {
  readonly start: RegExp;
  readonly what: string;
  readonly hint: string;
  /** Those that may begin so. */
  readonly formats?: readonly InputFormat[];
};

/** Files that are given by mistake, by their beginning. */
const otherFiles: readonly OtherFile[] = [
  {
    // ZIP, and the format of .xls, of which UTF-8 leaves little.
    start: /^(PK(?![\s -~])|\ufffd\ufffd.\u0871)/,
    what: 'a workbook or an archive',
    hint: 'Save the sheet as CSV.',
  },
  { start: /^%PDF/, what: 'a PDF', hint: 'Save its table as CSV.' },
  { start: /^\s*<(!doctype )?html/i, what: 'an HTML page', hint: 'It may be a login page.' },
  { start: /^\s*</, what: 'XML', hint: `Save it as ${names}.` },
  { start: /^[┌+]/, what: 'a table for people', hint: 'Write it with -o csv.' },
  { start: /^(---\s|- \w+: )/, what: 'YAML', hint: `YAML is only written; ${names} are read.` },
  { start: /^\s*[[{]/, what: 'JSON', hint: jsonHint, formats: ['json', 'ndjson'] },
  {
    start: new RegExp(`^"?(${categoryColumns.join('|')})"?[,;\\t\\r\\n]`, 'i'),
    what: 'a table',
    hint: 'Add --format csv or tsv.',
    formats: ['csv', 'tsv'],
  },
];

/** Reads a file, or standard input for `-`, and validates each row. Without a format the file's extension counts. */
export async function readInput(
  session: InputSession & {
    readonly context: Pick<Context, 'yieldToIo'>;
    readonly report: Report;
  },
  file: string,
  format: InputFormat | undefined,
) {
  if (file === '') throw usageFailure('the name of the file is empty');
  const given = format ?? detectFormat(file);
  if (!given && file === '-') throw unknownFormat('standard input');
  const { source, path, bytes } = await readBytes(session, file, 'file', maxMiB);
  const beginning = bytes.toString('utf8', 0, 1_000).replace(/^\ufeff/, '');
  const other = otherFiles.find(({ start, formats }) => {
    return start.test(beginning) && !formats?.some((own) => own === given);
  });
  if (other) throw usageFailure(`${source} is ${other.what}`, other.hint);
  if (!given) throw unknownFormat(source);
  const { context, report } = session;
  const rows = new Rows(report, path && file, async () => {
    await context.yieldToIo();
    context.signal.throwIfAborted();
  });
  try {
    const text = utf8Text(bytes);
    // The trace of an export that failed. One of nothing has a header or brackets, which NDJSON does not know.
    if (given !== 'ndjson' && !/\S/.test(text.toString('latin1'))) {
      throw usageFailure(`${source} is empty`, 'A file without categories has a header, or is [].');
    }
    await readers[given](text, rows);
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    rows.stop(error);
  }
  const failure = rows.failure(source);
  if (failure) throw failure;
  if (rows.items.length === 0) notice(report, `${source} has no rows`);
  noticeOddNames(rows.items, report);
  return { source, path, items: rows.items };
}

function detectFormat(file: string): InputFormat | undefined {
  const [, extension = ''] = /\.([^./\\]+)$/.exec(file.toLowerCase()) ?? [];
  return extension === 'jsonl' ? 'ndjson' : inputFormats.find((format) => format === extension);
}

function unknownFormat(source: string): Failure {
  const hint = `Add --format ${inputFormats.join('|')}.`;
  return usageFailure(`the format of ${source} is unknown`, hint);
}

/** Names that are the trace of a fault elsewhere are created all the same: they may be meant so. */
function noticeOddNames(items: readonly Item[], report: Report): void {
  // In other languages too: #WERT!, #¿NOMBRE?
  const error = items.find(({ name }) => /^#(N\/A|[\p{Lu}\p{P}0]+[!?]$)/u.test(name));
  if (error) notice(report, `${describeRow(error)} is an error of a spreadsheet`);
  const foreign = items.filter(({ name }) => !/^[ -~]*$/.test(name));
  const [first] = foreign;
  if (!first || !foreign.every(({ name }) => mojibake.test(name))) return;
  notice(report, `${describeRow(first)} looks like UTF-8 that was read as Latin-1 and saved again`);
}

/** Characters of two and three bytes, each byte shown in Windows-1252. */
const mojibake = /^([ -~]|[Ã-ô][\u0080-¿ŒœŠšŸŽžƒˆ˜–—‘-„†-•…‰‹›€™]{1,3}|Â[\u0080-¿])+$/;
