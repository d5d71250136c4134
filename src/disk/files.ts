import { fstatSync, lstatSync, renameSync, rmSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { asFailure, configFailure, Failure, systemCode } from '../errors.ts';
import { commandOn } from '../text/shell.ts';
import { formatCount } from '../time.ts';
import { noHardLinks, readStart, withFile, writeNew } from './open-file.ts';
import { fixOfOwner, makePrivateFolder, ownFolder, syncFolder } from './private-folder.ts';
import { listTemporaries, nameTemporary, removeFiles } from './temporary.ts';
import { isWindows, retryOnWindows } from './windows.ts';

const spaceHint = 'Free some disk space and run the command again.';

const linksHint =
  'Set PETSTORE_CONFIG_DIR and PETSTORE_STATE_DIR to folders of a file system with hard links.';

export function readText(path: string, maxBytes: number): string | undefined {
  return read(path, maxBytes, () => {});
}

export function readSecret(path: string, maxBytes: number, uid?: number): string | undefined {
  return read(path, maxBytes, (stats) => {
    if (!isUsersOwn(path, stats, uid)) {
      throw configFailure(
        `the key file ${path} is owned by another user`,
        'Run: petstore auth login',
      );
    }
    // Windows reports the mode 0666 for every file.
    if ((stats.mode & 0o077) !== 0 && !isWindows) {
      const fix = `Run: ${commandOn('chmod 600', path)}`;
      throw configFailure(`the key file ${path} is readable by other users`, fix);
    }
  });
}

/** Root may use the file of a user in that user's folder: `sudo` often keeps HOME. */
function isUsersOwn(path: string, { uid: owner }: Stats, uid: number | undefined): boolean {
  if (uid === undefined || owner === uid) return true;
  return uid === 0 && owner === statSync(dirname(path)).uid;
}

function read(path: string, maxBytes: number, check: (stats: Stats) => void): string | undefined {
  try {
    return withFile(path, (file) => {
      check(fstatSync(file));
      const bytes = readStart(file, maxBytes + 1);
      const limit = `${formatCount(maxBytes)} bytes`;
      if (bytes.length > maxBytes) throw configFailure(`${path} is larger than ${limit}`);
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    });
  } catch (error) {
    if (isNotFound(error) && !isLink(path)) return undefined;
    if (error instanceof Failure) throw configFailure(error.message, error.details.hint, error);
    throw unreadable(path, error);
  }
}

/** No file can have a name that is too long. */
export function isNotFound(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(systemCode(error) ?? '');
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

function unreadable(path: string, error: unknown): Failure {
  if (isNotFound(error)) {
    const fix = `Run: ${commandOn('rm', path)}`;
    return configFailure(`${path} is a symbolic link that leads nowhere`, fix, error);
  }
  const isNoText = error instanceof TypeError;
  const reason = isNoText ? 'not valid UTF-8' : systemCode(error);
  const hint = isNoText ? undefined : hintFor(error, path);
  return configFailure(`cannot read ${path} (${reason})`, hint, error);
}

/** Replaces a file whole or not at all, and removes the files of killed writers. Of those who write at the same time one may fail. */
export function durableWrite(path: string, text: string): void {
  const temporary = nameTemporary(path);
  try {
    makePrivateFolder(dirname(path));
    writeNew(temporary, text, true);
    retryOnWindows(() => renameSync(temporary, path));
    syncFolder(dirname(path));
  } catch (error) {
    removeFiles([temporary]);
    throw cannotSave(path, error);
  }
  removeFiles(listTemporaries(path));
}

export function durableRemove(path: string): void {
  try {
    for (const found of [path, ...listTemporaries(path)]) {
      retryOnWindows(() => rmSync(found, { force: true }));
    }
    syncFolder(dirname(path));
  } catch (error) {
    throw outputFailure('remove', path, error);
  }
}

export function saving<Result>(path: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw cannotSave(path, error);
  }
}

export function cannotSave(path: string, error: unknown): Failure {
  return error instanceof Failure ? error : outputFailure('save', path, error);
}

function outputFailure(verb: 'save' | 'remove', path: string, cause: unknown): Failure {
  const code = systemCode(cause) ?? 'unknown error';
  const message = `cannot ${verb} ${path} (${code})`;
  return new Failure('output', message, { hint: hintFor(cause, path), cause });
}

function hintFor(error: unknown, path: string): string {
  const code = systemCode(error) ?? '';
  if (code === noHardLinks) return linksHint;
  if (['ENOSPC', 'EDQUOT'].includes(code)) return spaceHint;
  if (['EACCES', 'EPERM'].includes(code)) return fixOfOwner(path);
  return asFailure(error)?.details.hint ?? ownFolder;
}
