import { join } from 'node:path';
import * as z from 'zod/mini';
import { readText } from '../disk/files.ts';
import { configFailure } from '../errors.ts';
import { locateMismatch } from '../json/check.ts';
import { JsonError, parseJson } from '../json/json.ts';
import { positionAfter, startOfText } from '../json/position.ts';
import { namesIn, type ProfileSetting, type SettingName } from './names.ts';

export type ProfileSettings = { readonly [Name in ProfileSetting]?: string | undefined };

export type Settings = {
  readonly [Name in Exclude<SettingName, ProfileSetting>]?: string | undefined;
} & { readonly profiles?: Readonly<Record<string, ProfileSettings>> | undefined };

const Settings = z.strictObject({
  ...texts('top'),
  profiles: z.optional(z.record(z.string(), z.strictObject(texts('profile')))),
});

function texts(file: 'profile' | 'top') {
  return Object.fromEntries(namesIn(file).map((name) => [name, z.optional(z.string())]));
}

export const settingsFile = 'settings.json';

/** In bytes. */
const longest = 1024 * 1024;

/**
 * The settings as the user wrote them, empty when there is no file.
 * @throws Failure (config) that names file, line and column; a broken file is never replaced.
 */
export function readSettings(folder: string): Settings {
  const path = join(folder, settingsFile);
  const text = readText(path, longest);
  if (text === undefined) return {};
  const fields = new Map<unknown, Map<string, number>>();
  const settings = parse(path, text, fields);
  const mismatch = locateMismatch(Settings, settings);
  if (mismatch) {
    const offset = fields.get(mismatch.object)?.get(mismatch.key ?? '') ?? 0;
    const place = placeIn(path, text, offset);
    throw configFailure(`invalid settings file (${place}): ${mismatch.words}`);
  }
  return settings as Settings;
}

/** @param fields is filled with the offset of each field of each object, in characters from 0 */
function parse(path: string, text: string, fields: Map<unknown, Map<string, number>>): unknown {
  try {
    return parseJson(text, {
      onField: (object, key, offset) =>
        fields.set(object, (fields.get(object) ?? new Map()).set(key, offset)),
    });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const place = placeIn(path, text, error.offset);
    throw configFailure(`the settings file is not valid JSON (${place}): ${error.reason}`);
  }
}

/** "FILE:LINE:COLUMN", as editors take it. */
function placeIn(path: string, text: string, offset: number): string {
  const { line, column } = positionAfter(startOfText, text, 0, offset);
  return `${path}:${line}:${column}`;
}
