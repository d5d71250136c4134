import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { configFailure, systemCode } from '../errors.ts';
import type { Mode } from './content.ts';
import { replay } from './journal.ts';
import { type Header, parseEntry } from './records.ts';
import { emptyStanding, type Standing } from './standing.ts';

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

/** What a journal tells without being opened for more; nothing when there is none. @throws Failure (config) */
export function readStanding(path: string): Standing {
  if (!existsSync(path)) return emptyStanding();
  return replay(
    reading(path, () => readFileSync(path)),
    path,
  ).standing;
}

/** All journals of a folder. @throws Failure (config) */
export function journalsIn(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.journal'));
    return names.map((name) => join(folder, name));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return [];
    throw configFailure(`cannot look for journals in ${folder} (${systemCode(error)})`);
  }
}

/** Longer than any header, in bytes. */
const headerSize = 16 * 1024;

/** The first line of a journal; undefined when it is not whole. @throws Failure (config) when it cannot be read */
export function readHeader(path: string): Header | undefined {
  const file = reading(path, () => openSync(path, 'r'));
  try {
    const bytes = Buffer.alloc(headerSize);
    const length = reading(path, () => readSync(file, bytes, 0, headerSize, 0));
    const [line = ''] = bytes.toString('utf8', 0, length).split('\n', 1);
    const entry = parseEntry(line);
    return entry !== 'newer' && entry?.k === 'h' ? entry : undefined;
  } finally {
    closeSync(file);
  }
}

function reading<Result>(path: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw configFailure(`cannot read the journal ${path} (${systemCode(error)})`);
  }
}

function hashOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}
