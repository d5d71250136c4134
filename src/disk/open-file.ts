import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { systemCode } from '../errors.ts';
import { FileFault } from './file-fault.ts';
import { openNew } from './new-file.ts';
import { retryOnWindows } from './retry-on-windows.ts';
import { isWindows } from './windows.ts';

/** A link would lead to a file of somebody else's choice; a pipe without a writer would never open. */
const careful = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a file that petstore made. @throws the system's error; FileFault when it is a link, or no regular file
 * @param flags how to open it
 */
export function openOwn(path: string, flags: number = constants.O_RDONLY): number {
  let file: number;
  try {
    if (isWindows && lstatSync(path).isSymbolicLink()) {
      throw misplaced(path, 'is a symbolic link');
    }
    file = retryOnWindows(() => openSync(path, flags | careful));
  } catch (error) {
    // The way there may be a loop of links too, but then there is nothing to be moved away.
    if (systemCode(error) === 'ELOOP') throw misplaced(path, 'is a symbolic link');
    throw error;
  }
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw misplaced(path, 'is not a regular file');
}

/** The first bytes of a file that petstore made, at most so many; undefined when there is none. @throws as openOwn */
export function readOwn(path: string, most: number): Buffer | undefined {
  let file: number;
  try {
    file = openOwn(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return readStart(file, most);
  } finally {
    closeSync(file);
  }
}

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

/** Opens a file to read it and to append to it, and makes it where there is none, with mode 0600. @throws as openOwn */
export function openToAppend(path: string): number {
  const flags = constants.O_RDWR | constants.O_APPEND;
  try {
    return openOwn(path, flags);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
  try {
    return openNew(path, flags);
  } catch (error) {
    // Another process was faster.
    if (systemCode(error) !== 'EEXIST') throw error;
    return openOwn(path, flags);
  }
}

function misplaced(path: string, what: string): FileFault {
  return new FileFault(`${path} ${what}`, 'Move it away.');
}
