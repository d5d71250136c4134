import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { systemCode } from '../errors.ts';
import { makePrivateFolder, refuseLink, removeEmpty } from './folders.ts';
import { holdFile, isHeld } from './held-file.ts';
import { type Claim, type Holder, holderIn, longestMark, type Mark, parseMark } from './mark.ts';
import { readOwn } from './open-file.ts';
import { pauseBriefly, retryOnWindows } from './retry-on-windows.ts';
import { sweep } from './temporary.ts';

/** How often it is tried while the mark is missing, since its owner is about to write or has just removed it: about a second. */
const tries = 100;
/** So often where the owner in the mark has ended: a virus scanner has it open instead, but not for long. About 100 ms. */
const triesAfterItsEnd = 10;

/**
 * As `claim`, where a process has no birth time and its id is soon another's: the claim is a file in the folder at `path` that its
 * owner holds open, so it ends with its owner. The mark beside it only says who that is.
 * @throws the system's error, EBUSY where something else has the file open
 */
export function claimOnWindows(
  context: Pick<Context, 'owner' | 'isRunning' | 'now'>,
  path: string,
): Claim | Holder {
  const [held, owner] = filesOf(path);
  for (let tried = 1; ; tried += 1) {
    const letGo = hold(path, held);
    if (letGo) {
      const release = () => releaseOnWindows(path, letGo);
      try {
        // Not removed first: while another process reads it, its name would not be free.
        const mark: Mark = { ...context.owner, since: context.now() };
        retryOnWindows(() => writeFileSync(owner, JSON.stringify(mark), { mode: 0o600 }));
      } catch (error) {
        release();
        throw error;
      }
      return { mine: true, release };
    }
    const mark = readMark(owner);
    if (mark && (context.isRunning(mark) || tried >= triesAfterItsEnd)) return holderIn(mark);
    if (tried === tries) throw busy(held);
    pauseBriefly();
  }
}

/** Who has it, if another process or this one has. @throws as claimOnWindows */
export function holderOnWindows(path: string): Holder | undefined {
  const [held, owner] = filesOf(path);
  for (let tried = 1; ; tried += 1) {
    if (!isHeld(held)) return undefined;
    const mark = readMark(owner);
    if (mark) return holderIn(mark);
    if (tried === tries) throw busy(held);
    pauseBriefly();
  }
}

function releaseOnWindows(path: string, letGo: () => void): void {
  const [held, owner] = filesOf(path);
  sweep([owner]);
  letGo();
  // What another process holds by now stays, and so does its folder.
  sweep([held]);
  removeEmpty(path);
}

function filesOf(path: string): [held: string, owner: string] {
  return [join(path, 'held'), join(path, 'owner')];
}

function hold(path: string, held: string): (() => void) | undefined {
  retryOnWindows(() => makePrivateFolder(path));
  try {
    refuseLink(path);
    return holdFile(held);
  } catch (error) {
    // Its last owner has just removed the folder.
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function readMark(owner: string): Mark | undefined {
  return parseMark(readOwn(owner, longestMark)?.toString() ?? '');
}

function busy(path: string): Error {
  return Object.assign(new Error(`${path} is open in another program`), { code: 'EBUSY' });
}
