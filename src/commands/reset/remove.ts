import { join, sep } from 'node:path';
import type { Context } from '../../context.ts';
import { withLock } from '../../disk/lock.ts';
import { Failure, systemCode } from '../../errors.ts';
import { settingsFile } from '../../settings/file.ts';
import { configFolder } from '../../settings/folders.ts';
import { keysFolder } from '../../settings/keys.ts';
import type { Kept } from '../kept.ts';

/** What is still there, and why; `error` where it should not be. */
type Stayed = { readonly path: string; readonly why: string; readonly error?: unknown };

export type Outcome = { readonly removed: readonly string[]; readonly stayed: readonly Stayed[] };

/**
 * Removes what goes, folders only if they are empty then. What another process has removed meanwhile is passed over; what
 * cannot be removed does not keep the rest from it.
 */
export async function remove(context: Context, all: readonly Kept[]): Promise<Outcome> {
  const removed: string[] = [];
  const stayed: Stayed[] = [];
  const { removeOne, Stay, targetOf } = await import('./remove-one.ts');
  const locks = locksIn(configFolder(context));
  // What is in a folder comes before the folder.
  const inside = [...all].reverse();
  const isLater = (one: Kept) => isPlace(one) || locks.some(({ has }) => has(one));
  // First what was looked into just now, since a lock may have to be waited for.
  for (const one of inside) if (!isLater(one)) take(one);
  for (const { lock, has } of locks) {
    const locked = inside.filter(has);
    if (locked.length === 0) continue;
    try {
      await withLock(context, lock, () => locked.forEach(take));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      stayed.push(...locked.map(({ path }) => ({ path, why: error.message, error })));
    }
  }
  // Only now are they without a lock.
  for (const one of inside) if (isPlace(one)) take(one);
  return { removed: removed.sort(), stayed };

  function take(one: Kept): void {
    const { path } = one;
    const target = one.isLink ? targetOf(path) : undefined;
    try {
      removeOne(context, one);
      removed.push(path);
      if (target) stayed.push({ path: target, why: 'only the link to it was removed' });
    } catch (error) {
      const code = systemCode(error);
      // Another process was faster; or something is in it, of which is said why.
      if (['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(code ?? '')) return;
      if (error instanceof Stay) stayed.push({ path, why: error.message });
      else if (error instanceof Failure) stayed.push({ path, why: error.message, error });
      else if (code === undefined) throw error;
      else stayed.push({ path, why: `cannot be removed (${code})`, error });
    }
  }
}

function isPlace({ kind }: Kept): boolean {
  return kind === 'place';
}

/** What may be changed only by who holds a lock. */
function locksIn(settings: string | undefined) {
  if (settings === undefined) return [];
  const { path: keys, lock } = keysFolder(settings);
  const file = join(settings, settingsFile);
  return [
    { lock, has: ({ path }: Kept) => path === keys || path.startsWith(keys + sep) },
    {
      lock: `${file}.lock`,
      has: ({ path, kind }: Kept) =>
        path === file || (kind === 'temporary' && path.startsWith(`${file}.`)),
    },
  ];
}
