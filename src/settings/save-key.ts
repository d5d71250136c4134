import { chmodSync, lstatSync, statSync } from 'node:fs';
import type { Context } from '../context.ts';
import { durableRemove, durableWrite, saving } from '../disk/files.ts';
import { makePrivateFolder } from '../disk/folders.ts';
import { withLock } from '../disk/lock.ts';
import { faultOfFolder, faultOfLink, isOurs } from '../disk/private-folder.ts';
import { temporariesOf } from '../disk/temporary.ts';
import { keyFile, keysFolder, type StoredKey } from './keys.ts';

/** Saves the key of a profile and returns the file it stands in. @throws Failure (output) */
export async function saveKey(
  context: Context,
  folder: string,
  profile: string,
  stored: StoredKey,
): Promise<string> {
  const path = keyFile(folder, profile);
  const { path: keys, lock } = keysFolder(folder);
  await withLock(context, lock, () => {
    saving(keys, () => closeToOthers(keys, context.uid));
    durableWrite(path, `${JSON.stringify(stored)}\n`);
  });
  return path;
}

/**
 * Removes the stored key of a profile, and copies of it that killed processes left; false when there was none.
 * @throws Failure (output)
 */
export async function removeKey(
  context: Context,
  folder: string,
  profile: string,
): Promise<boolean> {
  const path = keyFile(folder, profile);
  // Be it a link that leads nowhere.
  const there = saving(path, () => lstatSync(path, { throwIfNoEntry: false }));
  if (!there && temporariesOf(path).length === 0) return false;
  await withLock(context, keysFolder(folder).lock, () => durableRemove(path));
  return true;
}

/** A folder of keys that was there before may have been opened to others, or be theirs. @throws FileFault, the system's error */
function closeToOthers(keys: string, uid: number | undefined): void {
  const fault = faultOfLink(keys, uid);
  if (fault) throw fault;
  makePrivateFolder(keys);
  const stats = statSync(keys);
  if (!isOurs(keys, stats, uid)) throw faultOfFolder(keys, uid);
  if ((stats.mode & 0o777) !== 0o700) chmodSync(keys, 0o700);
}
