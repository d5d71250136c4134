import { lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Conf from 'conf';
import type { Context } from '../context.ts';
import { durableWrite, saving } from '../disk/files.ts';
import { withLock } from '../disk/lock.ts';
import { configFailure } from '../errors.ts';
import { readSettings, type Settings, settingsFile } from './file.ts';
import type { SettingName } from './names.ts';

/** A place in the settings file: at its top, or in one profile. */
export type SettingPath = { readonly profile?: string; readonly name: SettingName };

/**
 * Saves a setting, or removes it where the value is undefined, and returns the file that has it. Two processes that do so at
 * once both succeed.
 * @throws Failure (config) when the file as it stands is broken, Failure (output) when it cannot be written
 */
export async function saveSetting(
  context: Context,
  folder: string,
  { profile, name }: SettingPath,
  value: string | undefined,
): Promise<string> {
  const path = join(folder, settingsFile);
  await withLock(context, `${path}.lock`, () => {
    const file = new SettingsStore(folder, context.uid);
    const settings = file.store;
    file.store =
      profile === undefined
        ? { ...settings, [name]: value }
        : { ...settings, profiles: withSetting(settings.profiles, profile, name, value) };
  });
  return path;
}

/**
 * The settings file as a store that is read and written by our own means. Conf's reader would wait for ever for a pipe; its
 * writer takes one short write for all of it, follows a link that was put there meanwhile, and in a snap replaces no file whole.
 */
class SettingsStore extends Conf<Settings> {
  readonly #uid: number | undefined;

  constructor(folder: string, uid: number | undefined) {
    super({
      cwd: folder,
      configName: basename(settingsFile, '.json'),
      accessPropertiesByDotNotation: false,
    });
    this.#uid = uid;
  }

  override get store(): Settings {
    return readSettings(dirname(this.path));
  }

  override set store(settings: Settings) {
    durableWrite(targetOf(this.path, this.#uid), `${JSON.stringify(settings, undefined, 2)}\n`);
  }
}

/**
 * Where a file is to be replaced: a link stays a link, and what it leads to is changed if it is the user's own.
 * @throws Failure (config) when it is not, Failure (output) when it leads nowhere
 */
function targetOf(path: string, uid: number | undefined): string {
  return saving(path, () => {
    if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return path;
    const target = realpathSync(path);
    if (uid === undefined || statSync(target).uid === uid) return target;
    throw configFailure(
      `${path} is a symbolic link to a file of another user, and was not changed`,
    );
  });
}

/** Entries, not assignments: a profile may have the name of something every object has. */
function withSetting(
  before: Settings['profiles'] = {},
  profile: string,
  name: SettingName,
  value: string | undefined,
): Settings['profiles'] {
  const profiles = new Map(Object.entries(before));
  const changed = { ...profiles.get(profile), [name]: value };
  profiles.set(profile, changed);
  // A profile exists as long as something is set for it.
  if (Object.values(changed).every((left) => left === undefined)) profiles.delete(profile);
  return Object.fromEntries(profiles);
}
