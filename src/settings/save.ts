import { chmodSync, lstatSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { configFailure } from '../errors.ts';
import { cannotSave, durableRemove, durableWrite } from '../files.ts';
import { withLock } from '../lock.ts';
import { temporariesOf } from '../temporary.ts';
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
  await withLock(context, keysFolder(folder).lock, () => {
    durableWrite(path, `${JSON.stringify(stored)}\n`);
    // One that was there before may have been opened to others.
    chmodSync(keysFolder(folder).path, 0o700);
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
  const there = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  if (!there && temporariesOf(path).length === 0) return false;
  await withLock(context, keysFolder(folder).lock, () => durableRemove(path));
  return true;
}

/**
 * Where a file is to be replaced: a link stays a link, and what it leads to is changed if it is the user's own.
 * @throws Failure (config) when it is not, Failure (output) when it leads nowhere
 */
function targetOf(path: string, uid: number | undefined): string {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return path;
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
