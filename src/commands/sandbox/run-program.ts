import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Context, Environment } from '../../context.ts';
import { makePrivateFolder } from '../../disk/private-folder.ts';
import { Failure, systemCode, usageFailure } from '../../errors.ts';
import { settingsFile } from '../../settings/file.ts';
import { stateFolder } from '../../settings/folders.ts';
import { quoteForShell } from '../../text/shell.ts';

/** Runs a program with a `petstore` on its PATH that does not see the user's settings and state. Resolves with its exit code. */
export async function runProgram(
  variables: Environment,
  program: readonly string[],
  context: Context,
  profiles: readonly string[],
): Promise<number> {
  const { env, self } = context;
  const isWindows = context.platform === 'win32';
  const folder = makeFolder(context);
  // cross-spawn, which most programs for Node start others with, escapes arguments of a .cmd twice only in a folder of this name.
  const programs = isWindows ? join(folder, 'node_modules', '.bin') : folder;
  try {
    installPetstore(programs, self, isWindows);
    saveProfiles(join(folder, 'config'), profiles);
    return await context.launch(program, {
      ...env,
      ...exemptLoopback(env),
      PETSTORE_PROFILE: undefined,
      PETSTORE_SHARED_STORE: undefined,
      ...variables,
      PETSTORE_CONFIG_DIR: join(folder, 'config'),
      PETSTORE_STATE_DIR: join(folder, 'state'),
      PATH: [programs, env.PATH].filter(Boolean).join(delimiter),
      ...(isWindows && selfVariables(self)),
    });
  } catch (error) {
    throw cannotRun(program[0] ?? '', error);
  } finally {
    tryRemove(folder);
  }
}

/** Makes a folder for programs: in the temporary folder, or where that allows none (noexec) in the state folder. */
function makeFolder(context: Context): string {
  try {
    return makeFolderIn(tmpdir());
  } catch (cause) {
    const other = stateFolder(context);
    try {
      if (other !== undefined && systemCode(cause) === 'EACCES') return makeFolderIn(other);
    } catch {}
    const variable = context.platform === 'win32' ? 'TEMP' : 'TMPDIR';
    const hint = `Set ${variable} to a folder where you can write and run programs.`;
    const message = `cannot run programs in ${tmpdir()} (${systemCode(cause)})`;
    throw new Failure('output', message, { consequence: 'Nothing was run.', hint, cause });
  }
}

function makeFolderIn(parent: string): string {
  makePrivateFolder(parent);
  const folder = mkdtempSync(join(parent, 'petstore-sandbox-'));
  const probe = join(folder, 'petstore');
  try {
    writeFileSync(probe, '', { mode: 0o755 });
    accessSync(probe, constants.X_OK);
    return folder;
  } catch (error) {
    tryRemove(folder);
    throw error;
  }
}

function installPetstore(folder: string, self: readonly string[], isWindows: boolean): void {
  mkdirSync(folder, { recursive: true });
  // On Windows the shell that comes with Git runs this one.
  const script = `#!/bin/sh\nexec ${self.map(quoteForShell).join(' ')} "$@"\n`;
  writeFileSync(join(folder, 'petstore'), script, { mode: 0o755 });
  if (!isWindows) return;
  const words = Object.keys(selfVariables(self)).map((name) => `"%${name}%"`);
  writeFileSync(join(folder, 'petstore.cmd'), `@${words.join(' ')} %*\r\n`);
}

/** A program may name a profile of the user, which has no settings there. */
function saveProfiles(folder: string, names: readonly string[]): void {
  const profiles = Object.fromEntries(names.map((name) => [name, {}]));
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, settingsFile), JSON.stringify({ profiles }), { mode: 0o600 });
}

/** Returns the words of petstore.cmd as variables: cmd.exe reads the file in the code page of its window. */
function selfVariables(self: readonly string[]): Environment {
  return Object.fromEntries(self.map((word, index) => [`PETSTORE_SANDBOX_SELF_${index}`, word]));
}

/** Adds this machine to NO_PROXY, since a proxy would get the sandbox's key. Programs differ in which spelling counts. */
function exemptLoopback({ no_proxy, NO_PROXY }: Environment): Environment {
  return {
    no_proxy: withLoopback(no_proxy || NO_PROXY),
    NO_PROXY: withLoopback(NO_PROXY || no_proxy),
  };
}

function withLoopback(list = ''): string {
  // curl takes * for everything only where it stands alone.
  if (list.trim() === '*') return list;
  return [list, '127.0.0.1', 'localhost', '::1'].filter(Boolean).join(',');
}

const notExecutable = 'not an executable';
/** Windows reports the last two for a file that it cannot run. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'command not found',
  ENAMETOOLONG: 'command not found',
  ENOTDIR: 'command not found',
  EACCES: 'permission denied',
  EFTYPE: notExecutable,
  UNKNOWN: notExecutable,
};

function cannotRun(program: string, error: unknown): unknown {
  const code = systemCode(error);
  if (code === undefined) return error;
  const reason = reasons[code];
  if (!reason) return new Failure('output', `cannot run ${program} (${code})`, { cause: error });
  const interpreter =
    'If it is a script, name its interpreter. Run: petstore sandbox -- bash ./script.sh';
  const hint = reason === notExecutable ? interpreter : undefined;
  return usageFailure(`cannot run ${program}: ${reason}`, hint);
}

/** Removes the folder, unless the program left a process on Windows that has a file in it open. */
function tryRemove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {}
}
