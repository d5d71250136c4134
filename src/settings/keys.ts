import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { Context } from '../context.ts';
import { readSecret } from '../disk/files.ts';
import { configFailure, systemCode } from '../errors.ts';
import { findMismatch } from '../json/check.ts';
import { from, isProfileName } from './values.ts';

/** A key at rest, bound to the one origin it may travel to. */
const StoredKey = z.strictObject({ origin: z.string(), key: z.string() });
export type StoredKey = z.infer<typeof StoredKey>;

/** Where keys are kept; who changes something there holds its lock. */
export function keysFolder(folder: string): { readonly path: string; readonly lock: string } {
  return { path: join(folder, 'keys'), lock: join(folder, 'keys.lock') };
}

const ending = '.json';

/** The key of a profile: a file of its own, which no other program has a reason to copy. */
export function keyFile(folder: string, profile: string): string {
  return join(keysFolder(folder).path, keyName(profile));
}

/** Names of devices on Windows, whatever comes after a dot: what is written to NUL is lost. */
const device = /^(?:con|prn|aux|nul|(?:com|lpt)\d)$/;

/** Its name has no capitals, since Windows and macOS take `Prod` and `prod` for the same name, and is no device's. */
function keyName(profile: string): string {
  const name = profile.replace(/[A-Z]/g, (capital) => `+${capital.toLowerCase()}`);
  return (device.test(name) ? `=${name}` : name) + ending;
}

/** The profile whose key a file has by its name; undefined where that is not such a name. */
function profileOfKey(name: string): string | undefined {
  if (!name.endsWith(ending)) return undefined;
  const profile = name
    .slice(0, -ending.length)
    .replace(/^=/, '')
    .replace(/\+([a-z])/g, (_, letter) => letter.toUpperCase());
  return isProfileName(profile) && keyName(profile) === name ? profile : undefined;
}

/** The name that a key file of 0.1.0 has now; undefined where its name is the same, or not that of a key. */
export function renamedKey(name: string): string | undefined {
  if (!name.endsWith(ending)) return undefined;
  const profile = name.slice(0, -ending.length);
  return isProfileName(profile) && keyName(profile) !== name ? keyName(profile) : undefined;
}

/** The stored key of a profile. @throws Failure (config) when the file is broken, another user's, or others can read it. */
export function readStoredKey(
  { uid }: Pick<Context, 'uid'>,
  folder: string,
  profile: string,
): StoredKey | undefined {
  const path = keyFile(folder, profile);
  const text = readSecret(path, uid);
  if (text === undefined) return undefined;
  const stored = parse(text);
  // Says nothing of the content, which may be half a key.
  if (findMismatch(StoredKey, stored))
    throw configFailure(
      `the key file ${path} is corrupted`,
      `petstore auth login --profile ${profile}`,
    );
  return stored as StoredKey;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a key of the profile is stored, be it a good one or not. */
export function hasStoredKey(folder: string, profile: string): boolean {
  return existsSync(keyFile(folder, profile));
}

/** The profiles that have a stored key, be it a good one or not. @throws Failure (config) when their folder cannot be read */
export function profilesWithKey(folder: string): readonly string[] {
  const { path } = keysFolder(folder);
  try {
    return readdirSync(path)
      .flatMap((name) => profileOfKey(name) ?? [])
      .sort();
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (['ENOENT', 'ENOTDIR'].includes(code)) return [];
    throw configFailure(`cannot read ${path} (${code})`, undefined, error);
  }
}

/** Longest input that a key is read from, in characters; more is no key. */
export const maxKeyInput = 64 * 1024;

const longestKey = 512;

/**
 * A key without the line break that files and pipes end with, and the blank that `echo KEY |` of Windows puts before it.
 * @throws Failure (config) that says why it is invalid, never what it is.
 */
export function parseKey(text: string, source?: string): string {
  const key = text.replace(/ ?\r?\n$/, '');
  const fault = keyFault(key);
  if (fault === undefined) return key;
  throw configFailure(`invalid API key${from(source)}: ${fault}`);
}

function keyFault(key: string): string | undefined {
  if (key.length === 0) return 'must not be empty';
  if (key.includes('\0')) return 'it is in UTF-16; save it as UTF-8';
  const at = key.search(/[^\x21-\x7e]/);
  if (at >= 0) return `character ${at + 1} is a space, a control or a non-ASCII character`;
  return key.length > longestKey ? `must be at most ${longestKey} characters` : undefined;
}
