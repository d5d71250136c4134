import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readSync,
  writeFileSync,
} from 'node:fs';
import { Failure, systemCode } from '../errors.ts';
import { isWindows, retryOnWindows } from './windows.ts';

const minReadBytes = 4_096;

/** A reason not to use a file or folder of ours, although the system would allow it. `fix` is a command or a sentence. */
export class FileFault extends Failure {
  constructor(
    message: string,
    readonly fix: string,
  ) {
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
  const file = retryOnWindows(() => openSync(path, flags | (constants.O_NONBLOCK ?? 0)));
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

/** Reads as far as `maxBytes` whatever size the system reports: a file may grow, and those of /proc report none. */
export function readStart(file: number, maxBytes: number): Buffer {
  const { size } = fstatSync(file);
  // In one piece if possible: 96 MiB in parts would need twice the memory.
  let bytes = Buffer.alloc(Math.min(maxBytes, Math.max(size + 1, minReadBytes)));
  let length = 0;
  for (;;) {
    if (length === bytes.length) {
      if (length === maxBytes) return bytes;
      bytes = Buffer.concat([bytes], Math.min(maxBytes, 2 * length));
    }
    const read = readSync(file, bytes, length, bytes.length - length, length);
    if (read === 0) return bytes.subarray(0, length);
    length += read;
  }
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
  return new FileFault(`${path} ${what}`, 'Move it elsewhere and run the command again.');
}
