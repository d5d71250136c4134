import { lstatSync, readdirSync, realpathSync, rmdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../../context.ts';
import { claim } from '../../disk/claim.ts';
import type { Holder } from '../../disk/mark.ts';
import { systemCode } from '../../errors.ts';
import type { Kept } from '../kept.ts';
import { inUseBy } from './in-use.ts';
import { holding } from './journals.ts';

/** Why something stays although nothing failed. */
export class Stay extends Error {}

/** Removes one thing, and never what is in a folder or what a link leads to. @throws Stay, Failure, the system's error */
export function removeOne(context: Context, { kind, path, isLink }: Kept): void {
  const remover = kind === 'place' || !isLink ? removers[kind] : undefined;
  if (remover) remover(path, context);
  else unlinkSync(path);
}

/** How that is removed which is no file. */
const removers: { readonly [K in Kept['kind']]?: (path: string, context: Context) => void } = {
  place: removePlace,
  folder: (path) => rmdirSync(path),
  claim: removeLock,
  lock: removeLock,
  temporary: removeTemporary,
  journal: removeJournal,
  archive: removeJournal,
};

/** Where a link leads to; undefined where that is nowhere. */
export function targetOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** @throws Stay */
function refuse(holder: Holder | undefined): void {
  const why = inUseBy(holder);
  if (why) throw new Stay(why);
}

function removeJournal(path: string, context: Context): void {
  refuse(holding(context, path, () => unlinkSync(path)));
}

function removeLock(path: string, context: Context): void {
  // To claim what is gone would make it.
  lstatSync(path);
  const held = claim(context, path);
  if (held.mine) held.release();
  else refuse(held);
}

/** A folder is a lock that was being made, with the mark of its process. */
function removeTemporary(path: string): void {
  if (!lstatSync(path).isDirectory()) {
    unlinkSync(path);
    return;
  }
  for (const name of readdirSync(path)) {
    if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name)) unlinkSync(join(path, name));
  }
  rmdirSync(path);
}

/**
 * One that is a link was made by the user: the link goes, and the folder that it leads to stays. So does an empty one that a disk
 * is mounted at, or whose own folder is not the user's.
 */
function removePlace(path: string): void {
  try {
    if (!lstatSync(path).isSymbolicLink()) rmdirSync(path);
    else if (readdirSync(path).length === 0) unlinkSync(path);
    else throw new Stay('not empty');
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (!['EBUSY', 'EACCES', 'EPERM', 'EROFS'].includes(code)) throw error;
    throw new Stay(`empty, and cannot be removed (${code})`);
  }
}
