import { lstatSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { commandOn } from '../text/shell.ts';
import { FileFault } from './file-fault.ts';
import { makePrivateFolder } from './folders.ts';

/** The way out where a folder is not ours to repair. */
export const ownFolder = 'Set PETSTORE_STATE_DIR to a folder of your own.';

/**
 * Makes a folder if need be, and sees to it that it is the user's alone: anyone who could put a link or a file there could have
 * petstore write to a file of their choice. Others may write to the folder that it is in.
 * @throws FileFault, the system's error
 */
export function securePrivateFolder(path: string, uid: number | undefined): void {
  refuse(faultOfLink(dirname(path), uid) ?? faultOfFolder(path, uid));
  makePrivateFolder(path);
  // Another user may have been faster.
  refuse(faultOfFolder(path, uid));
}

/** What is wrong with a folder through which petstore finds its own: another user's link leads there. @throws the system's error */
export function faultOfLink(path: string, uid: number | undefined): FileFault | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats?.isSymbolicLink() || stats.uid === root || isOurs(path, stats, uid)) return undefined;
  return linkFault(path, stats, uid);
}

/** What keeps a folder from being the user's alone; undefined when it is, or is not there. @throws the system's error */
export function faultOfFolder(path: string, uid: number | undefined): FileFault | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return undefined;
  if (stats.isSymbolicLink()) return linkFault(path, stats, uid);
  if (!stats.isDirectory()) return new FileFault(`${path} is not a folder`, commandOn('rm', path));
  if (!isOurs(path, stats, uid)) {
    const message = `${path} is owned by another user (${stats.uid})`;
    // What sudo once made is given back; what a stranger made may hold anything.
    return new FileFault(
      message,
      stats.uid === root ? commandOn(`sudo chown -R ${uid ?? root}`, path) : ownFolder,
    );
  }
  if (uid !== undefined && (stats.mode & 0o022) !== 0) {
    return new FileFault(`${path} is writable by other users`, commandOn('chmod 700', path));
  }
  return undefined;
}

function linkFault(path: string, stats: Stats, uid: number | undefined): FileFault {
  const rm = isOurs(path, stats, uid) ? 'rm' : 'sudo rm';
  return new FileFault(`${path} is a symbolic link`, commandOn(rm, path));
}

const root = 0;

/** Whether what is at that path belongs to the user; to the owner of its folder, where root runs petstore in somebody's home. */
export function isOurs(
  path: string,
  { uid: owner }: Pick<Stats, 'uid'>,
  uid: number | undefined,
): boolean {
  if (uid === undefined || owner === uid) return true;
  return uid === root && owner === statSync(dirname(path)).uid;
}

function refuse(fault: FileFault | undefined): void {
  if (fault) throw fault;
}
