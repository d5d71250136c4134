import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const mark = /\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;

/** A name that nothing else has, for what will be renamed or linked to `path` once it is whole. */
export function nameTemporary(path: string): string {
  return `${path}.${randomUUID()}.tmp`;
}

function isTemporary(name: string): boolean {
  return mark.test(name);
}

/** What stands in a folder under such names: work of others that goes on, or that was killed; none where it cannot be read. */
function temporariesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter(isTemporary)
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** The same for one path. */
export function temporariesOf(path: string): string[] {
  return temporariesIn(dirname(path)).filter(
    (temporary) => basename(temporary).replace(mark, '') === basename(path),
  );
}

/** Removes files that nothing depends on, as far as that is possible: what stays, the next one removes. */
export function sweep(files: readonly string[]): void {
  try {
    for (const file of files) rmSync(file, { force: true });
  } catch {
    // Nothing can be changed here, or it is no file.
  }
}
