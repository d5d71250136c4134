import { existsSync, readFileSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Conf from 'conf';
import type { Context } from '../context.ts';
import { saving } from '../disk/files.ts';
import { writeNew } from '../disk/open-file.ts';
import { makePrivateFolder, syncFolder } from '../disk/private-folder.ts';
import { nameTemporary, removeFiles, removeStale } from '../disk/temporary.ts';
import { retryOnWindows } from '../disk/windows.ts';
import { Failure, systemCode } from '../errors.ts';
import type { Json } from '../json/json.ts';
import { writeJson } from '../json/write.ts';
import { readSettings, type SavedSettings, settingsFile } from './file.ts';
import type { SettingName } from './settings.ts';

export type SettingPath = { readonly profile?: string; readonly name: SettingName };

export async function saveSetting(
  context: Context,
  folder: string,
  setting: SettingPath,
  value: string | undefined,
): Promise<string> {
  const path = join(folder, settingsFile);
  // A file that cannot be read is refused before anything is made.
  readSettings(path);
  const file = saving(path, () => {
    makePrivateFolder(folder);
    return existsSync(path) ? realpathSync(path) : path;
  });
  await whileLocked(file, context, () => {
    const changed = change(readSettings(path), setting, value);
    saving(path, () => {
      replace(file, changed);
      removeStale(folder, context.now());
    });
  });
  return path;
}

const maxLockWaitMs = 2_000;
const maxLockAgeMs = 10_000;
const lockPauseMs = 20;

async function whileLocked(
  file: string,
  { now, uptime, sleep, signal }: Context,
  save: () => void,
): Promise<void> {
  const lock = `${file}.lock`;
  const giveUpAt = uptime() + maxLockWaitMs;
  while (!saving(file, () => takeLock(lock, now()))) {
    if (uptime() >= giveUpAt) throw lockedFailure(file);
    await sleep(lockPauseMs, signal);
  }
  try {
    save();
  } finally {
    retryOnWindows(() => rmSync(lock, { force: true }));
  }
}

/** Returns false if another process has the lock. One that a killed process left is put aside. */
function takeLock(lock: string, now: number): boolean {
  const isOld = (path: string) => {
    const { mtimeMs = now } = statSync(path, { throwIfNoEntry: false }) ?? {};
    // One from the future is older than a change of the clock.
    return Math.abs(now - mtimeMs) > maxLockAgeMs;
  };
  const aside = nameTemporary(lock);
  try {
    if (isOld(lock)) {
      renameSync(lock, aside);
      // Another process may have put the old one aside before, and this is its own.
      if (!isOld(aside)) renameSync(aside, lock);
    }
    retryOnWindows(() => writeNew(lock, ''));
    return true;
  } catch (error) {
    if (['EEXIST', 'ENOENT'].includes(systemCode(error) ?? '')) return false;
    throw error;
  } finally {
    removeFiles([aside]);
  }
}

function lockedFailure(file: string): Failure {
  return new Failure('output', `cannot save ${file}: another petstore process is saving it`, {
    consequence: 'Nothing was saved.',
    hint: 'Run the same command again. The lock of a killed process ends after ten seconds.',
  });
}

/** A profile exists as long as something is set for it. */
function change(
  { profiles = {}, ...others }: SavedSettings,
  { profile, name }: SettingPath,
  value: string | undefined,
): SavedSettings {
  if (profile === undefined) return { ...others, [name]: value, profiles };
  const { [profile]: before, ...rest } = profiles;
  const own = { ...before, [name]: value };
  const isUsed = Object.values(own).some((value) => value !== undefined);
  return { ...others, profiles: isUsed ? { ...profiles, [profile]: own } : rest };
}

/** Below a full disk conf takes a short write for a whole one. So it writes a draft, which is read back before it becomes the file. */
function replace(file: string, settings: SavedSettings): void {
  const folder = nameTemporary(file);
  try {
    makePrivateFolder(folder);
    const draft = new Conf<SavedSettings>({ cwd: folder, configFileMode: 0o600, serialize });
    draft.store = settings;
    if (readFileSync(draft.path, 'utf8') !== serialize(settings)) {
      const hint = 'Make room on the disk, and run the command again.';
      throw new Failure('output', `cannot save ${file}: the disk took a part of it only`, { hint });
    }
    retryOnWindows(() => renameSync(draft.path, file));
    syncFolder(dirname(file));
  } finally {
    removeFiles([folder]);
  }
}

function serialize(settings: SavedSettings): string {
  return `${writeJson(settings as Json, 0)}\n`;
}
