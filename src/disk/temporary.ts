import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ending = /\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;

export function nameTemporary(path: string): string {
  return `${path}.${randomUUID()}.tmp`;
}

/** Returns the unfinished files of one path: of running processes and of killed ones. */
export function listTemporaries(path: string): string[] {
  return listTemporariesIn(dirname(path)).filter((found) => found.replace(ending, '') === path);
}

function listTemporariesIn(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => ending.test(name));
    return names.map((name) => join(folder, name));
  } catch {
    return [];
  }
}

const maxAgeMs = 3_600_000;

/** Removes the unfinished files of killed processes. A living one has its own for milliseconds. */
export function removeStale(folder: string, now: number): void {
  const touchedAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now;
  removeFiles(listTemporariesIn(folder).filter((path) => now - touchedAt(path) > maxAgeMs));
}

export function removeFiles(files: readonly string[]): void {
  try {
    for (const file of files) rmSync(file, { force: true, recursive: true });
  } catch {
    // Nothing can be changed here, or it is no file.
  }
}
