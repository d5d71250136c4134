import { closeSync, fdatasync, fstatSync, fsyncSync, ftruncateSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { AppendFile } from '../context.ts';
import { makePrivateFolder, syncFolder } from './folders.ts';
import { openToAppend } from './open-file.ts';
import { readStart } from './read-start.ts';

const sync = promisify(fdatasync);

/** Opens or makes a file of mode 0600 in a folder of mode 0700. @throws as openToAppend */
export function openAppendFile(path: string): AppendFile {
  makePrivateFolder(dirname(path));
  const file = openToAppend(path);
  syncFolder(dirname(path));
  return {
    read: (most) => readStart(file, most),
    cut(length) {
      if (fstatSync(file).size === length) return;
      ftruncateSync(file, length);
      fsyncSync(file);
    },
    async append(bytes) {
      // A disk that is nearly full takes a part first; the rest then fails with its reason.
      for (let written = 0; written < bytes.length; ) {
        written += writeSync(file, bytes, written);
      }
      await sync(file);
    },
    close: () => closeSync(file),
  };
}
