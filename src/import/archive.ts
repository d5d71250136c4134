import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { claim } from '../disk/claim.ts';
import { cannotSave } from '../disk/files.ts';
import { readOwn } from '../disk/open-file.ts';
import { retryOnWindows } from '../disk/retry-on-windows.ts';
import { systemCode } from '../errors.ts';
import { longest } from './journal.ts';
import { archivedPaths, claimPath, readEnds } from './journal-files.ts';
import type { Header } from './records.ts';

/** No list lacks for so long what was created, and no copy comes so late, in ms. */
const lifetime = 7 * 86_400_000;

/**
 * Renames the journals of finished imports, so that imports of other files need not open them any more. They do it as they
 * start, since a path that was told at the end of one has to be right still. A power cut leaves the one name or the other.
 */
export function archiveFinished(
  context: Pick<Context, 'owner' | 'isRunning' | 'now'>,
  folder: string,
  journals: readonly { readonly path: string; readonly header: Header }[],
): void {
  try {
    for (const { path, header } of journals) {
      const held = claim(context, claimPath(folder, header));
      if (!held.mine) continue;
      try {
        // Before it was claimed, another process may have gone on with it.
        const { kept, expiring } = archivedPaths(path);
        if (readEnds(path)?.finished) renameSync(path, isInList(path, header) ? expiring : kept);
      } finally {
        held.release();
      }
    }
    if (journals.length > 0) removeExpired(folder, context.now() - lifetime);
  } catch {
    // The next import tries again.
  }
}

/** Gives it the name back by which other imports see that it goes on; only who has claimed it may. @throws Failure (output) */
export function restoreArchived(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.size) return;
  for (const name of Object.values(archivedPaths(path))) {
    try {
      retryOnWindows(() => renameSync(name, path));
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw cannotSave(path, error);
    }
  }
}

/** Whether the list shows all that the journal tells: each name is there once, and the service has changed none. */
function isInList(path: string, { mode }: Header): boolean {
  // In a text of JSON the quotation marks are escaped.
  return mode === 'ensure' && !readOwn(path, longest)?.includes('"as":');
}

function removeExpired(folder: string, before: number): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!name.endsWith('.expiring') || statSync(path).mtimeMs > before) continue;
    rmSync(path, { force: true });
  }
}
