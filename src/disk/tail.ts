import { readSync } from 'node:fs';

/** Follows a file that others append to. */
export type Tail = {
  /** The whole lines added since the last call, in the first `size` bytes of the file or beyond. */
  readonly readLines: (size?: number) => string[];
  /**
   * Passes over `length` bytes that the caller has appended, and tells whether it could: they have to be all that was added
   * to a file that is `size` bytes long now, behind a whole line.
   */
  readonly skip: (length: number, size: number) => boolean;
  /** How far it has read, in bytes. */
  readonly position: () => number;
  /** The same, without a line whose end is missing. */
  readonly lineEnd: () => number;
  /** Reads on from here, where a line begins. */
  readonly seek: (start: number) => void;
};

/** @param most bytes from the file's beginning on that are read at all */
export function createTail(file: number, most = Number.POSITIVE_INFINITY): Tail {
  const chunk = Buffer.alloc(64 * 1024);
  let position = 0;
  let partial = Buffer.alloc(0);
  return {
    position: () => position,
    lineEnd: () => position - partial.length,
    seek(start) {
      position = start;
      partial = Buffer.alloc(0);
    },
    readLines(size = Number.POSITIVE_INFINITY) {
      const parts = [partial];
      while (position < Math.min(size, most)) {
        const wanted = Math.min(chunk.length, most - position);
        const length = readSync(file, chunk, 0, wanted, position);
        if (length === 0) break;
        position += length;
        parts.push(Buffer.from(chunk.subarray(0, length)));
      }
      const text = Buffer.concat(parts);
      const end = text.lastIndexOf('\n') + 1;
      partial = Buffer.from(text.subarray(end));
      return text.subarray(0, end).toString().split('\n');
    },
    skip(length, size) {
      if (partial.length > 0 || position + length !== size) return false;
      position = size;
      return true;
    },
  };
}
