import { Readable } from 'node:stream';
import { Failure } from '../../src/errors.ts';
import type { Event } from '../../src/events.ts';
import { type InputFormat, readInput } from '../../src/import/read/input.ts';

export type Bytes = string | Uint8Array;

/** What `readInput` makes of standard input in these chunks. */
export async function readChunks(format: InputFormat | undefined, chunks: Iterable<Bytes>) {
  return readStream(format, Readable.from(chunks));
}

/** Its rows, or the failure that it throws, and the notices. */
export async function readStream(format: InputFormat | undefined, stdin: Readable, file = '-') {
  const notices: string[] = [];
  const { signal } = new AbortController();
  const report = (event: Event) => notices.push(event.event === 'notice' ? event.message : '');
  try {
    const input = await readInput({ stdin, signal }, file, format, report);
    return { ...input, notices, failure: undefined };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { rows: undefined, notices, failure: error };
  }
}
