import {
  constants,
  fdatasyncSync,
  readdirSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../errors.ts';
import { durableRemove, durableWrite } from './files.ts';
import { readOwn, readStart, withOwnFile } from './open-file.ts';
import { syncFolder } from './private-folder.ts';

/** Files of the state folder. Each call is one step, which may be the last one of the process. */
export type StateFiles = typeof stateFiles;

export const stateFiles = {
  list(folder: string): string[] {
    try {
      return readdirSync(folder);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return [];
      throw error;
    }
  },
  read: (path: string, maxBytes: number) => readOwn(path, (file) => readStart(file, maxBytes)),
  write: durableWrite,
  /** Until it is synced, a power cut may take what was appended, or the file that was made for it. */
  append: (path: string, text: string) =>
    withOwnFile(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, (file) =>
      writeFileSync(file, text),
    ),
  sync(path: string): void {
    withOwnFile(path, constants.O_RDWR, fdatasyncSync);
    syncFolder(dirname(path));
  },
  remove: durableRemove,
  rename(from: string, to: string): void {
    renameSync(from, to);
    syncFolder(dirname(to));
  },
  /** Sets the time of change, in ms since 1970. */
  touch: (path: string, at: number) => utimesSync(path, at / 1_000, at / 1_000),
  touchedAt: (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs,
};
