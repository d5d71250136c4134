import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Context } from '../../context.ts';
import { saving } from '../../disk/files.ts';
import { systemCode, usageFailure } from '../../errors.ts';
import { settingsFile } from '../../settings/file.ts';
import { sandboxProfile } from '../../settings/values.ts';
import { quoteForShell } from '../../text/shell.ts';

type Sandbox = { readonly PETSTORE_BASE_URL: string; readonly PETSTORE_API_KEY: string };

/** Runs a program with a `petstore` on its PATH that does not see the user's settings and state. Resolves with its exit code. */
export async function runProgram(
  sandbox: Sandbox,
  program: readonly string[],
  context: Context,
  profiles: readonly string[],
): Promise<number> {
  const { env, self } = context;
  const folder = saving(tmpdir(), () => mkdtempSync(join(tmpdir(), 'petstore-sandbox-')));
  const config = join(folder, 'config');
  // cross-spawn, which most programs for Node start others with, escapes arguments of a .cmd twice only in a folder of this name.
  const programs = join(folder, 'node_modules', '.bin');
  // A proxy could not reach this machine. Programs differ in which spelling counts.
  const noProxy = [env.no_proxy || env.NO_PROXY, '127.0.0.1'].filter(Boolean).join();
  try {
    installPetstore(programs, context);
    saveSettings(config, sandbox.PETSTORE_BASE_URL, profiles);
    return await context.launch(program, {
      ...env,
      ...sandbox,
      no_proxy: noProxy,
      NO_PROXY: noProxy,
      PETSTORE_PROFILE: undefined,
      PETSTORE_SHARED_STORE: undefined,
      PETSTORE_CONFIG_DIR: config,
      PETSTORE_STATE_DIR: join(folder, 'state'),
      PETSTORE_SANDBOX_NODE: self[0],
      PETSTORE_SANDBOX_PROGRAM: self[1],
      PATH: [programs, env.PATH].filter(Boolean).join(delimiter),
    });
  } catch (error) {
    throw cannotRun(program[0] ?? '', error);
  } finally {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // On Windows a process that the program left may have a file in it open.
    }
  }
}

function installPetstore(folder: string, { platform, self }: Context): void {
  mkdirSync(folder, { recursive: true });
  // A link, since programs may be forbidden (noexec) in the temporary folder.
  if (platform !== 'win32') {
    symlinkSync(self[1] ?? '', join(folder, 'petstore'));
    return;
  }
  // Variables, since cmd.exe reads the file in the code page of its window. The shell that comes with Git runs the other one.
  const command = '@"%PETSTORE_SANDBOX_NODE%" "%PETSTORE_SANDBOX_PROGRAM%" %*\r\n';
  const script = '#!/bin/sh\nexec "$PETSTORE_SANDBOX_NODE" "$PETSTORE_SANDBOX_PROGRAM" "$@"\n';
  writeFileSync(join(folder, 'petstore.cmd'), command);
  writeFileSync(join(folder, 'petstore'), script);
}

/** Saves the sandbox as the profile in use. A program may name a profile of the user too, which has no settings there. */
function saveSettings(folder: string, baseUrl: string, names: readonly string[]): void {
  const profiles = Object.fromEntries(names.map((name) => [name, {}]));
  const sandbox = { 'base-url': baseUrl };
  const settings = {
    'default-profile': sandboxProfile,
    profiles: { ...profiles, [sandboxProfile]: sandbox },
  };
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, settingsFile), JSON.stringify(settings), { mode: 0o600 });
}

function cannotRun(program: string, error: unknown): unknown {
  const code = systemCode(error);
  if (code === undefined) return error;
  if (code === 'ENOENT') return usageFailure(`cannot run ${program}: command not found`);
  const hint = `If it is a script, name its interpreter. Run: petstore sandbox -- sh ${quoteForShell(program)}`;
  return usageFailure(`cannot run ${program} (${code})`, hint);
}
