import { chmodSync, lstatSync, statSync } from 'node:fs';
import type { Context } from '../context.ts';
import { cannotSave, durableRemove, durableWrite } from '../disk/files.ts';
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
    closeToOthers(keys, context.uid);
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
  try {
    // Be it a link that leads nowhere.
    const there = lstatSync(path, { throwIfNoEntry: false });
    if (!there && temporariesOf(path).length === 0) return false;
  } catch (error) {
    throw cannotSave(path, error);
  }
  await withLock(context, keysFolder(folder).lock, () => durableRemove(path));
  return true;
}

/** A folder of keys that was there before may have been opened to others, or be theirs. @throws Failure (output) */
function closeToOthers(keys: string, uid: number | undefined): void {
  try {
    const fault = faultOfLink(keys, uid);
    if (fault) throw fault;
    makePrivateFolder(keys);
    const stats = statSync(keys);
    if (!isOurs(keys, stats, uid)) throw faultOfFolder(keys, uid);
    if ((stats.mode & 0o777) !== 0o700) chmodSync(keys, 0o700);
  } catch (error) {
    throw cannotSave(keys, error);
  }
}
