import { readSync } from 'node:fs';

/** Follows a file that others append to. */
export type Tail = {
  /** The whole lines added since the last call. */
  readonly readLines: () => string[];
  /** How far it has read, in bytes. */
  readonly position: () => number;
};

export function createTail(file: number): Tail {
  const chunk = Buffer.alloc(64 * 1024);
  let position = 0;
  let partial = Buffer.alloc(0);
  return {
    position: () => position,
    readLines() {
      const parts = [partial];
      for (;;) {
        const length = readSync(file, chunk, 0, chunk.length, position);
        if (length === 0) break;
        position += length;
        parts.push(Buffer.from(chunk.subarray(0, length)));
      }
      const text = Buffer.concat(parts);
      const end = text.lastIndexOf('\n') + 1;
      partial = Buffer.from(text.subarray(end));
      return text.subarray(0, end).toString().split('\n');
    },
  };
}
