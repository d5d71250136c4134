import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Context, Environment } from '../../context.ts';
import { Failure, systemCode, usageFailure } from '../../errors.ts';
import type { RunningSandbox } from '../../sandbox/serve.ts';
import { quote } from '../../text/shell.ts';
import { exemptLoopback } from './proxy.ts';

/**
 * Runs a program against a sandbox and resolves with its exit code: the address and key stand in its environment,
 * `petstore` is on its PATH, and settings and state of the user's own stay out of reach.
 * @throws Failure (usage) when there is no such program, Failure (output) when the system does not let it run
 */
export async function runAgainst(
  { baseUrl, key }: RunningSandbox,
  program: readonly string[],
  context: Context,
): Promise<number> {
  const folder = prepare(context);
  try {
    const { env, platform, self } = context;
    return await context.launch(program, {
      ...env,
      ...exemptLoopback(env),
      PETSTORE_PROFILE: undefined,
      PETSTORE_LIMIT_STORE: undefined,
      PETSTORE_BASE_URL: baseUrl.href,
      PETSTORE_API_KEY: key,
      PETSTORE_CONFIG_DIR: join(folder, 'config'),
      PETSTORE_STATE_DIR: join(folder, 'state'),
      PATH: [programsIn(folder, context), env.PATH].filter(Boolean).join(delimiter),
      ...(platform === 'win32' && selfVariables(self)),
    });
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    const known = reasons[code];
    if (known) throw usageFailure(`cannot run ${program[0]}: ${known.reason}`, known.hint);
    throw new Failure('output', `cannot run ${program[0]} (${code})`, { cause: error });
  } finally {
    remove(folder);
  }
}

type Reason = { readonly reason: string; readonly hint?: string };
const notExecutable: Reason = {
  reason: 'not an executable',
  hint: 'If it is a script, name its interpreter, for example: petstore sandbox -- bash ./script.sh',
};

/** By the system's code. The last two are those of Windows, for a file that is not a program to it. */
const reasons: Readonly<Record<string, Reason>> = {
  ENOENT: { reason: 'command not found' },
  EACCES: { reason: 'permission denied' },
  EFTYPE: notExecutable,
  UNKNOWN: notExecutable,
};

/** A folder for what belongs to this run alone, and for PATH. @throws Failure (output) */
function prepare(context: Context): string {
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(tmpdir(), 'petstore-sandbox-'));
    fillPath(programsIn(folder, context), context);
    return folder;
  } catch (error) {
    if (folder !== undefined) remove(folder);
    const message = `cannot create a folder in ${tmpdir()} (${systemCode(error)})`;
    const variable = context.platform === 'win32' ? 'TEMP' : 'TMPDIR';
    throw new Failure('output', message, {
      consequence: 'Nothing was run.',
      hint: `Set ${variable} to a writable folder.`,
      cause: error,
    });
  }
}

/** The run ends as its program did, also where that left something which cannot be removed. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // It is in a folder for what need not last.
  }
}

/**
 * The folder for PATH. cmd.exe reads the arguments of a .cmd twice. cross-spawn, with which most programs for Node start others on
 * Windows, escapes them for both only in a folder of this name.
 */
function programsIn(folder: string, { platform }: Context): string {
  return platform === 'win32' ? join(folder, 'node_modules', '.bin') : folder;
}

/** Makes this very petstore callable by name in a folder, with the same Node. */
function fillPath(folder: string, { self, platform }: Context): void {
  mkdirSync(folder, { recursive: true });
  const words = self.map(quote).join(' ');
  // On Windows for the shell that comes with Git.
  writeFileSync(join(folder, 'petstore'), `#!/bin/sh\nexec ${words} "$@"\n`);
  chmodSync(join(folder, 'petstore'), 0o755);
  if (platform !== 'win32') return;
  const variables = Object.keys(selfVariables(self)).map((name) => `"%${name}%"`);
  writeFileSync(join(folder, 'petstore.cmd'), `@${variables.join(' ')} %*\r\n`);
}

/** The words of `self` for petstore.cmd, which cmd.exe reads in the code page of its window: few letters are the same in all. */
function selfVariables(self: readonly string[]): Environment {
  return Object.fromEntries(self.map((word, index) => [`PETSTORE_SANDBOX_SELF_${index}`, word]));
}
