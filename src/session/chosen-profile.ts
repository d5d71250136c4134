import { join } from 'node:path';
import type { Context } from '../context.ts';
import type { Format } from '../formats.ts';
import { pickProfile, readSettings, type Settings, settingsFile } from '../settings/file.ts';
import { configFolder } from '../settings/folders.ts';
import { profilesWithKey } from '../settings/keys.ts';
import {
  builtInProfiles,
  parseChoice,
  parseProfileName,
  sandboxProfile,
} from '../settings/values.ts';
import type { CommonOptions } from './options.ts';
import {
  fromFlagOrEnv,
  getSetting,
  type Invocation,
  type Profile,
  type Resolved,
} from './resolve.ts';

/** The settings file as it was read; `folder` and `path` are undefined if there is no place for one. */
export type SettingsFile = {
  readonly folder: string | undefined;
  readonly path: string | undefined;
  readonly settings: Settings;
};

export function loadSettingsFile(context: Context): SettingsFile {
  const file = locateSettingsFile(context);
  return file.folder === undefined ? file : { ...file, settings: readSettings(file.folder) };
}

export function locateSettingsFile(context: Context): SettingsFile {
  const folder = configFolder(context);
  return { folder, path: folder && join(folder, settingsFile), settings: {} };
}

/** Returns the profile in force: flag, environment, settings, then production. A new one need not exist. */
export function chooseProfile(
  { env }: Pick<Context, 'env'>,
  options: CommonOptions,
  file: SettingsFile,
  isNew = false,
): Profile {
  const given = fromFlagOrEnv('default-profile', options, env) ?? defaultProfile(file);
  const name = parseProfileName(given.text, given.source);
  const settings = pickProfile(file.settings, name);
  // `sandbox -- COMMAND` saves an address for this profile, since it serves it itself; nobody else can.
  const isSandbox = name === sandboxProfile && settings['base-url'] === undefined;
  const profile: Profile = { name, isSandbox, given, file: file.path, settings };
  if (builtInProfiles.includes(name)) return profile;
  const known = profileNames(file);
  if (known.includes(name)) return profile;
  if (!isNew) parseChoice('profile', name, known, isExplicit(profile) ? undefined : given.source);
  return profile;
}

export function defaultProfile({ settings, path }: SettingsFile): Resolved {
  const text = settings['default-profile'];
  if (text === undefined) return { text: 'production', source: 'default' };
  return { text, source: `default-profile in ${path}`, file: path };
}

export function profileNames({ folder, settings: { profiles = {} } }: SettingsFile) {
  const stored = folder === undefined ? [] : profilesWithKey(folder);
  return [...new Set([...builtInProfiles, ...Object.keys(profiles), ...stored])];
}

export function isExplicit({ given }: Profile): boolean {
  return given.source === '--profile';
}

/** Returns ' --profile NAME' for a command in a hint, or nothing for the default profile. */
export function profileFlag({ name, given }: Profile): string {
  return given.source === 'default' || given.file ? '' : ` --profile ${name}`;
}

/** Returns ' on NAME' for a write on a terminal, where nobody sees the settings; the question before it has the address too. */
export function onProfile(
  { context, profile }: Pick<Invocation, 'context' | 'profile'>,
  address?: URL,
): string {
  const where = address ? ` (${address.href})` : '';
  return context.stderr.isTTY ? ` on ${profile.name}${where}` : '';
}

export function readFormat(context: Context, options: CommonOptions): Format {
  const profile = chooseProfile(context, options, loadSettingsFile(context));
  return getSetting('output', { context, options, profile }).value;
}
