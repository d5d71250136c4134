import { dirname } from 'node:path';
import type { Captured } from '../context.ts';
import { deadline } from '../deadline.ts';
import { configFailure, type Failure, systemCode, unsentFailure } from '../errors.ts';
import type { ApiKey } from '../service/api-key.ts';
import { parseBaseUrl } from '../settings/addresses.ts';
import { maxKeyInputBytes, parseKey } from '../settings/keys.ts';
import { canPrompt } from './options.ts';
import type { Setup } from './settings.ts';

export type KeyCommand = {
  readonly source: string;
  /** Runs it. From then on no output shows the key. */
  readonly run: () => Promise<ApiKey>;
};

const timeoutMs = 60_000;

/** Returns the profile's api-key-command if it may run. Its key belongs to the origin beside it in the settings file. */
export function findKeyCommand(command: string, setup: Setup): KeyCommand {
  const { profile, settings } = setup;
  const { name } = profile;
  const { path = '' } = settings.file;
  const move = 'petstore config set base-url https://HOST/v1';
  const home = settings.findSaved('base-url');
  if (home === undefined) {
    throw configFailure(`profile ${name} has an api-key-command but no base-url`, `Run: ${move}`);
  }
  settings.requireOrigin(parseBaseUrl(home, `profile ${name} in ${path}`).origin, () => move);
  // The command itself may contain what opens a vault.
  const source = `the api-key-command of profile ${name}`;
  const run = async () => {
    const captured = await capture(command, dirname(path), setup);
    return { value: readKey(captured, source, setup), source };
  };
  return { source, run };
}

async function capture(command: string, folder: string, setup: Setup): Promise<Captured> {
  const { context, options } = setup;
  const late = new AbortController();
  const stop = deadline(context, timeoutMs, () =>
    late.abort(commandFailure(setup, `timed out after ${timeoutMs / 1_000}s`)),
  );
  try {
    return await context.capture(command, {
      env: { ...context.env, PETSTORE_API_KEY: undefined, PETSTORE_SHARED_STORE: undefined },
      folder,
      terminal: canPrompt(context, options),
      limit: maxKeyInputBytes,
      signal: AbortSignal.any([context.signal, late.signal]),
    });
  } catch (error) {
    const code = systemCode(error);
    throw code === undefined ? error : commandFailure(setup, `cannot run (${code})`);
  } finally {
    stop();
  }
}

/** Returns the first line. No message shows the output, which may contain a key in any line. */
function readKey({ exitCode, stdout }: Captured, source: string, setup: Setup): string {
  const lines = stdout.split(/\r?\n/);
  for (const line of lines) setup.sink.hide(line);
  if (stdout.length > maxKeyInputBytes)
    throw commandFailure(setup, 'printed too much for an API key');
  // The codes of a shell.
  if (exitCode === 126) throw commandFailure(setup, 'failed: command is not executable');
  if (exitCode === 127) throw commandFailure(setup, 'failed: command not found');
  if (exitCode !== 0) throw commandFailure(setup, `failed with exit code ${exitCode}`);
  if (lines[0]) return parseKey(lines[0], source);
  throw commandFailure(setup, 'printed no API key in its first line');
}

function commandFailure({ profile }: Setup, reason: string): Failure {
  const hint = 'To see why, run it yourself. See: petstore config get api-key-command';
  return unsentFailure('auth', `the api-key-command of profile ${profile.name} ${reason}`, hint);
}
