import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import type { Context } from '../../context.ts';
import { usageFailure } from '../../errors.ts';
import type { Report } from '../../events.ts';
import { createCsvReader } from './csv.ts';
import { createFaults, Fault } from './faults.ts';
import { createJsonReader } from './json.ts';
import { createNdjsonReader } from './ndjson.ts';
import { createRows, type Row } from './rows.ts';
import { openSource } from './source.ts';
import { decodeText } from './text.ts';

const readers = { csv: createCsvReader, json: createJsonReader, ndjson: createNdjsonReader };

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
  const { name: source, path, chunks } = await openSource(context, file);
  const hash = createHash('sha256');
  const faults = createFaults();
  const rows = createRows(faults, report);
  const reader = createReader(rows, faults);
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
  switch (extname(file).toLowerCase()) {
    case '.csv':
      return 'csv';
    case '.json':
      return 'json';
    case '.ndjson':
    case '.jsonl':
      return 'ndjson';
    default:
      throw usageFailure(
        `the format of ${file === '-' ? 'standard input' : file} is unknown`,
        'Add --format csv|json|ndjson.',
      );
  }
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
