import { hash } from 'node:crypto';
import {
  accessSync,
  type BigIntStats,
  constants,
  fstatSync,
  linkSync,
  readdirSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { systemCode } from '../errors.ts';
import type { Cell, Seen } from './cell.ts';
import { readOwn, readStart, writeNew } from './open-file.ts';
import { makePrivateFolder } from './private-folder.ts';
import { nameTemporary } from './temporary.ts';
import { retryOnWindows } from './windows.ts';

/** The newest of them counts if later files are damaged. */
const olderKept = 4;
const maxBytes = 1024 * 1024;
/** If a file that was read is gone a moment later so many times in a row, the file system is the reason. */
const maxVainAttempts = 100;

const nothing = { value: undefined, version: '', numbers: [] };

/**
 * Returns a cell in a folder of its own, where the file with the highest number has the value. Files never change: the next value is
 * written to a temporary file and linked to the next number, which only one process can do. A process that is killed at any moment
 * leaves the old value or the new one.
 */
export function fileCell<Value>(folder: string): Cell<Value> {
  let last: Seen<Value> & { readonly numbers: readonly number[] } = nothing;
  let vainSwaps = 0;
  return { read, replace };

  function read(): Seen<Value> {
    for (let attempt = 0; attempt < maxVainAttempts; attempt += 1) {
      const numbers = numbersIn(folder);
      const newest = numbers.at(-1);
      if (newest === undefined) {
        checkWritable(folder);
        return nothing;
      }
      if (newest === last.numbers.at(-1)) return last;
      const file = readWhole(pathOf(newest));
      if (!file) continue;
      const value = parse<Value>(file.text) ?? olderValue(numbers);
      last = { value, version: `${newest} ${file.id}`, numbers };
      return last;
    }
    throw withoutLastingIds(folder);
  }

  function olderValue(numbers: readonly number[]): Value | undefined {
    for (const number of numbers.slice(0, -1).reverse()) {
      const value = parse<Value>(readWhole(pathOf(number))?.text);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  function replace({ version }: Seen<Value>, next: Value): boolean {
    const { numbers } = last;
    last = nothing;
    if (version === nothing.version) {
      begin();
      return false;
    }
    const [number, id] = version.split(' ');
    const newest = Number(number);
    const json = JSON.stringify(next);
    const temporary = nameTemporary(pathOf('next'));
    try {
      if (!publish(`${digestOf(json)}\n${json}\n`, temporary, pathOf(newest + 1))) return false;
      // If this process was suspended meanwhile, the number may have been used and removed again. But the
      // lowest numbers are removed first, so then the file that was read is gone as well.
      if (idAt(pathOf(newest)) !== id) {
        remove(pathOf(newest + 1));
        vainSwaps += 1;
        if (vainSwaps > maxVainAttempts) throw withoutLastingIds(folder);
        return false;
      }
    } finally {
      remove(temporary);
    }
    vainSwaps = 0;
    // In ascending order, and none above one that stays.
    numbers
      .filter((number) => number < newest - olderKept)
      .every((number) => remove(pathOf(number)));
    return true;
  }

  function begin(): void {
    makePrivateFolder(folder);
    try {
      writeNew(pathOf(1), '');
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
  }

  function pathOf(name: string | number): string {
    return join(folder, String(name));
  }
}

function numbersIn(folder: string): number[] {
  try {
    const numbers = readdirSync(folder).map(Number).filter(Number.isSafeInteger);
    return numbers.sort((a, b) => a - b);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Throws if nothing can be made at this path, as far as that shows without making anything. */
function checkWritable(path: string): void {
  try {
    accessSync(path, constants.W_OK);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' || dirname(path) === path) throw error;
    checkWritable(dirname(path));
  }
}

/** Returns undefined for a file that is gone. One that cannot be read now is neither gone nor damaged. */
function readWhole(path: string): { readonly id: string; readonly text: string } | undefined {
  return readOwn(path, (file) => ({
    id: idOf(fstatSync(file, { bigint: true })),
    text: readStart(file, maxBytes).toString(),
  }));
}

function parse<Value>(text = ''): Value | undefined {
  const [digest, json = ''] = text.split('\n');
  return digest === digestOf(json) ? JSON.parse(json) : undefined;
}

function digestOf(json: string): string {
  return hash('sha256', json).slice(0, 16);
}

function publish(text: string, temporary: string, path: string): boolean {
  try {
    writeNew(temporary, text);
    retryOnWindows(() => linkSync(temporary, path));
    return true;
  } catch (error) {
    // ENOENT: the folder was removed.
    if (['EEXIST', 'ENOENT'].includes(systemCode(error) ?? '')) return false;
    throw error;
  }
}

function idAt(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && idOf(stats);
}

/** The number of an inode is used again. */
function idOf({ ino, mtimeNs }: BigIntStats): string {
  return `${ino}.${mtimeNs}`;
}

function remove(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    return systemCode(error) === 'ENOENT';
  }
}

function withoutLastingIds(path: string): Error {
  const message = `the file system of ${path} does not keep inode numbers`;
  return Object.assign(new Error(message), { code: 'ENOTSUP', path });
}
