import { closeSync, constants, fstatSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openOwn } from '../disk/open-file.ts';
import { createTail, type Tail } from '../disk/tail.ts';
import { sweep } from '../disk/temporary.ts';
import { systemCode } from '../errors.ts';
import { fold } from './fold.ts';
import { emptyLedger, type Ledger } from './ledger.ts';
import { makeOnce } from './make-once.ts';
import { type Entry, formatEntry, isEntry, parseEntry } from './records.ts';
import { formatSum, isSum, nextSum, readLastSum, type Sum, sumEvery } from './sum.ts';

/** The lines that all requests with one key leave behind, and what they add up to. */
export type Log = {
  /** The ledger after all lines so far. */
  readonly read: () => Ledger;
  /** Adds lines, all at once, and returns the ledger after them. @throws the system's error when it cannot be written */
  readonly append: (...entries: readonly Entry[]) => Ledger;
};

/** The same wherever it is kept; never fails. Times are this machine's. */
export type SharedLog = {
  readonly read: () => Ledger | Promise<Ledger>;
  /** Whether it is kept elsewhere, so that each look costs others something. */
  readonly isRemote?: () => boolean;
  readonly append: (entry: Entry) => Ledger | Promise<Ledger>;
};

/** A file longer than this is sealed, and the next one begins with what it added up to, in bytes. */
const sealAt = 256 * 1024;

/** Lines behind so many bytes count as little as those behind a seal: what fills a file like this is no log of ours. */
const longest = 1024 * 1024;

const flags = constants.O_RDWR | constants.O_APPEND;

/** So often files and lines can be gone because others are faster; beyond that this is no place for a log. */
const tries = 100;

/**
 * A log that all processes of this machine share: the files `NAME.1.log`, `NAME.2.log` … of a folder. A line is one append,
 * which the system never mixes with another, so that all processes read the same lines in the same order.
 * @param known what it begins with when this is its first file
 * @throws the system's error when the folder cannot be used
 */
export function openFileLog(folder: string, name: string, known: Ledger = emptyLedger): Log {
  let ledger = known;
  let number = 0;
  let file = -1;
  let tail: Tail | undefined;
  /** From this length of the file on, another sum is due. */
  let sumDue = sumEvery;
  openNewest();

  return {
    read() {
      catchUp();
      return ledger;
    },
    append(...entries) {
      let missing = entries;
      for (let left = tries; missing.length > 0; left -= 1) {
        if (left === 0) throw new Error('a line that was written cannot be read back');
        missing = add(missing);
      }
      const length = tail?.position() ?? 0;
      if (length > sealAt) seal();
      else if (length > sumDue) addSum(length);
      return ledger;
    },
  };

  /** Returns those that do not count: they are torn, stand behind a seal, or in a file that was deleted. */
  function add(entries: readonly Entry[]): readonly Entry[] {
    const lines = entries.map(formatEntry);
    const bytes = Buffer.from(lines.join(''));
    const written = writeSync(file, bytes);
    const { nlink, size } = fstatSync(file);
    // Where nobody else has written, what stands there now is known.
    if (nlink > 0 && written === bytes.length && size <= longest && tail?.skip(written, size)) {
      for (const entry of entries) if (isEntry(entry)) ledger = fold(ledger, entry);
      return [];
    }
    const unseen = new Set(lines.map((line) => line.trim()));
    catchUp(unseen);
    return entries.filter((_, n) => unseen.has(lines[n]?.trim() ?? ''));
  }

  /** Folds what was added, from file to file, and takes it from `unseen`. */
  function catchUp(unseen?: Set<string>): void {
    for (let moved = true; moved; ) {
      const { nlink, size } = fstatSync(file);
      const known = tail?.position() ?? 0;
      // Sealed, filled, or deleted or cut short under our feet: the next file begins with what is known.
      moved = nlink === 0 || size < known || size > longest;
      // What came before a sum is not read, unless lines of ours have to be found there.
      if (!unseen && size > known + sumEvery)
        beginAt(readLastSum(file, known, Math.min(size, longest)));
      for (const line of size > known ? (tail?.readLines(size) ?? []) : []) {
        if (isSum(line)) {
          sumDue = nextSum(size, line.length);
          continue;
        }
        const entry = line === '' ? undefined : parseEntry(line);
        if (entry?.k === 'seal') {
          moved = true;
          break;
        }
        unseen?.delete(line);
        if (entry) ledger = fold(ledger, entry);
      }
      if (moved) openNext();
    }
  }

  function seal(): void {
    writeSync(file, formatEntry({ k: 'seal' }));
    catchUp();
  }

  /** Any process may add one that finds it due: it says which bytes it is about. */
  function addSum(length: number): void {
    const line = formatSum({ upTo: tail?.lineEnd() ?? 0, ledger });
    tail?.skip(writeSync(file, line), fstatSync(file).size);
    sumDue = nextSum(length + line.length, line.length);
  }

  function beginAt(sum: Sum | undefined): void {
    if (!sum) return;
    tail?.seek(sum.upTo);
    ledger = sum.ledger;
  }

  function openNext(): void {
    if (newest() <= number) create(number + 1);
    openNewest();
    sweep([path(number - 2)]);
  }

  function openNewest(): void {
    for (let left = tries; ; left -= 1) {
      if (newest() === 0) create(1);
      const found = newest();
      try {
        const opened = openOwn(path(found), flags);
        if (file >= 0) closeSync(file);
        file = opened;
        number = found;
        tail = createTail(file, longest);
        ledger = emptyLedger;
        sumDue = sumEvery;
        return;
      } catch (error) {
        // Deleted since it was listed.
        if (systemCode(error) !== 'ENOENT' || left === 0) throw error;
      }
    }
  }

  /** Begins a file with what is known, unless another process just did: it knows the same. */
  function create(next: number): void {
    makeOnce(path(next), Buffer.from(formatEntry({ k: 'ledger', ledger })));
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
