import { createHash } from 'node:crypto';
import type { Context } from '../../context.ts';
import { usageFailure } from '../../errors.ts';
import type { Report } from '../../events.ts';
import { createFaults, Fault, type Faults } from './faults.ts';
import { createRows, type Reader, type Row, type Rows } from './rows.ts';
import { openSource } from './source.ts';
import { decodeText } from './text.ts';

/** What reads a format, loaded when it is needed. */
const readers = {
  csv: async (rows: Rows, faults: Faults): Promise<Reader> =>
    (await import('./csv.ts')).createCsvReader(rows, faults),
  tsv: async (rows: Rows, faults: Faults): Promise<Reader> =>
    (await import('./tsv.ts')).createTsvReader(rows, faults),
  json: async (rows: Rows): Promise<Reader> => (await import('./json.ts')).createJsonReader(rows),
  ndjson: async (rows: Rows): Promise<Reader> =>
    (await import('./ndjson.ts')).createNdjsonReader(rows),
};

export type InputFormat = keyof typeof readers;

export const inputFormats = Object.keys(readers) as InputFormat[];

/** Categories to be created, all of them judged. */
export type Input = {
  /** For messages: the path as given, or "standard input". */
  readonly source: string;
  /** Absolute and without links; undefined for standard input. */
  readonly path: string | undefined;
  /** Of all bytes, in hexadecimal digits. */
  readonly sha256: string;
  readonly rows: readonly Row[];
};

/**
 * Reads a file, or standard input for `-`, and judges each row; `format` undefined goes by the file's extension.
 * An id that is not used is reported.
 * @throws Failure (usage), the signal's reason
 */
export async function readInput(
  context: Pick<Context, 'stdin' | 'signal'>,
  file: string,
  format: InputFormat | undefined,
  report: Report,
): Promise<Input> {
  const createReader = readers[format ?? formatOf(file)];
  const faults = createFaults();
  const rows = createRows(faults, report);
  const reader = await createReader(rows, faults);
  const { name: source, path, chunks } = await openSource(context, file);
  const hash = createHash('sha256');
  try {
    for await (const text of decodeText(hashed(chunks, hash))) await reader.read(text);
    await reader.end();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    faults.add(error.position, error.reason, error.hint);
  }
  const failure = faults.summary(source);
  if (failure) throw failure;
  if (rows.list.length === 0) throw usageFailure(`${source} has no rows`);
  return { source, path, sha256: hash.digest('hex'), rows: rows.list };
}

/** What a file is by its extension, in whatever case. @throws Failure (usage) */
function formatOf(file: string): InputFormat {
  const [, extension = ''] = /\.([^./\\]+)$/.exec(file.toLowerCase()) ?? [];
  const format =
    extension === 'jsonl' ? 'ndjson' : inputFormats.find((format) => format === extension);
  if (format) return format;
  throw usageFailure(
    `the format of ${file === '-' ? 'standard input' : file} is unknown`,
    `Add --format ${inputFormats.join('|')}.`,
  );
}

async function* hashed(
  chunks: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}
