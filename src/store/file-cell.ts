import { hash, randomUUID } from 'node:crypto';
import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { link, listNames, readOwn, readStart, writeNew } from '../disk/open-file.ts';
import { makePrivateFolder, syncFolder } from '../disk/private-folder.ts';
import { nameTemporary } from '../disk/temporary.ts';
import { systemCode } from '../errors.ts';
import type { Cell, Seen } from './cell.ts';

/** If the newest file is damaged, the one before it counts. */
const maxOlderFiles = 4;
const usualMaxBytes = 1024 * 1024;
/** The first line of a file, which no other file has: the digest of the value, and an id. */
const headLength = 53;
const maxReads = 1_000;
/** The number after the highest of these is still exact. */
const ownName = /^[1-9]\d{0,14}$/;

export type FileCellOptions = {
  /** Called before each read until there is a value. Throws if the folder may not be used. */
  readonly check?: () => void;
  /** Returns false for a value that no change of ours would have written. */
  readonly isValid?: (value: unknown) => boolean;
  readonly onDamage?: () => void;
  /** A larger file is never written (EFBIG), and counts as damaged. */
  readonly maxBytes?: number;
  /** A value outlasts a power cut once `replace` has returned. */
  readonly isSynced?: boolean;
};

const nothing = { value: undefined, version: '', numbers: [] };

/**
 * Returns a cell in a folder of its own, where the file with the highest number has the value. Files never change: the next value is
 * written to a temporary file and linked to the next number, which only one process can do. A process that is killed at any moment
 * leaves the old value or the new one.
 */
export function fileCell<Value>(
  folder: string,
  {
    check,
    isValid = () => true,
    onDamage,
    maxBytes = usualMaxBytes,
    isSynced = false,
  }: FileCellOptions = {},
) {
  let last: Seen<Value> & { readonly numbers: readonly number[] } = nothing;
  let hadValue = false;
  const pathTo = (name: string | number) => join(folder, String(name));
  return { read, replace } satisfies Cell<Value>;

  function read(): Seen<Value> {
    if (!hadValue) check?.();
    for (let attempt = 0; attempt < maxReads; attempt += 1) {
      const numbers = listNumbers(folder);
      const newest = numbers.at(-1);
      if (newest === undefined) {
        // A swap needs a file that was read, so the first one has no value yet. It shows whether the folder can be used.
        makePrivateFolder(folder);
        publish(1);
        continue;
      }
      if (newest === last.numbers.at(-1)) return last;
      const file = readWhole(newest);
      // If the newest is another one now, a process that was suspended may have made this file with a number of long ago.
      if (!file || listNumbers(folder).at(-1) !== newest) continue;
      const value = parse(file, onDamage) ?? readOlder(numbers);
      hadValue ||= value !== undefined;
      last = { value, version: `${newest} ${readHead(file)}`, numbers };
      return last;
    }
    const message = 'gave up after 1,000 reads: other processes changed it each time';
    throw Object.assign(new Error(message), { code: 'EBUSY' });
  }

  function readOlder(numbers: readonly number[]): Value | undefined {
    for (const number of numbers.slice(0, -1).reverse()) {
      const value = parse(readWhole(number));
      if (value !== undefined) return value;
    }
    return undefined;
  }

  /** Returns undefined for a damaged value, and for none: a new cell has an empty file. */
  function parse(file: Buffer | undefined, onDamage = () => {}): Value | undefined {
    const [head = '', json = ''] = file?.toString().split('\n') ?? [];
    const isWhole = head.startsWith(digest(json));
    if (isWhole && json === '') return undefined;
    const value = isWhole ? JSON.parse(json) : undefined;
    if (isWhole && isValid(value)) return value;
    onDamage();
    return undefined;
  }

  function replace({ version }: Seen<Value>, next: Value): boolean {
    const { numbers } = last;
    last = nothing;
    const newest = Number.parseInt(version, 10);
    if (!publish(newest + 1, JSON.stringify(next))) return false;
    // If this process was suspended meanwhile, the number may have been used and removed again. But the
    // lowest numbers are removed first, so then the file that was read is gone as well.
    const head = readOwn(pathTo(newest), (file) => readStart(file, headLength));
    if (!head || `${newest} ${readHead(head)}` !== version) {
      remove(pathTo(newest + 1));
      return false;
    }
    // In ascending order, and none above one that stays.
    numbers
      .filter((number) => number < newest - maxOlderFiles)
      .every((number) => remove(pathTo(number)));
    return true;
  }

  function publish(number: number, json = ''): boolean {
    const temporary = nameTemporary(pathTo('next'));
    const text = `${digest(json)} ${randomUUID()}\n${json}\n`;
    if (Buffer.byteLength(text) > maxBytes) throw Object.assign(new Error(), { code: 'EFBIG' });
    try {
      writeNew(temporary, text, isSynced);
      link(temporary, pathTo(number));
      if (isSynced) syncFolder(folder);
      return true;
    } catch (error) {
      // ENOENT: the folder was removed.
      if (['EEXIST', 'ENOENT'].includes(systemCode(error) ?? '')) return false;
      throw error;
    } finally {
      remove(temporary);
    }
  }

  /** Returns undefined for a file that is gone. One that cannot be read now is neither gone nor damaged. */
  function readWhole(number: number): Buffer | undefined {
    return readOwn(pathTo(number), (file) => readStart(file, maxBytes));
  }
}

function listNumbers(folder: string): number[] {
  const names = listNames(folder).filter((name) => ownName.test(name));
  return names.map(Number).sort((a, b) => a - b);
}

function readHead(file: Buffer): string {
  return file.toString('latin1', 0, headLength);
}

function digest(json: string): string {
  return hash('sha256', json).slice(0, 16);
}

function remove(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    return systemCode(error) === 'ENOENT';
  }
}
