import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Conf from 'conf';
import type { Context } from '../context.ts';
import { durableWrite, saving } from '../disk/files.ts';
import { refuseForeignLinks } from '../disk/private-folder.ts';
import { readSettings, type Settings, settingsFile } from './file.ts';
import type { SettingName } from './settings.ts';

export type SettingPath = { readonly profile?: string; readonly name: SettingName };

export function saveSetting(
  context: Context,
  folder: string,
  { profile, name }: SettingPath,
  value: string | undefined,
): string {
  const path = join(folder, settingsFile);
  saving(path, () => refuseForeignLinks(path, context.uid));
  const key = profile === undefined ? name : `profiles.${profile}.${name}`;
  const store = new SettingsStore({ cwd: folder, configName: basename(settingsFile, '.json') });
  if (value === undefined) store.delete(key as keyof Settings);
  else store.set(key, value);
  return path;
}

/** conf sets and deletes. It does not write: below a full disk its writer takes a short write for a whole one. */
class SettingsStore extends Conf<Settings> {
  override get store(): Settings {
    return readSettings(dirname(this.path));
  }

  override set store({ profiles = {}, ...others }: Settings) {
    // A profile exists as long as something is set for it. For one named 0 conf makes an array.
    const used = Object.entries(profiles).filter(([, own]) => Object.keys(own).length > 0);
    const settings = used.length > 0 ? { ...others, profiles: Object.fromEntries(used) } : others;
    durableWrite(followLink(this.path), `${JSON.stringify(settings, undefined, 2)}\n`);
  }
}

function followLink(path: string): string {
  return saving(path, () =>
    lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? realpathSync(path) : path,
  );
}
