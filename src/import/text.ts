import { isUtf8 } from 'node:buffer';
import { realpathSync } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import type { Context } from '../context.ts';
import { isNotFound } from '../disk/files.ts';
import { FileFault, readStart, withFile } from '../disk/open-file.ts';
import { asFailure, nothingSent, systemCode, usageFailure } from '../errors.ts';
import { createLocator } from '../json/position.ts';

export type InputSession = {
  readonly context: Pick<Context, 'stdin' | 'signal'>;
  readonly options: { readonly apiKeyFile?: string };
};

/** A place in the input, counted from 1. CSV and TSV have no columns. */
export type Place = { readonly line: number; readonly column?: number };

/** A fault after which the rest cannot be understood. */
export class Stop extends Error {
  constructor(
    readonly place: Place,
    readonly reason: string,
    readonly hint?: string,
  ) {
    super(reason);
  }
}

export async function readBytes(
  { context, options }: InputSession,
  file: string,
  what: 'file' | 'body',
  maxMiB: number,
) {
  const isStdin = file === '-';
  if (isStdin && options.apiKeyFile === '-') {
    throw usageFailure(
      `standard input cannot be both the ${what} and the API key`,
      'Read one of them from a file, or set PETSTORE_API_KEY.',
    );
  }
  const source = isStdin ? 'standard input' : file;
  const maxBytes = maxMiB * 1024 * 1024;
  try {
    const bytes = isStdin
      ? await readStdin(context, maxBytes)
      : withFile(file, (fd) => readStart(fd, maxBytes + 1));
    if (bytes.length > maxBytes) throw usageFailure(`${source} is larger than ${maxMiB} MiB`);
    return { source, path: isStdin ? undefined : realpathSync(file), bytes };
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof FileFault) {
      const fix = 'Name a regular file, or read it from standard input (-).';
      throw usageFailure(error.message, fix);
    }
    const known = asFailure(error)?.with(nothingSent);
    if (known) throw known;
    if (isNotFound(error)) throw usageFailure(`file not found: ${source}`);
    throw usageFailure(`cannot read ${source} (${systemCode(error) ?? ''})`);
  }
}

/** Reads until there is more than it may be, for standard input may never end. */
async function readStdin(
  { stdin, signal }: InputSession['context'],
  maxBytes: number,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of addAbortSignal(signal, stdin)) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    chunks.push(bytes);
    size += bytes.length;
    if (size > maxBytes) break;
  }
  return Buffer.concat(chunks);
}

const saveAsUtf8 = 'Save it as UTF-8 (Excel: CSV UTF-8).';

/** Returns the bytes of a UTF-8 text without its byte order mark. Throws Stop where they are something else. */
export function utf8Text(bytes: Buffer): Buffer {
  // A byte order mark, or a first character of ASCII, as all formats have.
  const isUtf16 = /^(?:fffe|feff|00|..00)/.test(bytes.toString('hex', 0, 2));
  if (isUtf16) throw new Stop({ line: 1, column: 1 }, 'UTF-16 is not supported', saveAsUtf8);
  const start = bytes.toString('hex', 0, 3) === 'efbbbf' ? 3 : 0;
  const nul = bytes.indexOf(0);
  if (nul < 0 && isUtf8(bytes)) return bytes.subarray(start);

  const end = nul < 0 ? findInvalid(bytes) : nul;
  const before = bytes.toString('utf8', start, end);
  const place = createLocator(before)(before.length);
  if (nul >= 0) throw new Stop(place, 'unexpected NUL byte (not a text file)');
  throw new Stop(place, `invalid UTF-8 (byte offset ${end})`, saveAsUtf8);
}

function findInvalid(bytes: Buffer): number {
  return Buffer.from(bytes.toString()).findIndex((byte, index) => byte !== bytes[index]);
}
