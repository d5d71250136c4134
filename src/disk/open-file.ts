import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { FileFault, systemCode } from '../errors.ts';
import { commandOn } from '../text/shell.ts';
import { openNew } from './new-file.ts';
import { readStart } from './read-start.ts';

/** A link would lead to a file of somebody else's choice; a pipe without a writer would never open. */
const careful = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a file that petstore made. @throws the system's error; FileFault when it is a link, or no regular file
 * @param flags how to open it
 */
export function openOwn(path: string, flags: number = constants.O_RDONLY): number {
  let file: number;
  try {
    file = openSync(path, flags | careful);
  } catch (error) {
    // The way there may be a loop of links too, but then there is nothing to be moved away.
    if (systemCode(error) === 'ELOOP') throw misplaced(path, 'is a link');
    throw error;
  }
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw misplaced(path, 'is not a regular file');
}

/** The first bytes of a file that petstore made, at most so many. @throws as openOwn */
export function readOwn(path: string, most: number): Buffer {
  const file = openOwn(path);
  try {
    return readStart(file, most);
  } finally {
    closeSync(file);
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
  return new FileFault(`${path} ${what}`, commandOn('mv', path, `${path}.old`));
}
