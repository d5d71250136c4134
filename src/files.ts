import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { configFailure, Failure, systemCode } from './errors.ts';

/** The text of a file, or undefined when there is none. @throws Failure (config) when it cannot be read. */
export function readText(path: string): string | undefined {
  return read(path, () => {});
}

/** Like readText, for a file that holds a secret: refused when anyone else can read it. */
export function readSecret(path: string): string | undefined {
  return read(path, (fd) => {
    const { mode } = fstatSync(fd);
    // Windows has no such modes; its files answer 0666.
    if ((mode & 0o077) !== 0 && constants.O_NOFOLLOW !== undefined) {
      throw configFailure(`others can read the key in ${path}`, `chmod 600 '${path}'`);
    }
  });
}

function read(path: string, check: (fd: number) => void): string | undefined {
  let fd: number;
  try {
    // Not blocking: a pipe without a writer would never open.
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return undefined;
    throw unreadable(path, error);
  }
  try {
    if (!fstatSync(fd).isFile()) throw configFailure(`${path} is not a regular file`);
    check(fd);
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(fd));
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw unreadable(path, error);
  } finally {
    closeSync(fd);
  }
}

function unreadable(path: string, error: unknown): Failure {
  const reason = error instanceof TypeError ? 'not UTF-8 text' : systemCode(error);
  return configFailure(`cannot read ${path} (${reason})`);
}

/**
 * Replaces a file whole or not at all, mode 0600 in a folder of mode 0700: written beside it, synced, renamed.
 * Short writes are continued, so a full disk leaves the old content. What killed writers left beside it is removed.
 * @throws Failure (output)
 */
export function durableWrite(path: string, text: string): void {
  try {
    makePrivateFolder(dirname(path));
    while (!replace(path, Buffer.from(text)));
    syncFolder(dirname(path));
  } catch (error) {
    throw cannotSave(path, error);
  }
  sweep(path);
}

/** False when a writer who was faster has swept our copy away. */
function replace(path: string, bytes: Uint8Array): boolean {
  const temporary = nameTemporary(path);
  let written = false;
  try {
    writeNew(temporary, bytes);
    written = true;
    renameSync(temporary, path);
    return true;
  } catch (error) {
    if (written && systemCode(error) === 'ENOENT' && existsSync(dirname(path))) return false;
    removeQuietly(temporary);
    throw error;
  }
}

/** A name that nothing else has, for what will be renamed or linked to `path` once it is whole. */
export function nameTemporary(path: string): string {
  return `${path}.${randomUUID()}.tmp`;
}

/** What stands beside `path` under such names: work of others that goes on, or that was killed. @throws the system's error */
export function temporariesOf(path: string): string[] {
  const folder = dirname(path);
  return readdirSync(folder)
    .filter(
      (name) =>
        name.startsWith(`${basename(path)}.`) &&
        name.endsWith('.tmp') &&
        name.length === basename(nameTemporary(path)).length,
    )
    .map((name) => join(folder, name));
}

/** Copies of killed writers may hold a key; a living writer whose copy goes with them writes it again. */
function sweep(path: string): void {
  try {
    for (const temporary of temporariesOf(path)) removeQuietly(temporary);
  } catch {
    // The next one will.
  }
}

/** Makes a folder that only its owner can enter, and the folders above it. */
export function makePrivateFolder(path: string): void {
  try {
    makeFolder(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' || dirname(path) === path) throw error;
    // Step by step: Node's own recursive mkdir never ends where a file system takes no folders (/proc).
    makePrivateFolder(dirname(path));
    makeFolder(path);
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
    syncFolder(dirname(path));
  } catch (error) {
    // There already, or made by another process just now.
    if (systemCode(error) !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
  }
}

/** A failure on the way of something that should last. */
export function cannotSave(path: string, error: unknown): Failure {
  return new Failure('output', `cannot save ${path} (${systemCode(error)})`, { cause: error });
}

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // There never was one: its folder is not a folder.
  }
}

function writeNew(path: string, bytes: Uint8Array): void {
  const fd = openSync(path, 'wx', 0o600);
  try {
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(fd, bytes, written);
    }
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Makes new names in a folder last. */
export function syncFolder(path: string): void {
  // A folder cannot be opened for this on Windows, where the rename is durable by itself.
  if (constants.O_DIRECTORY === undefined) return;
  const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
