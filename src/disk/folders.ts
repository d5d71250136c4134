import { closeSync, constants, fsyncSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../errors.ts';
import { makeNewFolder } from './new-file.ts';
import { isWindows } from './windows.ts';

/** Makes a folder that only its owner can enter, and the folders above it. @throws the system's error */
export function makePrivateFolder(path: string): void {
  try {
    makeFolder(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' || dirname(path) === path) throw error;
    // Step by step: Node's own recursive mkdir never ends where a file system takes no folders (/proc).
    makePrivateFolder(dirname(path));
    makeFolder(path);
  }
}

function makeFolder(path: string): void {
  try {
    makeNewFolder(path);
    syncFolder(dirname(path));
  } catch (error) {
    // There already, or made by another process just now.
    if (systemCode(error) !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
  }
}

/** Makes new names in a folder last. */
export function syncFolder(path: string): void {
  // A folder cannot be opened for this on Windows, where the rename is durable by itself.
  if (isWindows) return;
  const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
