import { createHash } from 'node:crypto';
import { usageFailure } from '../errors.ts';
import { notice, type Report } from '../events.ts';
import { readJson, readNdjson } from './json-rows.ts';
import { type Item, Rows } from './rows.ts';
import { type InputSession, readBytes, Stop, utf8Text } from './text.ts';

const readers = {
  csv: async (text: Buffer, rows: Rows) => (await import('./csv.ts')).readTable(text, ',', rows),
  tsv: async (text: Buffer, rows: Rows) => (await import('./csv.ts')).readTable(text, '\t', rows),
  json: (text: Buffer, rows: Rows) => readJson(text.toString(), rows),
  ndjson: (text: Buffer, rows: Rows) => readNdjson(text.toString(), rows),
};

export type InputFormat = keyof typeof readers;

export const inputFormats = Object.keys(readers) as InputFormat[];

export type Input = {
  readonly source: string;
  readonly path: string | undefined;
  readonly sha256: string;
  readonly items: readonly Item[];
};

const maxMiB = 32;

/** Reads a file, or standard input for `-`, and validates each row. Without a format the file's extension counts. */
export async function readInput(
  session: InputSession & { readonly report: Report },
  file: string,
  format: InputFormat | undefined,
): Promise<Input> {
  if (file === '') throw usageFailure('the name of the file is empty');
  const given = format ?? detectFormat(file);
  const { source, path, bytes } = await readBytes(session, file, 'file', maxMiB);
  const rows = new Rows(session.report);
  let hint: string | undefined;
  try {
    await readers[given](utf8Text(bytes), rows);
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    rows.stop(error);
    hint = error.hint;
  }
  const failure = rows.failure(source, hint);
  if (failure) throw failure;
  if (rows.items.length === 0) {
    // The trace of an export that failed. One of nothing has a header or brackets, which NDJSON does not know.
    if (given !== 'ndjson' && utf8Text(bytes).toString().trim() === '') {
      throw usageFailure(`${source} is empty`, 'A file without categories has a header, or is [].');
    }
    notice(session.report, `${source} has no rows`);
  }
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { source, path, sha256, items: rows.items };
}

function detectFormat(file: string): InputFormat {
  const [, extension = ''] = /\.([^./\\]+)$/.exec(file.toLowerCase()) ?? [];
  if (extension === 'jsonl') return 'ndjson';
  const format = inputFormats.find((format) => format === extension);
  if (format) return format;
  throw usageFailure(
    `the format of ${file === '-' ? 'standard input' : file} is unknown`,
    `Add --format ${inputFormats.join('|')}.`,
  );
}
