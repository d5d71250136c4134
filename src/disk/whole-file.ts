import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  linkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../errors.ts';
import { syncFolder } from './folders.ts';
import { openNew } from './new-file.ts';
import { retryOnWindows } from './retry-on-windows.ts';
import { nameTemporary, sweep, temporariesOf } from './temporary.ts';

/** A file of the user's that is at its path when it is whole, and not before. All throw the system's error. */
export type WholeFile = {
  readonly append: (text: string) => void;
  /** Makes it last, and puts it there. EEXIST: another file is there by now that it may not replace. */
  readonly finish: () => void;
  /** Leaves nothing of one that was not finished. */
  readonly drop: () => void;
};

/**
 * Opens a file beside `path`, with the mode that any new file gets. One that it may `replace` hands on its mode and owner; a
 * link to that one stays a link.
 * @throws the system's error
 */
export function createWholeFile(path: string, replace: boolean): WholeFile {
  const old = replace ? statSync(path, { throwIfNoEntry: false }) : undefined;
  const target = old ? realpathSync(path) : path;
  const temporary = nameTemporary(target);
  const file = openNew(temporary, constants.O_WRONLY, old, 0o666);
  let isOpen = true;
  if (old) fchmodSync(file, old.mode & 0o777);

  return {
    append: (text) => writeFileSync(file, Buffer.from(text)),
    finish() {
      fsyncSync(file);
      close();
      if (replace) retryOnWindows(() => renameSync(temporary, target));
      else link(temporary, target);
      syncFolder(dirname(target));
      // Of exports to this path that were killed. One that still runs is too late anyway.
      sweep(temporariesOf(target));
    },
    drop() {
      close();
      sweep([temporary]);
    },
  };

  function close(): void {
    if (isOpen) closeSync(file);
    isOpen = false;
  }
}

/** What the systems say where a file system has no second names for a file: vfat, a share, a stick on Windows. */
const withoutLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EISDIR'];

/** As a rename, but it replaces nothing. @throws the system's error, EEXIST when something is there */
function link(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (!withoutLinks.includes(systemCode(error) ?? '')) throw error;
    // Whoever makes the empty file has the name.
    closeSync(openNew(to, constants.O_WRONLY));
    try {
      retryOnWindows(() => renameSync(from, to));
    } catch (error) {
      rmSync(to, { force: true });
      throw error;
    }
  }
}
