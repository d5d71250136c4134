import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Context } from '../../context.ts';
import { Failure, systemCode, usageFailure } from '../../errors.ts';
import type { RunningSandbox } from '../../sandbox/serve.ts';
import { quote } from '../../text/shell.ts';
import { allowMoreFiles, isOutOfFiles } from '../../text/too-many-files.ts';
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
    const { PETSTORE_PROFILE, PETSTORE_LIMIT_STORE, ...env } = context.env;
    return await context.launch(program, {
      ...env,
      ...exemptLoopback(env),
      PETSTORE_BASE_URL: baseUrl.href,
      PETSTORE_API_KEY: key,
      PETSTORE_CONFIG_DIR: join(folder, 'config'),
      PETSTORE_STATE_DIR: join(folder, 'state'),
      PATH: [folder, env.PATH].filter(Boolean).join(delimiter),
    });
  } catch (error) {
    const reasons = { ENOENT: 'command not found', EACCES: 'permission denied' };
    const code = systemCode(error);
    if (code === undefined) throw error;
    if (code === 'ENOENT' || code === 'EACCES') {
      throw usageFailure(`cannot run ${program[0]}: ${reasons[code]}`);
    }
    const hint = isOutOfFiles(error) ? allowMoreFiles : undefined;
    throw new Failure('output', `cannot run ${program[0]} (${code})`, { cause: error, hint });
  } finally {
    remove(folder);
  }
}

/** A folder for what belongs to this run alone, and for PATH. @throws Failure (output) */
function prepare(context: Context): string {
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(tmpdir(), 'petstore-sandbox-'));
    putOnPath(folder, context);
    return folder;
  } catch (error) {
    if (folder !== undefined) remove(folder);
    const message = `cannot create a folder in ${tmpdir()} (${systemCode(error)})`;
    throw new Failure('output', message, {
      consequence: 'Nothing was run.',
      hint: isOutOfFiles(error) ? allowMoreFiles : 'Set TMPDIR to a writable folder.',
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

/** Makes this very petstore callable by name in a folder, with the same Node. */
function putOnPath(folder: string, { self, platform }: Context): void {
  if (platform === 'win32') {
    const words = self.map((word) => `"${word.replaceAll('%', '%%')}"`).join(' ');
    writeFileSync(join(folder, 'petstore.cmd'), `@${words} %*\r\n`);
  } else {
    const words = self.map(quote).join(' ');
    writeFileSync(join(folder, 'petstore'), `#!/bin/sh\nexec ${words} "$@"\n`);
    chmodSync(join(folder, 'petstore'), 0o755);
  }
}
