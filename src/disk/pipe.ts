import { constants, openSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';

export function isPipe(path: string): boolean {
  try {
    return statSync(path).isFIFO();
  } catch {
    return false;
  }
}

/** Opens a pipe as a socket: a file stream would keep a thread waiting for data, and the process alive with it. */
export function openPipe(path: string): Readable {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  return new Socket({ fd, readable: true, writable: false });
}
