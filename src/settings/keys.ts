import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod/mini';
import type { Context } from '../context.ts';
import { durableRemove, durableWrite, isNotFound, readSecret, saving } from '../disk/files.ts';
import { makePrivateFolder } from '../disk/private-folder.ts';
import { listTemporaries } from '../disk/temporary.ts';
import { configFailure, systemCode } from '../errors.ts';
import { refuseForeignFolder } from './folders.ts';
import { fromSource, isProfileName } from './values.ts';

export const maxKeyInputBytes = 64 * 1024;

const maxKeyCharacters = 8_192;

const StoredKey = z.strictObject({ origin: z.string(), key: z.string() });
export type StoredKey = z.infer<typeof StoredKey>;

/** Keys are apart from the settings, which users copy to other machines. */
export function keyFile(folder: string, profile: string): string {
  return join(folder, 'keys', `${profile}.json`);
}

export function readStoredKey(
  { uid }: Pick<Context, 'uid'>,
  folder: string,
  profile: string,
): StoredKey | undefined {
  const path = keyFile(folder, profile);
  const text = readSecret(path, maxKeyInputBytes, uid);
  if (text === undefined) return undefined;
  const stored = parse(text);
  if (stored) return stored;
  const renew = `Run: petstore auth login --profile ${profile}`;
  throw configFailure(`the key file ${path} is corrupted`, renew);
}

/** Returns the keys of all profiles, to redact them. Leaves out those that cannot be read. */
export function listStoredKeys(context: Pick<Context, 'uid'>, folder: string): readonly string[] {
  return profilesWithKey(folder).flatMap((profile) => {
    try {
      return readStoredKey(context, folder, profile)?.key ?? [];
    } catch {
      return [];
    }
  });
}

export function profilesWithKey(folder: string): readonly string[] {
  const path = dirname(keyFile(folder, ''));
  return namesIn(path)
    .filter((name) => name.endsWith('.json'))
    .map((file) => basename(file, '.json'))
    .filter(isProfileName)
    .sort();
}

export function saveKey(
  context: Pick<Context, 'uid'>,
  folder: string,
  profile: string,
  stored: StoredKey,
): string {
  const path = keyFile(folder, profile);
  const keys = dirname(path);
  saving(keys, () => {
    refuseForeignFolder(keys, context);
    makePrivateFolder(keys);
    // Others may have been let in to read.
    chmodSync(keys, 0o700);
  });
  durableWrite(path, `${JSON.stringify(stored)}\n`);
  return path;
}

/** Removes the stored key of a profile and copies that a killed login left. Returns false if there was none. */
export function removeKey(context: Pick<Context, 'uid'>, folder: string, profile: string): boolean {
  const path = keyFile(folder, profile);
  saving(path, () => refuseForeignFolder(dirname(path), context));
  const isThere = saving(path, () => lstatSync(path, { throwIfNoEntry: false })) !== undefined;
  if (!isThere && listTemporaries(path).length === 0) return false;
  durableRemove(path);
  return true;
}

/** Cuts off the line break of files and pipes, and the blank that `echo KEY |` of Windows puts before it. */
export function parseKey(text: string, source?: string): string {
  const key = text.replace(/ ?\r?\n$/, '');
  const fault = keyFault(key);
  if (fault === undefined) return key;
  throw configFailure(`invalid API key${fromSource(source)}: ${fault}`);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isNotFound(error)) return [];
    throw configFailure(`cannot read ${folder} (${systemCode(error)})`, undefined, error);
  }
}

function parse(text: string): StoredKey | undefined {
  try {
    return StoredKey.safeParse(JSON.parse(text), { jitless: true }).data;
  } catch {
    return undefined;
  }
}

function keyFault(key: string): string | undefined {
  if (key.length === 0) return 'must not be empty';
  if (key.includes('\0')) return 'it is in UTF-16; save it as UTF-8';
  const index = key.search(/[^\x21-\x7e]/);
  if (index >= 0) return `character ${index + 1} is a space, a control or a non-ASCII character`;
  return key.length > maxKeyCharacters
    ? `must be at most ${maxKeyCharacters} characters`
    : undefined;
}
