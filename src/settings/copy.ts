import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readText, saving } from '../disk/files.ts';
import { makePrivateFolder } from '../disk/folders.ts';
import { makeNewFolder, writeNew } from '../disk/new-file.ts';
import { longest, settingsFile } from './file.ts';

/** A copy of the settings file to edit. */
export type Copy = {
  readonly path: string;
  /** Its text, empty when it is not there. @throws Failure (config) when it cannot be read */
  readonly read: () => string;
  /** Removes it and what an editor left beside it, as far as that is possible. */
  readonly remove: () => void;
};

/**
 * Makes a copy in a folder of its own in the settings folder, which only the user can enter: an editor saves files beside it,
 * with modes of its own. It does not have the name of a save that was killed: those are swept away.
 * @throws Failure (output)
 */
export function makeCopy(folder: string, text: string): Copy {
  const own = join(folder, `edit-${randomUUID()}`);
  const path = join(own, settingsFile);
  const remove = () => {
    try {
      rmSync(own, { recursive: true, force: true });
    } catch {
      // It can be removed with the settings folder, which nobody else can enter.
    }
  };
  saving(path, () => {
    makePrivateFolder(folder);
    makeNewFolder(own);
    try {
      writeNew(path, Buffer.from(text));
    } catch (error) {
      remove();
      throw error;
    }
  });
  return { path, read: () => readText(path, longest) ?? '', remove };
}
