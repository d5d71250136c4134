import type { ApiKey } from '../api/outcome.ts';
import type { Context } from '../context.ts';
import { type Failure, unsentFailure } from '../errors.ts';
import { configFolder } from '../settings/folders.ts';
import { keyFile, parseKey, readStoredKey } from '../settings/keys.ts';
import { checkOrigin } from './address.ts';
import type { KeyCommand } from './key-command.ts';
import { isExplicit, labelOf, type Profile, profileFlag } from './profile.ts';
import type { Run, Setup } from './setting.ts';

/** A key, or a program that prints it and was not run yet. */
export type FoundKey = ApiKey | KeyCommand;

/**
 * The key in force, undefined when there is none: --api-key-file, then PETSTORE_API_KEY, then the profile's own, which comes
 * first when the profile was named on the command line. From here on no output shows it.
 * @throws Failure (config) when it cannot be used, or not for the base URL
 */
export async function findKey(run: Setup): Promise<FoundKey | undefined> {
  const { host, profile } = run;
  const found =
    (await keyOfFlag(run)) ??
    (isExplicit(profile) ? await ownKey(run) : undefined) ??
    fromEnvironment(host.context) ??
    (await ownKey(run));
  if (found && 'value' in found) host.sink.hide(found.value);
  return found;
}

/** The key that --api-key-file names. @throws Failure (config) */
export async function keyOfFlag(
  setup: Pick<Setup, 'host' | 'options' | 'report'>,
): Promise<ApiKey | undefined> {
  const { apiKeyFile } = setup.options;
  if (apiKeyFile === undefined) return undefined;
  const { readKeyFile } = await import('./key-file.ts');
  const { text, source } = await readKeyFile(apiKeyFile, setup);
  return { value: parseKey(text, source), source };
}

function fromEnvironment({ env }: Context): ApiKey | undefined {
  const source = 'PETSTORE_API_KEY';
  return env[source] ? { value: parseKey(env[source], source), source } : undefined;
}

/** What the profile itself has: a program that prints the key comes before a stored one. */
async function ownKey(run: Run): Promise<FoundKey | undefined> {
  const command = run.profile.settings['api-key-command'];
  if (command === undefined) return storedKey(run);
  const { findKeyCommand } = await import('./key-command.ts');
  return findKeyCommand(command, run);
}

/** A stored key travels to the origin it was stored for, and nowhere else. */
function storedKey(run: Run): ApiKey | undefined {
  const { host, profile } = run;
  const folder = configFolder(host.context);
  const found =
    folder === undefined ? undefined : readStoredKey(host.context, folder, profile.name);
  if (!folder || !found) return undefined;
  const renew = `petstore auth login${profileFlag(profile)}`;
  checkOrigin(run, found.origin, renew);
  const source = keyFile(folder, profile.name);
  return { value: parseKey(found.key, source), source, renew };
}

/** The failure of a command that needs a key. */
export function noKey(profile: Profile): Failure {
  const hint = `petstore auth login${profileFlag(profile)} (or set PETSTORE_API_KEY)`;
  return unsentFailure('auth', `no API key for ${labelOf(profile)}`, hint);
}
