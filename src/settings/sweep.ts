import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { isTemporary, sweep } from '../disk/temporary.ts';
import { unloadable } from '../text/unloadable.ts';
import { keyName, keysFolder } from './keys.ts';
import { isProfileName } from './values.ts';

/**
 * Puts the folder of keys in order: removes copies that killed processes left unfinished, and gives a key of 0.1.0 whose name has
 * capitals the name that it has now. While a living process writes there, neither: it does so itself.
 */
export async function sweepKeys(context: Context, folder: string): Promise<void> {
  const { path, lock } = keysFolder(folder);
  const names = namesIn(path);
  const left = names.filter(isTemporary);
  const renamed = names.filter(
    (name) => /[A-Z].*\.json$/.test(name) && isProfileName(name.slice(0, -5)),
  );
  if (left.length + renamed.length === 0) return;
  try {
    const { claim } = await import('../disk/claim.ts').catch(unloadable);
    const held = claim(context, lock);
    if (!held.mine) return;
    sweep(left.map((name) => join(path, name)));
    for (const name of renamed)
      renameSync(join(path, name), join(path, keyName(name.slice(0, -5))));
    held.release();
  } catch {
    // A disk that takes nothing gives nothing up either, and the next command tries again.
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
