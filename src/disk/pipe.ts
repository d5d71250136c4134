import { constants, openSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';

/** Whether a pipe is at that path, such as that of a shell's <(...). */
export function isPipe(path: string): boolean {
  try {
    return statSync(path).isFIFO();
  } catch {
    // Who reads it as a file says why that cannot be done.
    return false;
  }
}

/** What is written into a pipe. No thread waits for it, which would outlast the run. @throws the system's error */
export function openPipe(path: string): Readable {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  return new Socket({ fd, readable: true, writable: false });
}
