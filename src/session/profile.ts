import { join } from 'node:path';
import type { Environment } from '../context.ts';
import {
  type ProfileSettings,
  readSettings,
  type Settings,
  settingsFile,
} from '../settings/file.ts';
import { configFolder } from '../settings/folders.ts';
import { flagOf } from '../settings/names.ts';
import { settings as table } from '../settings/table.ts';
import { builtInProfiles, parseProfileName } from '../settings/values.ts';
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

/** The profile in force: flag, environment, settings, then production. @throws Failure */
export function chooseProfile({ context }: Host, options: CommonOptions): Profile {
  const folder = configFolder(context);
  const settings = folder === undefined ? {} : readSettings(folder);
  const file = folder === undefined ? undefined : join(folder, settingsFile);
  return profileIn({ settings, file }, options, context.env);
}

type Kept = { readonly settings: Settings; readonly file: string | undefined };

/** The same where the settings are read already. @throws Failure (usage) */
export function profileIn(
  { settings, file }: Kept,
  options: CommonOptions,
  env: Environment,
): Profile {
  const kept = settings['default-profile'];
  const byDefault = kept === undefined ? usual : { value: kept, source: file ?? '' };
  const outside = givenOutside('default-profile', options, env);
  const { value, source } = outside ?? byDefault;
  const name = parseProfileName(value, outside ? source : `default-profile in ${source}`);
  const own = Object.hasOwn(settings.profiles ?? {}, name) ? settings.profiles?.[name] : undefined;
  return { name, source, byDefault, file, settings: own ?? {} };
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
  const builtIn: readonly string[] = builtInProfiles;
  return builtIn.includes(name) || Object.keys(settings).length > 0 || !mayBeKey(name);
}
