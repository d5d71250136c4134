import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { isTemporary, sweep } from '../disk/temporary.ts';
import { keysFolder, renamedKey } from './keys.ts';

/**
 * Puts the folder of keys in order: removes copies that killed processes left unfinished, and gives a key of 0.1.0 the name that
 * it has now. While a living process writes there, neither: it does so itself.
 */
export async function sweepKeys(context: Context, folder: string): Promise<void> {
  const { path, lock } = keysFolder(folder);
  const names = namesIn(path);
  const left = names.filter(isTemporary);
  const renamed = names.flatMap((name) => {
    const better = renamedKey(name);
    // What has the new name already is the later key.
    return better === undefined || names.includes(better) ? [] : [[name, better] as const];
  });
  if (left.length + renamed.length === 0) return;
  try {
    const { claim } = await import('../disk/claim.ts');
    const held = claim(context, lock);
    if (!held.mine) return;
    sweep(left.map((name) => join(path, name)));
    for (const [name, better] of renamed) renameSync(join(path, name), join(path, better));
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
