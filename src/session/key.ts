import type { ApiKey } from '../api/auth.ts';
import type { Context } from '../context.ts';
import { configFailure, Failure } from '../errors.ts';
import { readSecret } from '../files.ts';
import { configFolder } from '../settings/folders.ts';
import { keyFile, parseKey, readStoredKey } from '../settings/keys.ts';
import type { Host } from './host.ts';
import type { CommonOptions } from './options.ts';
import type { Profile } from './profile.ts';

/**
 * The key in force: --api-key-file, then PETSTORE_API_KEY, then the profile's stored one, which comes first
 * when the profile was named on the command line. From here on no output shows it.
 * @throws Failure (auth) when there is none, Failure (config) when it cannot be used for `origin`.
 */
export async function chooseKey(
  { context, sink }: Host,
  options: CommonOptions,
  profile: Profile,
  origin: string,
): Promise<ApiKey> {
  const key =
    (await fromFile(context, options)) ??
    (profile.explicit ? stored(context, profile, origin) : undefined) ??
    fromEnvironment(context) ??
    stored(context, profile, origin);
  if (!key) throw noKey(profile);
  sink.hide(key.value);
  return key;
}

async function fromFile(
  context: Context,
  { apiKeyFile }: CommonOptions,
): Promise<ApiKey | undefined> {
  if (apiKeyFile === undefined) return undefined;
  if (apiKeyFile === '-') {
    const source = 'standard input';
    return { value: parseKey(await readStdin(context), source), source };
  }
  const text = readSecret(apiKeyFile);
  // The name is not said: it is the key itself where somebody took the flag for another one.
  if (text === undefined) throw configFailure('there is no key file of the name in --api-key-file');
  return { value: parseKey(text, apiKeyFile), source: apiKeyFile };
}

function fromEnvironment({ env }: Context): ApiKey | undefined {
  const source = 'PETSTORE_API_KEY';
  return env[source] ? { value: parseKey(env[source], source), source } : undefined;
}

/** A stored key travels to the origin it was stored for, and nowhere else. */
function stored(context: Context, { name }: Profile, origin: string): ApiKey | undefined {
  const folder = configFolder(context);
  const found = folder === undefined ? undefined : readStoredKey(folder, name);
  if (!folder || !found) return undefined;
  if (found.origin !== origin) {
    throw configFailure(
      `the key of profile ${name} belongs to ${found.origin}, not to ${origin}`,
      'If that is the service now: petstore auth login. If not: mind --base-url and PETSTORE_BASE_URL.',
    );
  }
  const source = keyFile(folder, name);
  return { value: parseKey(found.key, source), source };
}

function noKey({ name }: Profile): Failure {
  const forProfile = name === 'production' ? '' : ` --profile ${name}`;
  return new Failure('auth', `no API key for profile ${name}`, {
    consequence: 'Nothing was sent.',
    hint: `petstore auth login${forProfile} (or set PETSTORE_API_KEY)`,
    outcome: 'not_sent',
  });
}

/** Longest key input, in bytes; more is no key. */
const maxKeyInput = 64 * 1024;

/** All of standard input as text. @throws the signal's reason */
export async function readStdin({ stdin, signal }: Context): Promise<string> {
  const stop = () => stdin.destroy(signal.reason);
  signal.addEventListener('abort', stop);
  let text = '';
  for await (const chunk of stdin) {
    text += chunk;
    if (text.length > maxKeyInput) throw configFailure('standard input is too long for a key');
  }
  signal.removeEventListener('abort', stop);
  return text;
}
