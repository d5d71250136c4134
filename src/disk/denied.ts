import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../errors.ts';
import { commandOn } from '../text/shell.ts';
import { FileFault } from './file-fault.ts';

/**
 * What a file or folder that cannot be used lacks, and what repairs it: where the system denies access, that is
 * whose it is. Undefined for other errors, and where it cannot be found out.
 */
export function faultOfAccess(error: unknown, uid: number | undefined): FileFault | undefined {
  if (error instanceof FileFault) return error;
  const path = error instanceof Error && 'path' in error ? error.path : undefined;
  if (uid === undefined || typeof path !== 'string') return undefined;
  if (!['EACCES', 'EPERM'].includes(systemCode(error) ?? '')) return undefined;
  try {
    const there = lastThere(path);
    // A file that we may use cannot be replaced: its folder is the reason.
    const reason = there === path && mayUse(path) ? dirname(path) : there;
    return mayUse(reason) ? undefined : faultOf(reason, uid);
  } catch {
    return undefined;
  }
}

function faultOf(path: string, uid: number): FileFault {
  if (statSync(path).uid === uid) {
    return new FileFault(`permission denied for ${path}`, commandOn('chmod u+rwX', path));
  }
  const top = topmost(path, uid);
  const { uid: owner } = statSync(top ?? path);
  const owned = `${top ?? path} is owned by ${owner === 0 ? 'root' : `another user (${owner})`}`;
  return new FileFault(
    owned,
    top === undefined ? anotherFolder : commandOn(`sudo chown -R ${uid}`, top),
  );
}

const anotherFolder = 'Set PETSTORE_CONFIG_DIR and PETSTORE_STATE_DIR to folders of your own.';

/** The path, or the last folder on the way to it that can be seen. */
function lastThere(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : lastThere(dirname(path));
}

function mayUse(path: string): boolean {
  const { R_OK, W_OK, X_OK } = constants;
  try {
    accessSync(path, statSync(path).isDirectory() ? R_OK | W_OK | X_OK : R_OK | W_OK);
    return true;
  } catch {
    return false;
  }
}

/** The path or a folder above it: the first one that lies in a folder of the user; undefined when none does. */
function topmost(path: string, uid: number): string | undefined {
  const above = dirname(path);
  if (statSync(above).uid === uid) return path;
  return above === path ? undefined : topmost(above, uid);
}
