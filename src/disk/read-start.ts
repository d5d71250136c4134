import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** What is read at least at a time, in bytes. */
const least = 4_096;

/** The first bytes of an open file, at most so many, whatever the system tells of its size. @throws the system's error */
export function readStart(file: number, most: number): Buffer {
  const { size } = fstatSync(file);
  let bytes = Buffer.alloc(Math.min(most, Math.max(size + 1, least)));
  let length = 0;
  for (;;) {
    if (length === bytes.length) {
      if (length === most) return bytes;
      bytes = Buffer.concat([bytes], Math.min(most, 2 * length));
    }
    const read = readSync(file, bytes, length, bytes.length - length, length);
    if (read === 0) return bytes.subarray(0, length);
    length += read;
  }
}

/** The same of a file by its name. */
export function readStartOf(path: string, most: number): Buffer {
  const file = openSync(path, 'r');
  try {
    return readStart(file, most);
  } finally {
    closeSync(file);
  }
}
