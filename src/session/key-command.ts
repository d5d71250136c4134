import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ApiKey } from '../api/outcome.ts';
import type { Captured } from '../context.ts';
import { deadline } from '../deadline.ts';
import { othersCanChange } from '../disk/files.ts';
import { configFailure, type Failure, systemCode, unsentFailure } from '../errors.ts';
import { parseBaseUrl } from '../settings/base-url.ts';
import { maxKeyInput, parseKey } from '../settings/keys.ts';
import { commandOn } from '../text/shell.ts';
import { checkOrigin } from './address.ts';
import { mayAsk } from './host.ts';
import { profileFlag } from './profile.ts';
import type { Run } from './setting.ts';

/** A command line of the settings that prints the key; it has not run yet. */
export type KeyCommand = {
  readonly source: string;
  /** Runs it. From then on no output shows the key. @throws Failure (auth, config) */
  readonly print: () => Promise<ApiKey>;
};

/** How long it may take, in ms: somebody may have to find a key to touch. */
const patience = 60_000;

/**
 * The profile's `api-key-command`, if it may run and its key may travel to the base URL: like a stored key it belongs to one
 * origin, that of the settings file.
 * @throws Failure (config)
 */
export function findKeyCommand(command: string, run: Run): KeyCommand {
  const { profile } = run;
  const file = checkFile(run);
  const move = `petstore config set base-url URL${profileFlag(profile)}`;
  const home = profile.settings['base-url'];
  if (home === undefined) {
    throw configFailure(`profile ${profile.name} has an api-key-command but no base-url`, move);
  }
  checkOrigin(run, parseBaseUrl(home, `profile ${profile.name} in ${file}`).origin, move);
  // Not the command itself: what opens a vault may stand in it, and this ends up in tickets.
  const source = `the api-key-command of profile ${profile.name}`;
  return {
    source,
    async print() {
      const captured = await capture(command, dirname(file), run);
      const value = readKey(captured, source, run);
      return { value, source };
    },
  };
}

/** Whoever can write the settings file could have any program run. @throws Failure (config) */
function checkFile({ host, profile }: Run): string {
  const file = profile.file ?? '';
  const open = findOpen(file, host.context.uid);
  if (open === undefined) return file;
  throw configFailure(
    `api-key-command was not run, because other users can change ${open}`,
    `${commandOn('chmod go-w', open)} (and you must own it)`,
  );
}

function findOpen(file: string, uid: number | undefined): string | undefined {
  try {
    const places = [file, dirname(file), dirname(realpathSync(file))];
    return places.find((path) => othersCanChange(path, uid));
  } catch (error) {
    // It was read a moment ago.
    throw configFailure(`cannot read ${file} (${systemCode(error)})`, undefined, error);
  }
}

async function capture(command: string, folder: string, run: Run): Promise<Captured> {
  const { context } = run.host;
  const env = { ...context.env, PETSTORE_API_KEY: undefined, PETSTORE_LIMIT_STORE: undefined };
  const late = new AbortController();
  const end = deadline(context.sleep, patience, () =>
    late.abort(failed(run, `timed out after ${patience / 1_000}s`)),
  );
  try {
    return await context.capture(command, {
      env,
      folder,
      terminal: mayAsk(context, run.options),
      limit: maxKeyInput,
      signal: AbortSignal.any([context.signal, late.signal]),
    });
  } catch (error) {
    const code = systemCode(error);
    throw code === undefined ? error : failed(run, `cannot run (${code})`);
  } finally {
    end();
  }
}

/** As shells number them. */
const reasons: Readonly<Record<number, string>> = {
  126: ': program not executable',
  127: ': program not found',
};

/** The first line is the key; of the rest, and of what is no key, nothing is said. */
function readKey({ exitCode, stdout }: Captured, source: string, run: Run): string {
  const lines = stdout.split(/\r?\n/);
  for (const line of lines) run.host.sink.hide(line);
  const [line = ''] = lines;
  if (stdout.length > maxKeyInput) throw failed(run, 'printed too much for an API key');
  if (exitCode !== 0) {
    throw failed(run, `failed with exit code ${exitCode}${reasons[exitCode] ?? ''}`);
  }
  if (line === '')
    throw failed(run, 'printed nothing in its first line, where the API key belongs');
  return parseKey(line, source);
}

function failed({ profile }: Run, what: string): Failure {
  const hint = `To see why, run the command that this prints: petstore config get api-key-command${profileFlag(profile)}`;
  return unsentFailure('auth', `the api-key-command of profile ${profile.name} ${what}`, hint);
}
