import type { Context } from '../context.ts';
import { sweep, temporariesIn } from '../disk/temporary.ts';
import { unloadable } from '../text/unloadable.ts';
import { keysFolder } from './keys.ts';

/** Removes copies of keys that killed processes left unfinished. While a living one writes, none: it does so itself. */
export async function sweepKeys(context: Context, folder: string): Promise<void> {
  const { path, lock } = keysFolder(folder);
  const left = temporariesIn(path);
  if (left.length === 0) return;
  try {
    const { claim } = await import('../disk/claim.ts').catch(unloadable);
    const held = claim(context, lock);
    if (!held.mine) return;
    sweep(left);
    held.release();
  } catch {
    // A disk that takes nothing gives nothing up either, and the next command tries again.
  }
}
