import { Readable } from 'node:stream';
import { Failure } from '../../src/errors.ts';
import type { Event } from '../../src/events.ts';
import { type InputFormat, readInput } from '../../src/import/read/input.ts';

export type Bytes = string | Uint8Array;

/** Reads standard input in these chunks: its rows, or the failure that is thrown, and the notices. */
export async function readChunks(format: InputFormat, chunks: Iterable<Bytes>) {
  const notices: string[] = [];
  const { signal } = new AbortController();
  const report = (event: Event) => notices.push(event.event === 'notice' ? event.message : '');
  try {
    const input = await readInput({ stdin: Readable.from(chunks), signal }, '-', format, report);
    return { ...input, notices, failure: undefined };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { rows: undefined, notices, failure: error };
  }
}
