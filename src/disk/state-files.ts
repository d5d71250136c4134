import { constants, fdatasyncSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { listNames, readOwn, readStart, withOwnFile } from './open-file.ts';
import { syncFolder } from './private-folder.ts';

/** Files of the state folder. Each call is one step, which may be the last one of the process. */
export type StateFiles = typeof stateFiles;

export const stateFiles = {
  list: listNames,
  read: (path: string, maxBytes: number) => readOwn(path, (file) => readStart(file, maxBytes)),
  /** Until it is synced, a power cut may take what was appended, or the file that was made for it. */
  append: (path: string, text: string) =>
    withOwnFile(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, (file) =>
      writeFileSync(file, text),
    ),
  sync(path: string): void {
    withOwnFile(path, constants.O_RDWR, fdatasyncSync);
    syncFolder(dirname(path));
  },
};
