import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import type { Context } from '../context.ts';
import { readText } from '../disk/files.ts';
import { findOpenFault } from '../disk/private-folder.ts';
import { configFailure, Failure, systemCode } from '../errors.ts';
import { findMismatch } from '../json/check.ts';
import { JsonError, parseJson } from '../json/json.ts';
import { createLocator } from '../json/position.ts';
import { configFolder } from './folders.ts';
import { profileSettings } from './settings.ts';
import { isProfileName } from './values.ts';

const text = z.optional(z.string());
const Saved = z.object({
  'default-profile': text,
  profiles: z.optional(
    z.record(z.string(), z.object(Object.fromEntries(profileSettings.map((name) => [name, text])))),
  ),
});

export type SavedSettings = Readonly<z.infer<typeof Saved>>;

export const settingsFile = 'settings.json';

const maxSettingsBytes = 1024 * 1024;

/** The settings file of a run. Without a place for one `folder` and `path` are undefined. */
export type SettingsFile = {
  readonly folder?: string | undefined;
  readonly path?: string | undefined;
  readonly saved: SavedSettings;
  /** The reason why a file that is there cannot be used. */
  readonly fault?: Failure | undefined;
  /** The reason why nothing that could lead a key elsewhere is taken from it: others can write it. */
  readonly open?: Failure | undefined;
  /** The reason why it cannot even be reached. It then counts as absent, unless something is missing. */
  readonly unreachable?: Failure | undefined;
};

export function openSettingsFile(context: Context): SettingsFile {
  const folder = configFolder(context);
  if (folder === undefined) return { saved: {} };
  const path = join(folder, settingsFile);
  try {
    const saved = readSettings(path);
    return { folder, path, saved, open: findOpenFailure(path, context) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const isUnreachable = ['EACCES', 'EPERM', 'ENOENT'].includes(
      systemCode(error.details.cause) ?? '',
    );
    return { folder, path, saved: {}, [isUnreachable ? 'unreachable' : 'fault']: error };
  }
}

function findOpenFailure(path: string, { uid }: Pick<Context, 'uid'>): Failure | undefined {
  if (!existsSync(path)) return undefined;
  for (const place of [path, dirname(path), dirname(realpathSync(path))]) {
    const fault = findOpenFault(place, uid);
    const unused = 'no base-url, api-key-command or default-profile is taken from it';
    if (fault) return configFailure(`${fault.message}: ${unused}`, fault.details.hint);
  }
  return undefined;
}

/** Reads the settings file; empty if there is none. A broken file is named, and never replaced. */
export function readSettings(path: string): SavedSettings {
  const json = readText(path, maxSettingsBytes);
  if (json === undefined) return {};
  const settings = parse(path, json);
  const mismatch = findMismatch(Saved, settings);
  if (mismatch) {
    const hint = 'Write settings as in {"profiles":{"production":{"max-wait":"120"}}}.';
    throw configFailure(`invalid settings file (${path}): ${mismatch.words}`, hint);
  }
  const { profiles = {} } = settings as SavedSettings;
  const wrong = Object.keys(profiles).find((name) => !isProfileName(name));
  if (wrong === undefined) return settings as SavedSettings;
  throw configFailure(
    `invalid settings file (${path}): profiles: "${wrong}" is not a valid profile name`,
    'Rename it there: lower-case letters, digits, "-" and "_", and no reserved name such as con.',
  );
}

export function listUnknownFields({ profiles = {}, ...others }: SavedSettings): string[] {
  const known: readonly string[] = profileSettings;
  const below = Object.values(profiles).flatMap(Object.keys);
  return [
    ...Object.keys(others).filter((name) => name !== 'default-profile'),
    ...below.filter((name) => !known.includes(name)),
  ];
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
