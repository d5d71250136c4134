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

/** Makes a folder of ours. Throws a FileFault if others could lead petstore to a file of their choice. */
export function securePrivateFolder(path: string, uid: number | undefined): void {
  checkFolder(path, uid);
  makePrivateFolder(path);
  checkFolder(path, uid);
}

export function checkFolder(path: string, uid: number | undefined): void {
  const fault = findForeignFault(path, uid);
  if (fault) throw fault;
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
  if (isLink) throw new FileFault(`${path} is a symbolic link`, `Run: ${commandOn('rm', path)}`);
}

/**
 * Returns the reason to write nothing below a folder, which may be a link of the user: it belongs to somebody else or would be made in
 * what does, others can change it, or a link of theirs leads there. Root is no exception: with `sudo` it would lock the user out.
 */
export function findForeignFault(path: string, uid: number | undefined): FileFault | undefined {
  const fault = findParentFault(dirname(path), uid) ?? findLinkFault(path, uid);
  if (fault) return fault;
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return undefined;
  return isOwn(stats, uid) ? findModeFault(path, stats, uid) : createOwnerFault(path, stats, uid);
}

/** Returns the reason not to believe a file or folder: somebody else than root or the user can have changed it. */
export function findOpenFault(path: string, uid: number | undefined): FileFault | undefined {
  const stats = statSync(path);
  const isTrusted = stats.uid === rootUid || isOwn(stats, uid);
  return isTrusted ? findModeFault(path, stats, uid) : createOwnerFault(path, stats, uid);
}

function findModeFault(path: string, { mode }: Stats, uid: number | undefined) {
  if (uid === undefined || (mode & 0o022) === 0) return undefined;
  const fix = `Run: ${commandOn('chmod go-w', path)}`;
  return new FileFault(`${path} is writable by other users`, fix);
}

/** Others could lead us elsewhere by a link of theirs on any level. */
function findLinkFault(path: string, uid: number | undefined): FileFault | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  const isForeign = stats?.isSymbolicLink() && stats.uid !== rootUid && !isOwn(stats, uid);
  if (isForeign) return new FileFault(`${path} is a symbolic link`, ownFolder);
  return dirname(path) === path ? undefined : findLinkFault(dirname(path), uid);
}

/** Whoever owns the folder above could exchange ours. Of folders that nobody can see the next one above counts. */
function findParentFault(path: string, uid: number | undefined): FileFault | undefined {
  const stats = statIfSeen(path);
  if (!stats && dirname(path) !== path) return findParentFault(dirname(path), uid);
  const isForeign = stats && !isOwn(stats, uid) && (stats.uid !== rootUid || isLeftBySudo(path));
  return isForeign ? createOwnerFault(path, stats, uid) : undefined;
}

function statIfSeen(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function createOwnerFault(path: string, { uid: owner }: Stats, uid: number | undefined): FileFault {
  const who = owner === rootUid ? 'root' : `another user (${owner})`;
  const fix = uid === rootUid ? `Run the command without sudo. ${ownFolder}` : fixOfOwner(path);
  return new FileFault(`${path} is owned by ${who}`, fix);
}

/** Returns what helps where a folder or file is not the user's own. */
export function fixOfOwner(path: string): string {
  try {
    const command = commandOn('sudo chown -R "$(id -un)"', path);
    return isLeftBySudo(path) ? `Run: ${command}` : ownFolder;
  } catch {
    return dirname(path) === path ? ownFolder : fixOfOwner(dirname(path));
  }
}

function isLeftBySudo(path: string): boolean {
  return lstatSync(path).uid === rootUid && statSync(dirname(path)).uid !== rootUid;
}

function isOwn({ uid: owner }: Stats, uid: number | undefined): boolean {
  return uid === undefined || owner === uid;
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
