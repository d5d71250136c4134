import { constants, fdatasyncSync, readdirSync, writeFileSync } from 'node:fs';
import { systemCode } from '../errors.ts';
import { durableRemove, durableWrite } from './files.ts';
import { readOwn, readStart, withOwnFile } from './open-file.ts';

/** Files of the state folder. Each call is one step, which may be the last one of the process. */
export type StateFiles = {
  readonly list: (folder: string) => string[];
  readonly read: (path: string, maxBytes: number) => Buffer | undefined;
  readonly write: (path: string, text: string) => void;
  /** Appends to a file that exists. Until it is synced, a power cut may take what was appended. */
  readonly append: (path: string, text: string) => void;
  readonly sync: (path: string) => void;
  readonly remove: (path: string) => void;
};

export const stateFiles: StateFiles = {
  list(folder) {
    try {
      return readdirSync(folder);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return [];
      throw error;
    }
  },
  read: (path, maxBytes) => readOwn(path, (file) => readStart(file, maxBytes)),
  write: durableWrite,
  append: (path, text) =>
    withOwnFile(path, constants.O_WRONLY | constants.O_APPEND, (file) => writeFileSync(file, text)),
  sync: (path) => withOwnFile(path, constants.O_RDWR, fdatasyncSync),
  remove: durableRemove,
};
