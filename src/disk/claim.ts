import { randomUUID } from 'node:crypto';
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Context } from '../context.ts';
import { systemCode } from '../errors.ts';
import { claimOnWindows, holderOnWindows } from './claim-on-windows.ts';
import { saving } from './files.ts';
import { makePrivateFolder, refuseLink, removeEmpty } from './folders.ts';
import { type Claim, type Holder, holderIn, longestMark, type Mark, parseMark } from './mark.ts';
import { makeNewFolder, writeBrief } from './new-file.ts';
import { readOwn } from './open-file.ts';
import { nameTemporary, sweep, temporariesOf } from './temporary.ts';
import { isWindows } from './windows.ts';

/** How often another may be faster: in a folder that no folder can be made in, such as /proc, it would seem so for ever. */
const tries = 1_000;

/**
 * Claims a thing for as long as this process lives; what a process left that has ended is taken over.
 * The claim is a folder at `path` that holds its owner's mark, a file whose name no other claim ever has. Only a folder
 * that is empty or not there can be replaced by a rename, in one step, so only one can win it. And it gets empty only when
 * the very mark is removed that its owner gave back, or whose owner was seen to have ended: who is late removes nothing.
 * @throws Failure (output) when the disk does not take it
 */
export function claim(
  context: Pick<Context, 'owner' | 'isRunning' | 'now'>,
  path: string,
): Claim | Holder {
  return saving(path, () => {
    if (isWindows) return claimOnWindows(context, path);
    for (let left = tries; ; left -= 1) {
      const holder = findHolder(context, path);
      if (holder) return holder;
      const name = randomUUID();
      const mark: Mark = { ...context.owner, since: context.now() };
      if (take(path, name, mark, left > 0))
        return { mine: true, release: () => release(path, name) };
    }
  });
}

/** Who has a thing, if that process still runs; marks that count no more are removed. @throws Failure (output) */
export function holderOf(context: Pick<Context, 'isRunning'>, path: string): Holder | undefined {
  return saving(path, () => findHolder(context, path));
}

function findHolder({ isRunning }: Pick<Context, 'isRunning'>, path: string): Holder | undefined {
  if (isWindows) return holderOnWindows(path);
  for (const name of list(path)) {
    // Gone, or torn: marks arrive whole, so that a power cut has ended its owner.
    const mark = parseMark(readOwn(join(path, name), longestMark)?.toString() ?? '');
    if (mark && isRunning(mark)) return holderIn(mark);
    rmSync(join(path, name), { force: true });
  }
  return undefined;
}

function list(folder: string): string[] {
  try {
    // Through a link somebody else's files would be taken for marks, and removed.
    refuseLink(folder);
    return readdirSync(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Puts our mark there in one step; false when another process was faster, as far as `mayRetry`. */
function take(path: string, name: string, mark: Mark, mayRetry: boolean): boolean {
  makePrivateFolder(dirname(path));
  const temporary = nameTemporary(path);
  try {
    makeNewFolder(temporary);
    writeBrief(join(temporary, name), JSON.stringify(mark));
    // Not every system lets a rename replace a folder.
    removeEmpty(path);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    // ENOENT: swept away by who was faster.
    const faster = ['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(systemCode(error) ?? '');
    if ((faster && mayRetry) || list(path).length > 0) return false;
    throw error;
  }
  sweepUnfinished(path);
  return true;
}

function release(path: string, name: string): void {
  // Where it stays, the end of this process will do.
  sweep([join(path, name)]);
  removeEmpty(path);
}

/** Removes what killed processes left unfinished. It is moved away whole first: a rename never brings it here in part. */
function sweepUnfinished(path: string): void {
  try {
    for (const temporary of temporariesOf(path)) {
      const away = nameTemporary(path);
      renameSync(temporary, away);
      rmSync(away, { recursive: true, force: true });
    }
  } catch {
    // The next one will.
  }
}
