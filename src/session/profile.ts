import { join } from 'node:path';
import { type Failure, usageFailure } from '../errors.ts';
import {
  type ProfileSettings,
  readSettings,
  type Settings,
  settingsFile,
} from '../settings/file.ts';
import { configFolder } from '../settings/folders.ts';
import { hasStoredKey } from '../settings/keys.ts';
import { flagOf } from '../settings/names.ts';
import { profileNames, settingsOf } from '../settings/profiles.ts';
import { settings as table } from '../settings/table.ts';
import { builtInProfiles, from, parseProfileName } from '../settings/values.ts';
import { nearest } from '../text/nearest.ts';
import { mayBeKey, wordFor } from '../text/secret.ts';
import { type Given, givenOutside } from './given.ts';
import type { Host } from './host.ts';
import type { CommonOptions } from './options.ts';

export const sandboxProfile = 'sandbox' satisfies (typeof builtInProfiles)[number];

export type Profile = {
  readonly name: string;
  /** Where its name was given; as in Given. */
  readonly source: string;
  /** The one that is in force where none is named. */
  readonly byDefault: Given;
  /** Of the settings file; undefined where there is no folder for one. */
  readonly file: string | undefined;
  readonly settings: ProfileSettings;
};

const flag = flagOf(table['default-profile'].flags);
const usual: Given = { value: table['default-profile'].fallback, source: 'default' };

/** The settings file, read; `folder` and `file` are undefined where there is no place for one. */
export type Kept = {
  readonly settings: Settings;
  readonly folder: string | undefined;
  readonly file: string | undefined;
};

/** The settings file of the user; empty where it is `unread`. @throws Failure (config) */
export function readKept({ context }: Host, unread = false): Kept {
  const folder = configFolder(context);
  if (folder === undefined) return { settings: {}, folder, file: undefined };
  const settings = unread ? {} : readSettings(folder);
  return { settings, folder, file: join(folder, settingsFile) };
}

/** What a command can do without; by default nothing. */
export type Without = {
  /** The profile need not exist: the command creates it. */
  readonly profile?: boolean;
  /** The default profile of the settings file counts for nothing. */
  readonly byDefault?: boolean;
};

/** The profile in force: flag, environment, settings, then production. @throws Failure */
export function chooseProfile(
  host: Host,
  options: CommonOptions,
  kept: Kept = readKept(host),
  without: Without = {},
): Profile {
  const { env } = host.context;
  const { settings, file } = kept;
  const own = settings['default-profile'];
  const byDefault = own === undefined ? usual : { value: own, source: file ?? '' };
  const outside = givenOutside('default-profile', options, env);
  const { value, source } = outside ?? (without.byDefault ? usual : byDefault);
  const name = parseProfileName(value, placeOf({ source, file }));
  const profile = { name, source, byDefault, file, settings: settingsOf(settings, name) };
  if (without.profile || isBuiltIn(name)) return profile;
  if (Object.hasOwn(settings.profiles ?? {}, name)) return profile;
  if (kept.folder !== undefined && hasStoredKey(kept.folder, name)) return profile;
  // With a base URL from elsewhere it needs no settings.
  if (givenOutside('base-url', options, env)) return profile;
  const place = isExplicit(profile) ? undefined : placeOf(profile);
  throw unknownProfile(name, profileNames(kept.folder, kept.settings), place);
}

/** Where its name was given, for messages. */
function placeOf({ source, file }: Pick<Profile, 'source' | 'file'>): string {
  return source === file ? `default-profile in ${file}` : source;
}

/** The failure for a name that none of the `known` profiles has; `place` says where it was given. */
export function unknownProfile(name: string, known: readonly string[], place?: string): Failure {
  const meant = nearest(name.toLowerCase(), known);
  const shown = meant !== undefined || !mayBeKey(name);
  const message = `unknown profile${shown ? ` "${name}"` : ''}${from(place)}`;
  if (meant !== undefined) return usageFailure(`${message}; did you mean "${meant}"?`);
  const create = `petstore auth login ${flag} ${shown ? name : 'NAME'}`;
  return usageFailure(message, `Profiles: ${known.join(', ')}. To create this one: ${create}`);
}

/** Whether it was named on this very command line. */
export function isExplicit({ source }: Profile): boolean {
  return source === flag;
}

/** A profile in a message: by its name, unless nobody has set anything for it and it may be a key. */
export function labelOf(profile: Profile): string {
  return maySay(profile) ? `profile ${profile.name}` : 'this profile';
}

/** What a command of a hint needs to mean this profile: nothing where nobody has named any. */
export function profileFlag(profile: Profile): string {
  if (profile.source === usual.source) return '';
  return ` ${flag} ${maySay(profile) ? profile.name : 'NAME'}`;
}

/** Its name for others to read, or how long that is when it may be a key. */
export function shownName(profile: Profile): string {
  return maySay(profile) ? profile.name : wordFor(profile.name);
}

function maySay({ name, settings }: Profile): boolean {
  return isBuiltIn(name) || Object.keys(settings).length > 0 || !mayBeKey(name);
}

/** Returns true for a profile that always exists, with or without settings. */
function isBuiltIn(name: string): boolean {
  const names: readonly string[] = builtInProfiles;
  return names.includes(name);
}
