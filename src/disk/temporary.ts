import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const ending = /\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;

export function nameTemporary(path: string): string {
  return `${path}.${randomUUID()}.tmp`;
}

/** Returns the unfinished files of one path: of running processes and of killed ones. */
export function temporariesOf(path: string): string[] {
  try {
    return readdirSync(dirname(path))
      .filter((name) => ending.test(name) && name.replace(ending, '') === basename(path))
      .map((name) => join(dirname(path), name));
  } catch {
    return [];
  }
}

export function removeFiles(files: readonly string[]): void {
  try {
    for (const file of files) rmSync(file, { force: true });
  } catch {
    // Nothing can be changed here, or it is no file.
  }
}
