import { constants, openSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { readText } from '../disk/files.ts';
import { configFailure, type Failure, unsentFailure } from '../errors.ts';
import type { ApiKey } from '../service/api-key.ts';
import { configFolder } from '../settings/folders.ts';
import { keyFile, maxKeyInputBytes, parseKey, readStoredKey } from '../settings/keys.ts';
import { isExplicit, profileFlag } from './chosen-profile.ts';
import type { KeyCommand } from './key-command.ts';
import { checkOrigin, getSetting, type Invocation, type Profile } from './resolve.ts';

export type FoundKey = ApiKey | KeyCommand;

/** Returns the key in force. The profile's own comes before PETSTORE_API_KEY only if the command line names the profile. */
export async function findKey(invocation: Invocation): Promise<FoundKey | undefined> {
  const { sink, profile } = invocation;
  const found =
    (await readFlaggedKey(invocation)) ??
    (isExplicit(profile) ? await ownKey(invocation) : undefined) ??
    readEnvironmentKey(invocation) ??
    (await ownKey(invocation));
  if (found && 'value' in found) sink.hide(found.value);
  return found;
}

export async function readFlaggedKey(invocation: Invocation): Promise<ApiKey | undefined> {
  const { signal } = invocation.context;
  const { apiKeyFile: source } = invocation.options;
  if (source === undefined) return undefined;
  if (source === '-') return readStdinKey(invocation);
  const text = isPipe(source)
    ? await readAll(openPipe(source), source, signal)
    : readText(source, maxKeyInputBytes);
  if (text !== undefined) return { value: parseKey(text, source), source };
  // The word may be the key itself.
  throw configFailure('the file of --api-key-file was not found');
}

export async function readStdinKey({ context }: Invocation): Promise<ApiKey> {
  const source = 'standard input';
  const text = await readAll(context.stdin, source, context.signal);
  return { value: parseKey(text, source), source };
}

function isPipe(path: string): boolean {
  try {
    return statSync(path).isFIFO();
  } catch {
    return false;
  }
}

/** Opens a pipe as a socket: a file stream would keep a thread waiting for data, and the process alive with it. */
function openPipe(path: string): Readable {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  return new Socket({ fd, readable: true, writable: false });
}

async function readAll(stream: Readable, name: string, signal: AbortSignal): Promise<string> {
  const stop = () => stream.destroy(signal.reason);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  let text = '';
  for await (const chunk of stream) {
    text += chunk;
    if (text.length > maxKeyInputBytes) throw configFailure(`${name} is too long for an API key`);
  }
  return text;
}

function readEnvironmentKey({ context: { env } }: Invocation): ApiKey | undefined {
  const source = 'PETSTORE_API_KEY';
  return env[source] ? { value: parseKey(env[source], source), source } : undefined;
}

/** Returns the profile's own key: a program that prints it comes before a stored one. */
async function ownKey(invocation: Invocation): Promise<FoundKey | undefined> {
  const command = getSetting('api-key-command', invocation);
  if (!command) return storedKey(invocation);
  const { findKeyCommand } = await import('./key-command.ts');
  return findKeyCommand(command.value, invocation);
}

function storedKey(invocation: Invocation): ApiKey | undefined {
  const { context, profile } = invocation;
  const folder = configFolder(context);
  const stored = folder && readStoredKey(context, folder, profile.name);
  if (!folder || !stored) return undefined;
  const renew = `petstore auth login${profileFlag(profile)}`;
  checkOrigin(invocation, stored.origin, ({ href }) => `${renew} --base-url ${href}`);
  const source = keyFile(folder, profile.name);
  return { value: parseKey(stored.key, source), source, renew };
}

export function noKey(profile: Profile): Failure {
  const hint = `Run: petstore auth login${profileFlag(profile)} (or set PETSTORE_API_KEY)`;
  return unsentFailure('auth', `no API key for profile ${profile.name}`, hint);
}
