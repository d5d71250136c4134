import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  mkdirSync,
  openSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../errors.ts';
import { isWindows } from './windows.ts';

/** Of a file or folder: user and group. */
type Owner = { readonly uid: number; readonly gid: number };

const root = 0;

/**
 * Makes a file of mode 0600 and opens it. What root makes belongs to the owner of the folder that it is in, as all that
 * this module makes: with sudo, a home folder is still the user's.
 * @param flags how to open it
 * @param owner whose it is instead
 * @throws the system's error, EEXIST when it is there
 */
export function openNew(path: string, flags: number, owner?: Owner): number {
  const file = openSync(path, flags | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    give(file, owner ?? statSync(dirname(path)));
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** Makes a file of mode 0600 whose bytes last. @throws as openNew */
export function writeNew(path: string, bytes: Uint8Array, owner?: Owner): void {
  write(openNew(path, constants.O_WRONLY, owner), bytes, true);
}

/** Makes a file of mode 0600 for as long as this process runs: a power cut may take it. @throws as openNew */
export function writeBrief(path: string, text: string): void {
  write(openNew(path, constants.O_WRONLY), Buffer.from(text), false);
}

function write(file: number, bytes: Uint8Array, flush: boolean): void {
  try {
    writeFileSync(file, bytes, { flush });
  } finally {
    closeSync(file);
  }
}

/** Makes a folder of mode 0700. @throws the system's error, EEXIST when something is there */
export function makeNewFolder(path: string): void {
  mkdirSync(path, { mode: 0o700 });
  // Windows has no owners by number, and opens no folders.
  if (isWindows) return;
  const owner = statSync(dirname(path));
  if (owner.uid === root) return;
  const folder = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    give(folder, owner);
  } finally {
    closeSync(folder);
  }
}

/** By number of the open file: whoever can write to the folder may have put something else in its place by now. */
function give(file: number, { uid, gid }: Owner): void {
  if (uid === root || fstatSync(file).uid !== root) return;
  try {
    fchownSync(file, uid, gid);
  } catch (error) {
    // A file system without owners (vfat, a share), or a user whom this container does not know.
    if (!['EPERM', 'EINVAL', 'ENOSYS', 'ENOTSUP'].includes(systemCode(error) ?? '')) throw error;
  }
}
