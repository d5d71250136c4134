import { readSync } from 'node:fs';

/** Follows a file that others append to. Returns a function that reads the whole lines added since its last call. */
export function followLines(file: number): () => string[] {
  const chunk = Buffer.alloc(64 * 1024);
  let position = 0;
  let partial = Buffer.alloc(0);
  return () => {
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
  };
}
