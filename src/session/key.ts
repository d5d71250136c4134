import type { ApiKey } from '../api/outcome.ts';
import { type Failure, unsentFailure } from '../errors.ts';
import { configFolder } from '../settings/folders.ts';
import { keyFile, parseKey, readStoredKey } from '../settings/keys.ts';
import type { KeyCommand } from './key-command.ts';
import { isExplicit, type Profile, profileFlag } from './profile.ts';
import { checkOrigin, type Invocation } from './resolve.ts';

/** A key, or a program that prints it and has not run yet. */
export type FoundKey = ApiKey | KeyCommand;

/**
 * Returns the key in force, undefined if there is none: --api-key-file, then PETSTORE_API_KEY, then the profile's own, which comes
 * first if the profile was named on the command line. From now on no output shows it.
 */
export async function findKey(invocation: Invocation): Promise<FoundKey | undefined> {
  const { sink, profile } = invocation;
  const found =
    (await keyOfFlag(invocation)) ??
    (isExplicit(profile) ? await ownKey(invocation) : undefined) ??
    keyOfEnvironment(invocation) ??
    (await ownKey(invocation));
  if (found && 'value' in found) sink.hide(found.value);
  return found;
}

/** Returns the key of --api-key-file. */
export async function keyOfFlag({ context, options }: Invocation): Promise<ApiKey | undefined> {
  if (options.apiKeyFile === undefined) return undefined;
  const { readKeyFile } = await import('./key-file.ts');
  const { text, source } = await readKeyFile(options.apiKeyFile, context);
  return { value: parseKey(text, source), source };
}

function keyOfEnvironment({ context: { env } }: Invocation): ApiKey | undefined {
  const source = 'PETSTORE_API_KEY';
  return env[source] ? { value: parseKey(env[source], source), source } : undefined;
}

/** Returns the profile's own key: a program that prints it comes before a stored one. */
async function ownKey(invocation: Invocation): Promise<FoundKey | undefined> {
  const command = invocation.profile.settings['api-key-command'];
  if (command === undefined) return storedKey(invocation);
  const { findKeyCommand } = await import('./key-command.ts');
  return findKeyCommand(command, invocation);
}

function storedKey(invocation: Invocation): ApiKey | undefined {
  const { context, profile } = invocation;
  const folder = configFolder(context);
  const stored = folder && readStoredKey(context, folder, profile.name);
  if (!folder || !stored) return undefined;
  const renew = `petstore auth login${profileFlag(profile)}`;
  checkOrigin(invocation, stored.origin, renew);
  const source = keyFile(folder, profile.name);
  return { value: parseKey(stored.key, source), source, renew };
}

/** Returns the failure of a command that needs a key. */
export function noKey(profile: Profile): Failure {
  const hint = `petstore auth login${profileFlag(profile)} (or set PETSTORE_API_KEY)`;
  return unsentFailure('auth', `no API key for profile ${profile.name}`, hint);
}
