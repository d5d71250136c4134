import { join } from 'node:path';
import * as z from 'zod/mini';
import { configFailure } from '../errors.ts';
import { readText } from '../files.ts';
import { findMismatch } from '../json/check.ts';
import { JsonError, parseJson } from '../json/parse.ts';

const ProfileSettings = z.strictObject({
  'base-url': z.optional(z.string()),
  output: z.optional(z.string()),
  'max-wait': z.optional(z.string()),
  plan: z.optional(z.string()),
  'api-key-command': z.optional(z.string()),
});
export type ProfileSettings = z.infer<typeof ProfileSettings>;

const Settings = z.strictObject({
  'default-profile': z.optional(z.string()),
  profiles: z.optional(z.record(z.string(), ProfileSettings)),
});
export type Settings = z.infer<typeof Settings>;

export const settingsFile = 'settings.json';

/**
 * The settings as the user wrote them, empty when there is no file.
 * @throws Failure (config) that names file, line and column; a broken file is never replaced.
 */
export function readSettings(folder: string): Settings {
  const path = join(folder, settingsFile);
  const text = readText(path);
  if (text === undefined) return {};
  const settings = parse(path, text);
  const mismatch = findMismatch(Settings, settings);
  if (mismatch) throw configFailure(`the settings are wrong (${path}): ${mismatch}`);
  return settings as Settings;
}

function parse(path: string, text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const before = text.slice(0, error.offset).split('\n');
    const place = `${path}:${before.length}:${(before.at(-1) ?? '').length + 1}`;
    throw configFailure(`the settings are no valid JSON (${place}): ${error.reason}`);
  }
}
