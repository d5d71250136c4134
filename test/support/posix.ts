import { statSync } from 'node:fs';

/** Windows has no modes and no users by number. */
export const isPosix = process.getuid !== undefined;

/** Whether a file or folder is its owner's alone; on Windows the folder that it is in decides that. */
export function isPrivate(path: string): boolean {
  return !isPosix || (statSync(path).mode & 0o077) === 0;
}
