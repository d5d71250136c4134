import {
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { makePrivateFolder, syncFolder } from './folders.ts';
import { openOwn, openToAppend, readStart } from './open-file.ts';

const sync = promisify(fdatasync);

/** A file that only grows, and whose growth lasts. */
export type AppendFile = {
  /** Returns all bytes, but at most so many. */
  readonly read: (most: number) => Uint8Array;
  /** Cuts off what follows the first `length` bytes. */
  readonly cut: (length: number) => void;
  /** Resolves when the bytes would survive a power cut. @throws the system's error */
  readonly append: (bytes: Uint8Array) => Promise<void>;
  readonly close: () => void;
};

/** Opens or makes a file of mode 0600 in a folder of mode 0700. @throws as openToAppend */
export function openAppendFile(path: string): AppendFile {
  makePrivateFolder(dirname(path));
  const file = openToAppend(path);
  syncFolder(dirname(path));
  return {
    read: (most) => readStart(file, most),
    cut(length) {
      if (fstatSync(file).size === length) return;
      // Through the handle that appends, NTFS cuts nothing.
      const whole = openOwn(path, constants.O_RDWR);
      try {
        ftruncateSync(whole, length);
        fsyncSync(whole);
      } finally {
        closeSync(whole);
      }
    },
    async append(bytes) {
      writeFileSync(file, bytes);
      await sync(file);
    },
    close: () => closeSync(file),
  };
}
