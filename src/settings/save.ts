import { existsSync, readFileSync, realpathSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Conf from 'conf';
import type { Context } from '../context.ts';
import { saving } from '../disk/files.ts';
import { makePrivateFolder, refuseForeignLinks, syncFolder } from '../disk/private-folder.ts';
import { nameTemporary, removeFiles, removeStale } from '../disk/temporary.ts';
import { retryOnWindows } from '../disk/windows.ts';
import { Failure } from '../errors.ts';
import type { Json } from '../json/json.ts';
import { writeJson } from '../json/write.ts';
import { readSettings, type SavedSettings, settingsFile } from './file.ts';
import type { SettingName } from './settings.ts';

export type SettingPath = { readonly profile?: string; readonly name: SettingName };

export function saveSetting(
  { uid, now }: Pick<Context, 'uid' | 'now'>,
  folder: string,
  setting: SettingPath,
  value: string | undefined,
): string {
  const path = join(folder, settingsFile);
  const changed = change(readSettings(path), setting, value);
  saving(path, () => {
    refuseForeignLinks(path, uid);
    replace(path, changed);
    removeStale(folder, now());
  });
  return path;
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
function replace(path: string, settings: SavedSettings): void {
  const file = existsSync(path) ? realpathSync(path) : path;
  const folder = nameTemporary(file);
  try {
    makePrivateFolder(folder);
    const draft = new Conf<SavedSettings>({ cwd: folder, configFileMode: 0o600, serialize });
    draft.store = settings;
    if (readFileSync(draft.path, 'utf8') !== serialize(settings)) {
      const hint = 'Make room on the disk, and run the command again.';
      throw new Failure('output', `cannot save ${path}: the disk took a part of it only`, { hint });
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
