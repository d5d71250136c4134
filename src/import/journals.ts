import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { configFailure, type Failure, systemCode } from '../errors.ts';
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
  const hash = createHash('sha256').update(JSON.stringify([address, sha256, mode]));
  return join(folder, `${hash.digest('hex').slice(0, 16)}.journal`);
}

/** What a journal tells without being opened for more; nothing when there is none. */
export function readStanding(path: string): Standing {
  return existsSync(path) ? replay(readFileSync(path), path).standing : emptyStanding();
}

/**
 * Refuses to look for rows of unknown outcome with another key when nothing else would show that it belongs to the same
 * account: on another one's list they would be taken as not created.
 * @throws Failure (config)
 */
export function refuseOtherKey(
  { header, open, done }: Standing,
  fingerprint: (salt: string) => string,
): void {
  if (!header || open.size === 0 || done.size > 0) return;
  if (header.fingerprint === fingerprint(header.salt)) return;
  throw configFailure(
    `this import was begun with another key, and the outcome of ${open.size} of its rows is unknown`,
    'Go on with the key it was begun with.',
  );
}

/**
 * Refuses to begin while an import is not finished that this one would get in the way of: of the same file as it was before
 * a change, or of the same rows with the other meaning.
 * @throws Failure (config)
 */
export function refuseRivals(folder: string, identity: Identity): void {
  const own = journalPath(folder, identity);
  for (const path of journalsIn(folder)) {
    const header = path === own ? undefined : readHeader(path);
    if (!header || header.address !== identity.address) continue;
    const changed = header.path !== undefined && header.path === identity.path;
    if (!changed && header.sha256 !== identity.sha256) continue;
    const { finished, done } = readStanding(path);
    if (!finished) throw inTheWay(path, header, done.size, identity);
  }
}

function inTheWay(path: string, header: Header, done: number, { sha256 }: Identity): Failure {
  const begun = `${new Date(header.at).toISOString().slice(0, -5)}Z`;
  const state = `${done} of ${header.rows} rows had been created`;
  if (header.sha256 === sha256) {
    const other = header.mode === 'each' ? 'with' : 'without';
    return configFailure(
      `an import of this file ${other} --allow-duplicates was begun at ${begun} and is not finished: ${state}`,
      `Finish it first, or give it up: rm '${path}'`,
    );
  }
  const [was, is] = [header.sha256, sha256].map((hash) => hash.slice(0, 12));
  return configFailure(
    `the file has changed since its import was begun at ${begun} (sha256 was ${was}…, is ${is}…): ${state}`,
    header.mode === 'each'
      ? `Finish that one with the file as it was. To create every row of this one, those that exist too: rm '${path}'`
      : `Finish that one with the file as it was, or give it up and import this one: rm '${path}'`,
  );
}

function journalsIn(folder: string): string[] {
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

function readHeader(path: string): Header | undefined {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(headerSize);
    const length = readSync(file, bytes, 0, headerSize, 0);
    const [line = ''] = bytes.toString('utf8', 0, length).split('\n', 1);
    const entry = parseEntry(line);
    return entry?.k === 'h' ? entry : undefined;
  } finally {
    closeSync(file);
  }
}
