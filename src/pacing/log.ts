import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../errors.ts';
import { createTail, type Tail } from '../tail.ts';
import { nameTemporary } from '../temporary.ts';
import { fold } from './fold.ts';
import { emptyLedger, type Ledger } from './ledger.ts';
import { type Entry, formatEntry, parseEntry } from './records.ts';

/** The lines that all requests with one key leave behind, and what they add up to. */
export type Log = {
  /** The ledger after all lines so far. */
  readonly read: () => Ledger;
  /** Adds a line and returns the ledger after it. @throws the system's error when it cannot be written */
  readonly append: (entry: Entry) => Ledger;
};

/** A file longer than this is sealed, and the next one begins with what it added up to, in bytes. */
const sealAt = 64 * 1024;

/** So often files and lines can be gone because others are faster; beyond that this is no place for a log. */
const tries = 100;

/**
 * A log that all processes of this machine share: the files `NAME.1.log`, `NAME.2.log` … of a folder. A line is one append,
 * which the system never mixes with another, so that all processes read the same lines in the same order.
 * @throws the system's error when the folder cannot be used
 */
export function openSharedLog(folder: string, name: string): Log {
  let ledger: Ledger = emptyLedger;
  let number = 0;
  let file = -1;
  let tail: Tail | undefined;
  openNewest();

  return {
    read() {
      catchUp();
      return ledger;
    },
    append(entry) {
      const line = formatEntry(entry);
      for (let left = tries; !writeAndRead(line); left -= 1) {
        if (left === 0) throw new Error('what is written here is not there to be read');
      }
      if (tail && tail.position() > sealAt) {
        writeAndRead(formatEntry({ k: 'seal' }));
      }
      return ledger;
    },
  };

  /** Whether the line counts; not when it is torn, stands behind a seal, or in a file that was deleted. */
  function writeAndRead(line: string): boolean {
    writeSync(file, Buffer.from(line));
    return catchUp(line.trim());
  }

  /** Folds what was added, from file to file; tells whether `own` was among it. */
  function catchUp(own?: string): boolean {
    let found = false;
    for (let moved = true; moved; ) {
      moved = false;
      for (const line of tail?.readLines() ?? []) {
        const entry = line === '' ? undefined : parseEntry(line);
        if (entry?.k === 'seal') {
          moved = true;
          break;
        }
        if (line === own) found = true;
        if (entry) ledger = fold(ledger, entry);
      }
      // Sealed, or deleted or cut short under our feet: the next file begins with what is known.
      if (moved || isBroken()) {
        moved = true;
        openNext();
      }
    }
    return found;
  }

  function isBroken(): boolean {
    const { nlink, size } = fstatSync(file);
    return nlink === 0 || size < (tail?.position() ?? 0);
  }

  function openNext(): void {
    if (newest() <= number) create(number + 1);
    openNewest();
    rmSync(path(number - 2), { force: true });
  }

  function openNewest(): void {
    for (let left = tries; ; left -= 1) {
      if (newest() === 0) create(1);
      const found = newest();
      try {
        const opened = openSync(path(found), constants.O_RDWR | constants.O_APPEND);
        if (file >= 0) closeSync(file);
        file = opened;
        number = found;
        tail = createTail(file);
        ledger = emptyLedger;
        return;
      } catch (error) {
        // Deleted since it was listed.
        if (systemCode(error) !== 'ENOENT' || left === 0) throw error;
      }
    }
  }

  /** Begins a file with what is known, unless another process just did: it knows the same. */
  function create(next: number): void {
    const temporary = nameTemporary(path(next));
    try {
      writeFileSync(temporary, formatEntry({ k: 'ledger', ledger }), { mode: 0o600, flag: 'wx' });
      linkSync(temporary, path(next));
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    } finally {
      rmSync(temporary, { force: true });
    }
  }

  function path(number: number): string {
    return join(folder, `${name}.${number}.log`);
  }

  function newest(): number {
    const pattern = new RegExp(`^${name}\\.(\\d{1,15})\\.log$`);
    return Math.max(
      0,
      ...readdirSync(folder).map((entry) => Number(pattern.exec(entry)?.[1] ?? 0)),
    );
  }
}
