import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { configFailure, Failure, systemCode } from '../errors.ts';
import { commandOn } from '../text/shell.ts';
import { FileFault } from './file-fault.ts';
import { makePrivateFolder, syncFolder } from './folders.ts';
import { writeNew } from './new-file.ts';
import { readStart } from './open-file.ts';
import { isOurs } from './private-folder.ts';
import { retryOnWindows } from './retry-on-windows.ts';
import { nameTemporary, sweep, temporariesOf } from './temporary.ts';
import { isWindows } from './windows.ts';

const KiB = 1024;
const MiB = 1024 * KiB;

/**
 * The text of a file of at most so many bytes, or undefined when there is none.
 * @throws Failure (config) when it cannot be read
 */
export function readText(path: string, most: number): string | undefined {
  return read(path, most, () => {});
}

/** Longest file that holds a secret, in bytes. */
const longestSecret = 64 * KiB;

/** Like readText, for a file that holds a secret: refused when anyone else can read it, or owns it where `uid` is given. */
export function readSecret(path: string, uid?: number): string | undefined {
  return read(path, longestSecret, (fd) => {
    const stats = fstatSync(fd);
    if (!isOurs(path, stats, uid)) {
      throw configFailure(`the key file ${path} is owned by another user`, 'petstore auth login');
    }
    // Windows has no such modes; its files answer 0666.
    if ((stats.mode & 0o077) !== 0 && !isWindows) {
      throw configFailure(
        `the key file ${path} is readable by other users`,
        commandOn('chmod 600', path),
      );
    }
  });
}

/** Whether a user other than `uid` and root owns a file or folder or can write to it; never where users have no numbers. */
export function othersCanChange(path: string, uid: number | undefined): boolean {
  if (uid === undefined) return false;
  const { uid: owner, mode } = statSync(path);
  return (owner !== uid && owner !== 0) || (mode & 0o022) !== 0;
}

function read(path: string, most: number, check: (fd: number) => void): string | undefined {
  let fd: number;
  try {
    // Not blocking: a pipe without a writer would never open.
    fd = retryOnWindows(() => openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return undefined;
    throw unreadable(path, error);
  }
  try {
    if (!fstatSync(fd).isFile()) throw configFailure(`${path} is not a regular file`);
    check(fd);
    const bytes = readStart(fd, most + 1);
    if (bytes.length > most) throw configFailure(`${path} is larger than ${sizeInWords(most)}`);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw unreadable(path, error);
  } finally {
    closeSync(fd);
  }
}

function sizeInWords(bytes: number): string {
  return bytes < MiB ? `${bytes / KiB} KiB` : `${bytes / MiB} MiB`;
}

function unreadable(path: string, error: unknown): Failure {
  const reason = error instanceof TypeError ? 'not valid UTF-8' : systemCode(error);
  return configFailure(`cannot read ${path} (${reason})`, undefined, error);
}

/**
 * Replaces a file whole or not at all, mode 0600 in a folder of mode 0700: written beside it, synced, renamed.
 * Short writes are continued, so a full disk leaves the old content. What killed writers left beside it is removed; that is
 * why nobody else may write it meanwhile.
 * @throws Failure (output)
 */
export function durableWrite(path: string, text: string): void {
  const temporary = nameTemporary(path);
  try {
    makePrivateFolder(dirname(path));
    writeNew(temporary, Buffer.from(text), lstatSync(path, { throwIfNoEntry: false }));
    retryOnWindows(() => renameSync(temporary, path));
    syncFolder(dirname(path));
  } catch (error) {
    sweep([temporary]);
    throw cannotSave(path, error);
  }
  sweep(temporariesOf(path));
}

/** Removes a file and what killed writers left beside it. @throws Failure (output) */
export function durableRemove(path: string): void {
  try {
    for (const found of [path, ...temporariesOf(path)]) {
      retryOnWindows(() => rmSync(found, { force: true }));
    }
    syncFolder(dirname(path));
  } catch (error) {
    throw new Failure('output', `cannot remove ${path} (${systemCode(error)})`, { cause: error });
  }
}

/** Does what is needed to save a file or folder, and returns what that does. @throws Failure (output) */
export function saving<Result>(path: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw cannotSave(path, error);
  }
}

/** A failure on the way of something that should last; one that says so already is kept. */
export function cannotSave(path: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof FileFault) {
    return new Failure('output', error.message, { hint: error.fix, cause: error });
  }
  return new Failure('output', `cannot save ${path} (${systemCode(error)})`, { cause: error });
}
