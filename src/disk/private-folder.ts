import {
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../errors.ts';
import { commandOn } from '../text/shell.ts';
import { FileFault } from './open-file.ts';
import { isWindows } from './windows.ts';

export const ownFolder =
  'Set PETSTORE_STATE_DIR to a folder of your own, or PETSTORE_CONFIG_DIR for settings.';

const rootUid = 0;

/** Throws a FileFault if others could lead petstore to a file of their choice: they may be able to write to the folder above. */
export function securePrivateFolder(path: string, uid: number | undefined): void {
  refuse(findFolderFault(path, uid));
  makePrivateFolder(path);
  refuse(findFolderFault(path, uid));
}

export function findFolderFault(path: string, uid: number | undefined): FileFault | undefined {
  const fault = findLinkFault(dirname(path), uid);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (fault || !stats) return fault;
  if (stats.isSymbolicLink()) return createLinkFault(path, isOwn(stats, uid));
  if (!isOwn(stats, uid)) return createOwnerFault(path, stats);
  if (uid === undefined || (stats.mode & 0o022) === 0) return undefined;
  const fix = `Run: ${commandOn('chmod 700', path)}`;
  return new FileFault(`${path} is writable by other users`, fix);
}

/** As root in the home folder of a user, a link of that user could lead to any folder. */
export function refuseForeignLinks(path: string, uid: number | undefined): void {
  refuse(findLinkFault(path, uid));
}

/** Returns the reason if a folder in which we make others belongs to another user, who could exchange them. */
export function findOwnerFault(path: string, uid: number | undefined): FileFault | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  const isForeign = stats && stats.uid !== rootUid && !isOwn(stats, uid);
  return isForeign ? createOwnerFault(path, stats) : undefined;
}

/** Others could lead us elsewhere by a link of theirs on any level. */
function findLinkFault(path: string, uid: number | undefined): FileFault | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  const isForeign = stats?.isSymbolicLink() && stats.uid !== rootUid && !isOwn(stats, uid);
  if (isForeign) return createLinkFault(path, false);
  return dirname(path) === path ? undefined : findLinkFault(dirname(path), uid);
}

function createLinkFault(path: string, isOurs: boolean): FileFault {
  const fix = isOurs ? `Run: ${commandOn('rm', path)}` : ownFolder;
  return new FileFault(`${path} is a symbolic link`, fix);
}

function createOwnerFault(path: string, { uid }: Stats): FileFault {
  return new FileFault(`${path} is owned by another user (${uid})`, ownFolder);
}

function isOwn({ uid: owner }: Stats, uid: number | undefined): boolean {
  return uid === undefined || owner === uid;
}

function refuse(fault: FileFault | undefined): void {
  if (fault) throw fault;
}

export function makePrivateFolder(path: string): void {
  try {
    makeFolder(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' || dirname(path) === path) throw error;
    // Node's own recursive mkdir never ends on a file system that takes no folders (/proc).
    makePrivateFolder(dirname(path));
    makeFolder(path);
  }
}

/** Makes new names in a folder outlast a power cut. */
export function syncFolder(path: string): void {
  // Windows opens no folders, and its renames are durable by themselves.
  if (isWindows) return;
  const folder = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(folder);
  } catch (error) {
    // Shared folders of virtual machines and phones sync no folders.
    if (!['EINVAL', 'ENOTSUP'].includes(systemCode(error) ?? '')) throw error;
  } finally {
    closeSync(folder);
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
    syncFolder(dirname(path));
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    if (!statSync(path).isDirectory()) throw Object.assign(error as Error, { code: 'ENOTDIR' });
  }
}
