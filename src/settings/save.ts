import { chmodSync, lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { cannotSave, durableRemove, durableWrite } from '../disk/files.ts';
import { makePrivateFolder } from '../disk/folders.ts';
import { withLock } from '../disk/lock.ts';
import { faultOfFolder, faultOfLink, isOurs } from '../disk/private-folder.ts';
import { temporariesOf } from '../disk/temporary.ts';
import { configFailure } from '../errors.ts';
import { readSettings, type Settings, settingsFile } from './file.ts';
import { keyFile, keysFolder, type StoredKey } from './keys.ts';
import type { SettingName } from './names.ts';

/** A place in the settings file: at its top, or in one profile. */
export type Place = { readonly profile?: string; readonly name: SettingName };

/**
 * Saves one setting, or removes it where the value is undefined, and returns the file it stands in; two processes that do so
 * at once both succeed.
 * @throws Failure (config) when the file as it stands is broken, Failure (output) when it cannot be written
 */
export async function saveSetting(
  context: Context,
  folder: string,
  place: Place,
  value: string | undefined,
): Promise<string> {
  const path = join(folder, settingsFile);
  await withLock(context, `${path}.lock`, () => {
    const settings = withSetting(readSettings(folder), place, value);
    durableWrite(targetOf(path, context.uid), `${JSON.stringify(settings, undefined, 2)}\n`);
  });
  return path;
}

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
  if (!look(path) && temporariesOf(path).length === 0) return false;
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

/** What is at a path itself, be it a link; undefined when nothing is. @throws Failure (output) */
function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw cannotSave(path, error);
  }
}

/**
 * Where a file is to be replaced: a link stays a link, and what it leads to is changed if it is the user's own.
 * @throws Failure (config) when it is not, Failure (output) when it leads nowhere
 */
function targetOf(path: string, uid: number | undefined): string {
  if (!look(path)?.isSymbolicLink()) return path;
  try {
    const target = realpathSync(path);
    if (uid === undefined || statSync(target).uid === uid) return target;
  } catch (error) {
    throw cannotSave(path, error);
  }
  throw configFailure(`${path} is a link to a file of another user, which is left as it is`);
}

/** Entries, not assignments: a profile may have the name of something every object has. */
function withSetting(
  settings: Settings,
  { profile, name }: Place,
  value: string | undefined,
): Settings {
  if (profile === undefined) return { ...settings, [name]: value };
  const profiles = new Map(Object.entries(settings.profiles ?? {}));
  const changed = { ...profiles.get(profile), [name]: value };
  profiles.set(profile, changed);
  // A profile exists as long as something is set for it.
  if (Object.values(changed).every((left) => left === undefined)) profiles.delete(profile);
  return { ...settings, profiles: Object.fromEntries(profiles) };
}
