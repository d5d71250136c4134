import { constants, openSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { readText } from '../disk/files.ts';
import { configFailure, type Failure, unsentFailure } from '../errors.ts';
import type { ApiKey } from '../service/api-key.ts';
import { keyFile, maxKeyInputBytes, parseKey, readStoredKey } from '../settings/keys.ts';
import type { KeyCommand } from './key-command.ts';
import type { Setup } from './settings.ts';

export type FoundKey = ApiKey | KeyCommand;

/** Returns the key in force. The profile's own comes before PETSTORE_API_KEY only if the command line names the profile. */
export async function findKey(setup: Setup): Promise<FoundKey | undefined> {
  const { context, sink, profile } = setup;
  const source = 'PETSTORE_API_KEY';
  const text = context.env[source];
  const found =
    (await readFlaggedKey(setup)) ??
    (profile.given.source === '--profile' ? await ownKey(setup) : undefined) ??
    (text ? { value: parseKey(text, source), source } : undefined) ??
    (await ownKey(setup));
  if (found && 'value' in found) sink.hide(found.value);
  return found;
}

export async function readFlaggedKey(setup: Setup): Promise<ApiKey | undefined> {
  const { signal } = setup.context;
  const { apiKeyFile: source } = setup.options;
  if (source === undefined) return undefined;
  if (source === '-') return readStdinKey(setup);
  const text = isPipe(source)
    ? await readAll(openPipe(source), source, signal)
    : readText(source, maxKeyInputBytes);
  if (text !== undefined) return { value: parseKey(text, source), source };
  // The word may be the key itself.
  throw configFailure('the file of --api-key-file was not found');
}

export async function readStdinKey({ context }: Setup): Promise<ApiKey> {
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

/** Returns the profile's own key: a program that prints it comes before a stored one. */
async function ownKey(setup: Setup): Promise<FoundKey | undefined> {
  const command = setup.settings.get('api-key-command');
  if (!command) return storedKey(setup);
  const { findKeyCommand } = await import('./key-command.ts');
  return findKeyCommand(command.value, setup);
}

function storedKey(setup: Setup): ApiKey | undefined {
  const { context, profile, settings } = setup;
  const { folder } = settings.file;
  const stored = folder && readStoredKey(context, folder, profile.name);
  if (!folder || !stored) return undefined;
  settings.requireOrigin(stored.origin, ({ href }) => settings.loginCommand(undefined, href));
  const source = keyFile(folder, profile.name);
  return { value: parseKey(stored.key, source), source, renew: settings.loginCommand() };
}

export function noKey({ context, profile, settings }: Setup): Failure {
  if (settings.file.unreachable) return settings.file.unreachable;
  const isEmpty = context.env.PETSTORE_API_KEY === '';
  const why = isEmpty ? ': PETSTORE_API_KEY is set, but empty' : '';
  const hint = `Run: ${settings.loginCommand()} (or set PETSTORE_API_KEY)`;
  return unsentFailure('auth', `no API key for profile ${profile.name}${why}`, hint);
}
