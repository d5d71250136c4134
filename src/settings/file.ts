import { join } from 'node:path';
import * as z from 'zod/mini';
import { readText } from '../disk/files.ts';
import { configFailure } from '../errors.ts';
import { findMismatch } from '../json/check.ts';
import { JsonError, parseJson } from '../json/json.ts';
import { createLocator } from '../json/position.ts';
import { type ProfileSetting, profileSettings } from './settings.ts';
import { isProfileName } from './values.ts';

export type ProfileSettings = { readonly [Name in ProfileSetting]?: string | undefined };

export type Settings = {
  readonly 'default-profile'?: string | undefined;
  readonly profiles?: Readonly<Record<string, ProfileSettings>> | undefined;
};

const text = z.optional(z.string());
const Settings = z.strictObject({
  'default-profile': text,
  profiles: z.optional(
    z.record(
      z.string(),
      z.strictObject(Object.fromEntries(profileSettings.map((name) => [name, text]))),
    ),
  ),
});

export const settingsFile = 'settings.json';

const maxSettingsBytes = 1024 * 1024;

/** Reads the settings of a folder; empty if there is no file. A broken file is named, and never replaced. */
export function readSettings(folder: string): Settings {
  const path = join(folder, settingsFile);
  const text = readText(path, maxSettingsBytes);
  if (text === undefined) return {};
  const settings = parse(path, text);
  const mismatch = findMismatch(Settings, settings);
  if (mismatch) {
    const hint = 'Settings are per profile: {"profiles":{"production":{"output":"json"}}}.';
    throw configFailure(`invalid settings file (${path}): ${mismatch}`, hint);
  }
  const { profiles = {} } = settings as Settings;
  const wrong = Object.keys(profiles).find((name) => !isProfileName(name));
  if (wrong === undefined) return settings as Settings;
  throw configFailure(
    `invalid settings file (${path}): profiles: "${wrong}" is not a valid profile name`,
    'Rename it there: lower-case letters, digits, "-" and "_", and no reserved name such as con.',
  );
}

export function pickProfile({ profiles = {} }: Settings, name: string): ProfileSettings {
  return (Object.hasOwn(profiles, name) ? profiles[name] : undefined) ?? {};
}

function parse(path: string, text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const { line, column } = createLocator(text)(error.offset);
    const place = `${path}:${line}:${column}`;
    const message = `the settings file is not valid JSON (${place}): ${error.reason}`;
    throw configFailure(message, 'Correct it there, or remove the file to start over.');
  }
}
