import type { Context } from '../context.ts';
import { holdFile, isHeld } from './held-file.ts';
import type { Mark } from './mark.ts';
import { sweep } from './temporary.ts';
import { isWindows } from './windows.ts';

/** On Windows, the file that the owner of a mark holds open for as long as the mark counts. */
const heldBeside = (file: string) => `${file}.held`;

/**
 * Lets a mark that was written to a file count for as long as this process lives, or until `release`, which never throws; with
 * `keep` the file stays. @throws the system's error
 */
export function holdMark(file: string): { readonly release: (keep?: boolean) => void } {
  const letGo = isWindows ? holdFile(heldBeside(file)) : undefined;
  return {
    // Where it stays, the end of this process will do.
    release(keep = false) {
      letGo?.();
      if (!keep) removeMark(file);
    },
  };
}

/** Whether the process that left a mark in a file still runs; on Windows by what it holds, since its id is soon another's. */
export function isAlive(context: Pick<Context, 'isRunning'>, mark: Mark, file: string): boolean {
  return isWindows ? isHeld(heldBeside(file)) : context.isRunning(mark);
}

/** Removes a mark, as far as that is possible. */
export function removeMark(file: string): void {
  sweep(isWindows ? [file, heldBeside(file)] : [file]);
}
