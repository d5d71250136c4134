import { linkSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Context } from './context.ts';
import { Failure, systemCode } from './errors.ts';
import { cannotSave, makePrivateFolder, nameTemporary } from './files.ts';

/** What is done under a lock takes milliseconds; one this old, in ms, was left by a process that was killed. */
const abandoned = 10_000;
const patience = 5_000;
const pause = 20;

/**
 * Does short work that no other process may do at the same time. The lock is a file; it is there whole or not at all.
 * @throws Failure (output) when it cannot be had, and whatever the work throws
 */
export async function withLock<Result>(
  { now, sleep, signal }: Pick<Context, 'now' | 'sleep' | 'signal'>,
  path: string,
  work: () => Result,
): Promise<Result> {
  const mine = nameTemporary(path);
  const start = now();
  try {
    makePrivateFolder(dirname(path));
    writeFileSync(mine, '', { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw cannotSave(path, error);
  }
  try {
    while (!take(mine, path)) {
      if (now() - start > patience) {
        throw new Failure('output', `another petstore holds ${path}`, { hint: 'Try again.' });
      }
      breakAbandoned(path);
      await sleep(pause, signal);
    }
    try {
      return work();
    } finally {
      rmSync(path, { force: true });
    }
  } finally {
    rmSync(mine, { force: true });
  }
}

function take(mine: string, path: string): boolean {
  try {
    linkSync(mine, path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw cannotSave(path, error);
  }
}

/** Its age is told by the file system's clock alone, so that ours may be wrong. */
function breakAbandoned(path: string): void {
  const probe = nameTemporary(path);
  try {
    writeFileSync(probe, '', { flag: 'wx' });
    const old = statSync(probe).mtimeMs - statSync(path).mtimeMs > abandoned;
    // Only one of several who see it gets to rename it.
    if (old) renameSync(path, probe);
  } catch {
    // Gone meanwhile, or somebody else was faster.
  } finally {
    rmSync(probe, { force: true });
  }
}
