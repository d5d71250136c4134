import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  writeFileSync,
} from 'node:fs';
import { Failure, systemCode } from '../errors.ts';
import { isWindows, retryOnWindows } from './windows.ts';

/** A reason not to use a file or folder of ours, although the system would allow it. `fix` is a command or a sentence. */
export class FileFault extends Failure {
  constructor(message: string, fix: string) {
    super('output', message, { hint: fix });
  }
}

/** Opens a file of ours. A link would lead to a file of somebody else's choice. */
export function withOwnFile<Result>(
  path: string,
  flags: number,
  action: (file: number) => Result,
): Result {
  try {
    if (isWindows && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
      throw misplaced(path, 'is a symbolic link');
    }
    return withFile(path, action, flags | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    if (systemCode(error) === 'ELOOP') throw misplaced(path, 'is a symbolic link');
    throw error;
  }
}

/** Opens a file that the user may have named or linked. */
export function withFile<Result>(
  path: string,
  action: (file: number) => Result,
  flags = constants.O_RDONLY,
): Result {
  // Without O_NONBLOCK, a pipe without a writer would never open.
  const file = retryOnWindows(() => openSync(path, flags | (constants.O_NONBLOCK ?? 0), 0o600));
  try {
    const stats = fstatSync(file);
    if (stats.isFile()) return action(file);
    throw misplaced(path, stats.isDirectory() ? 'is a directory' : 'is not a regular file');
  } finally {
    closeSync(file);
  }
}

export function readOwn<Result>(path: string, read: (file: number) => Result): Result | undefined {
  try {
    return withOwnFile(path, constants.O_RDONLY, read);
  } catch (error) {
    // ESTALE: another machine has removed it from a network file system.
    if (['ENOENT', 'ESTALE'].includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}

/** Returns the names in a folder, none if it does not exist. */
export function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Reads a file to its end, or only its beginning if it is longer than `maxBytes`. */
export function readStart(file: number, maxBytes: number): Buffer {
  // Files of /proc report no size, and have an end.
  if (fstatSync(file).size <= maxBytes) return readFileSync(file).subarray(0, maxBytes);
  const bytes = Buffer.alloc(maxBytes);
  return bytes.subarray(0, readSync(file, bytes, 0, maxBytes, 0));
}

/** Makes a file of mode 0600, and never follows a link. If `flush` is true, its bytes outlast a power cut. */
export function writeNew(path: string, text: string, flush = false): void {
  writeFileSync(path, Buffer.from(text), { flag: 'wx', mode: 0o600, flush });
}

export const noHardLinks = 'no hard links';

/** Gives a file a further name. Throws an error with the code `noHardLinks` if its file system has none. */
export function link(path: string, newPath: string): void {
  try {
    retryOnWindows(() => linkSync(path, newPath));
  } catch (error) {
    const isMissing = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(
      systemCode(error) ?? '',
    );
    throw isMissing && !isWindows ? Object.assign(new Error(), { code: noHardLinks }) : error;
  }
}

function misplaced(path: string, what: string): FileFault {
  return new FileFault(`${path} ${what}`, 'A regular file belongs there.');
}
