import { createHash } from 'node:crypto';
import { closeSync, fstatSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { FileFault } from '../disk/file-fault.ts';
import { openOwn, readOwn } from '../disk/open-file.ts';
import { faultOfFolder } from '../disk/private-folder.ts';
import { configFailure, type Failure, systemCode } from '../errors.ts';
import type { Mode } from './content.ts';
import { longest, replay } from './journal.ts';
import { emptyState, type JournalState } from './journal-state.ts';
import { type Header, parseEntry } from './records.ts';

/** What tells one import from another: the service, the bytes of the file, and what it is to bring about. */
export type Identity = {
  readonly address: string;
  readonly sha256: string;
  readonly mode: Mode;
  /** Where the file lies; undefined for standard input. */
  readonly path: string | undefined;
};

/** The journal of an import: the same, under whatever name the file is given. */
export function journalPath(folder: string, { address, sha256, mode }: Identity): string {
  return join(folder, `${hashOf([address, sha256, mode])}.journal`);
}

/** Held by the process that works on the import, whatever it is to bring about. */
export function claimPath(
  folder: string,
  { address, sha256 }: Pick<Identity, 'address' | 'sha256'>,
): string {
  return join(folder, `${hashOf([address, sha256])}.claim`);
}

/**
 * The names that a journal may have once its import is finished and another one has found it so. One that tells no more than
 * the list does expires.
 */
export function archivedPaths(path: string): { readonly kept: string; readonly expiring: string } {
  const name = path.slice(0, -'.journal'.length);
  return { kept: `${name}.finished`, expiring: `${name}.expiring` };
}

/** @throws Failure (config) when others could have written what is in a folder of journals */
export function checkJournals(folder: string, uid: number | undefined): void {
  const fault = reading(folder, () => faultOfFolder(folder, uid));
  if (fault) throw unreadable(folder, fault);
}

/** What a journal tells without being opened for more; nothing when there is none. @throws Failure (config) */
export function readState(path: string): JournalState {
  for (const name of [path, ...Object.values(archivedPaths(path))]) {
    const bytes = reading(name, () => readOwn(name, longest + 1));
    if (bytes) return replay(bytes, name).state;
  }
  return emptyState();
}

/** All journals of a folder that are not known to be finished. @throws Failure (config) */
export function journalsIn(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.journal'));
    return names.map((name) => join(folder, name));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return [];
    const message = `cannot list the journals in ${folder} (${systemCode(error)})`;
    throw configFailure(message, undefined, error);
  }
}

/** Longer than any first or last line of a finished journal, in bytes. */
const headerSize = 16 * 1024;
const lastLineSize = 256;

export type Ends = {
  readonly header: Header;
  /** The last line says so; where it does not, it takes all lines to know. */
  readonly finished: boolean;
};

/** What the two ends of a journal tell; undefined when it is gone or has no first line. @throws Failure (config) when it cannot be read */
export function readEnds(path: string): Ends | undefined {
  const file = reading(path, () => openOwn(path));
  if (file === undefined) return undefined;
  try {
    const { size } = fstatSync(file);
    const [first = ''] = textAt(path, file, 0, headerSize).split('\n', 1);
    const last = textAt(path, file, Math.max(0, size - lastLineSize), lastLineSize).split('\n');
    const header = parseEntry(first);
    if (header === 'newer' || header?.k !== 'h') return undefined;
    const end = parseEntry(last.at(-2) ?? '');
    return { header, finished: last.at(-1) === '' && end !== 'newer' && end?.k === 'e' };
  } finally {
    closeSync(file);
  }
}

function textAt(path: string, file: number, position: number, size: number): string {
  const bytes = Buffer.alloc(size);
  const length = reading(path, () => readSync(file, bytes, 0, size, position));
  return bytes.toString('utf8', 0, length);
}

/** Undefined where there is no such file. @throws Failure (config) */
function reading<Result>(path: string, action: () => Result): Result | undefined {
  try {
    return action();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): Failure {
  if (error instanceof FileFault) return configFailure(error.message, error.fix, error);
  const message = `cannot read the journal ${path} (${systemCode(error)})`;
  return configFailure(message, undefined, error);
}

function hashOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}
