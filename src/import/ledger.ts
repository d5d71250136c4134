import { hash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import type { Context } from '../context.ts';
import { saving } from '../disk/files.ts';
import { FileFault } from '../disk/open-file.ts';
import { checkFolder, securePrivateFolder } from '../disk/private-folder.ts';
import { removeFiles } from '../disk/temporary.ts';
import { nothingSent, systemCode, unsentFailure } from '../errors.ts';
import type { Item } from './rows.ts';

/** A category that a process with this state folder created. */
export type Entry = {
  readonly name: string;
  readonly id: string;
  readonly as: string;
  readonly at: number;
  /** A list lacked it at the end of a run, longer than a list may. */
  readonly isLate?: true | undefined;
};

type Line = Omit<Entry, 'name' | 'as'> & {
  readonly key: string;
  readonly as?: string | undefined;
};

/** For so long a list may lack what was created. */
export const maxLagMs = 60_000;
/** For so long nobody goes by a list that still lacks it. */
const maxLateMs = 3_600_000;
const maxBytes = 256 * 1024 * 1024;

/** What was created with one account. Nothing is ever rewritten, so that processes need no lock; docs/internals/import.md has the files. */
export class Ledger {
  readonly #context: Context;
  readonly #path: string | undefined;
  #minute = Number.NaN;
  readonly #unsynced = new Set<string>();
  #isWhole = true;

  /** @param path that of its files, without their endings; undefined if nothing can be kept */
  constructor(context: Context, path: string | undefined) {
    this.#context = context;
    this.#path = path;
  }

  /** Returns the entries of these names. A line that is torn or damaged is none. */
  read(names: readonly string[]): Entry[] {
    if (this.#path === undefined) return [];
    const { stateFiles, uid } = this.#context;
    const [folder, start] = [dirname(this.#path), `${basename(this.#path)}.`];
    try {
      checkFolder(folder, uid);
      const files = stateFiles.list(folder).filter((file) => file.startsWith(start));
      const lines = files.flatMap((file) => parse(stateFiles.read(join(folder, file), maxBytes)));
      if (lines.length === 0) return [];
      const wanted = new Map(names.map((name) => [hashText(name), name]));
      return lines.flatMap(({ key, as, ...rest }) => {
        const name = wanted.get(key);
        return name === undefined ? [] : [{ ...rest, name, as: as ?? name }];
      });
    } catch (error) {
      if (error instanceof FileFault) throw error.with(nothingSent);
      const message = `cannot read the ledger in ${folder} (${systemCode(error)})`;
      throw unsentFailure('output', message, undefined, { cause: error });
    }
  }

  /** Returns true as long as a list that lacks its category is out of date. */
  isRecent({ at }: Entry): boolean {
    // A clock that was set must not make anybody wait for hours.
    return Math.abs(this.#context.now() - at) < maxLagMs;
  }

  isLate({ isLate, at }: Entry): boolean {
    return isLate === true && Math.abs(this.#context.now() - at) < maxLateMs;
  }

  /** Makes the folder, and removes what is older than the last minute. Throws Failure where nothing can be saved. */
  open(): void {
    if (this.#path === undefined) return;
    const folder = dirname(this.#path);
    saving(folder, () => securePrivateFolder(folder, this.#context.uid));
    this.#startMinute(this.#path);
  }

  #startMinute(path: string): void {
    const { stateFiles, now } = this.#context;
    const folder = dirname(path);
    this.#minute = Math.floor(now() / maxLagMs);
    const files = stateFiles.list(folder).filter((file) => /\.\d+$/.test(file));
    const old = files.filter((file) => Math.abs(Number(file.split('.')[1]) - this.#minute) > 1);
    removeFiles(old.map((file) => join(folder, file)));
  }

  /** Adds a line that outlasts a kill, and a power cut once it is synced. */
  add({
    name,
    id = '',
    as,
    isLate,
  }: Pick<Item, 'name' | 'id' | 'as'> & Pick<Entry, 'isLate'>): void {
    if (this.#path === undefined) return;
    const { stateFiles, now } = this.#context;
    const line: Line = { key: hashText(name), id, as, at: now(), isLate };
    try {
      if (Number.isNaN(this.#minute)) this.open();
      // A folder that is gone took lines with it that others need: it is not made again.
      else if (Math.floor(line.at / maxLagMs) !== this.#minute) this.#startMinute(this.#path);
      const path = `${this.#path}.${as === undefined ? this.#minute : 'kept'}`;
      // The line break comes first: behind a torn line, this one is whole.
      saving(path, () => stateFiles.append(path, `\n${JSON.stringify(line)}`));
      this.#unsynced.add(path);
    } catch (error) {
      this.#isWhole = false;
      throw error;
    }
  }

  /** Returns false if anything is missing that was to be added, or may be after a power cut. */
  sync(): boolean {
    for (const path of this.#unsynced) {
      try {
        this.#context.stateFiles.sync(path);
      } catch (error) {
        // Whoever opens a ledger removes the files of past minutes.
        this.#isWhole &&= systemCode(error) === 'ENOENT';
      }
    }
    this.#unsynced.clear();
    return this.#isWhole;
  }
}

function hashText(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 16);
}

function parse(bytes: Buffer | undefined): Line[] {
  return (bytes?.toString() ?? '').split('\n').flatMap((text) => {
    try {
      const line = JSON.parse(text) as Line;
      const { key, id, as = '', at } = line;
      const isLine = [key, id, as].every((part) => typeof part === 'string');
      return isLine && Number.isFinite(at) ? [line] : [];
    } catch {
      return [];
    }
  });
}
