import { hash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Context } from '../context.ts';
import { saving } from '../disk/files.ts';
import { FileFault } from '../disk/open-file.ts';
import { findFolderFault, securePrivateFolder } from '../disk/private-folder.ts';
import type { StateFiles } from '../disk/state-files.ts';
import { removeStale } from '../disk/temporary.ts';
import { configFailure, systemCode } from '../errors.ts';
import type { Hold } from './hold.ts';
import type { Item } from './rows.ts';

/** Tells imports apart by address and content. The path, undefined for standard input, is for who reads the journal. */
export type Identity = {
  readonly address: string;
  readonly sha256: string;
  readonly path?: string | undefined;
};

/** The first line, synced before the first create. */
export type Header = Identity & {
  readonly v: 2;
  readonly rows: number;
  readonly at: number;
  /** Ids of categories that had names of the file before the import began: they are not ours. */
  readonly before: readonly string[];
};

/** `sending`: requests may be in flight, and created rows may be missing here. `idle`: neither. `done`: nothing is left. */
type State = 'sending' | 'idle' | 'done';

type RowLine =
  | { readonly row: number; readonly id: string; readonly as?: string }
  | { readonly row: number; readonly unknown: true };
type Line = RowLine | { readonly state: State };

export class Journal {
  header: Header | undefined;
  state: State;
  readonly #stateFiles: StateFiles;
  #fault: unknown;

  /** Opens the journal, cuts off what follows its last intact line, and tells the rows what became of them. */
  constructor(
    context: Context,
    readonly path: string,
    items: readonly Item[],
    readonly hold: Hold,
  ) {
    this.#stateFiles = context.stateFiles;
    saving(path, () => securePrivateFolder(dirname(path), context.uid));
    removeStale(dirname(path), context.now());
    const { header, state, rows, intact, isTorn } = replay(context, path);
    this.header = header;
    this.state = state;
    tell(items, rows);
    // In one step: whoever opens it next would not see that something was cut off, which may have been `sending`.
    if (header && isTorn) this.#stateFiles.write(path, `${intact}${JSON.stringify({ state })}\n`);
  }

  begin(header: Header): void {
    this.#stateFiles.write(this.path, `${JSON.stringify(header)}\n`);
    this.header = header;
    this.state = 'idle';
  }

  /** Appends without a sync: after a power cut, the list of the service tells what is missing here. */
  add({ index: row, fate, id = '', as }: Item): void {
    this.#append(
      fate === 'unknown' ? { row, unknown: true } : { row, id, ...(as !== undefined && { as }) },
    );
  }

  /** Throws if another process has taken the names: it writes the journal now. Call it before each create leaves. */
  setState(state: State): void {
    if (state === 'sending') this.hold.beforeSending();
    else this.hold.check();
    if (state === this.state) return;
    this.#append({ state });
    this.#untilFault(() => this.#stateFiles.sync(this.path));
    this.state = state;
  }

  remove(): void {
    this.#stateFiles.remove(this.path);
    this.header = undefined;
    this.state = 'idle';
  }

  #append(line: Line): void {
    this.#untilFault(() => this.#stateFiles.append(this.path, `${JSON.stringify(line)}\n`));
  }

  /** After a fault half a line may be there, and a reader would drop what follows it: nothing is written any more. */
  #untilFault(write: () => void): void {
    if (this.#fault) throw this.#fault;
    try {
      saving(this.path, write);
    } catch (error) {
      this.#fault = error;
      throw error;
    }
  }
}

export function readJournal(context: Context, path: string, items: readonly Item[]) {
  reading(path, () => {
    const fault = findFolderFault(dirname(path), context.uid);
    if (fault) throw fault;
  });
  const replayed = replay(context, path);
  tell(items, replayed.rows);
  return replayed;
}

function tell(items: readonly Item[], rows: readonly RowLine[]): void {
  for (const line of rows) {
    const item = items[line.row];
    if (!item) continue;
    if ('unknown' in line) item.wasUnknown = true;
    else Object.assign(item, { fate: 'created_before', id: line.id, as: line.as });
  }
}

export function locateJournal(folder: string, { address, sha256 }: Identity): string {
  const name = hash('sha256', JSON.stringify([address, sha256]), 'hex').slice(0, 16);
  return join(folder, `${name}.journal`);
}

const maxJournalBytes = 256 * 1024 * 1024;

function replay({ stateFiles }: Context, path: string) {
  const text = reading(path, () => stateFiles.read(path, maxJournalBytes))?.toString() ?? '';
  const rows: RowLine[] = [];
  let header: Header | undefined;
  let state: State = 'idle';
  let intact = '';
  // Not `.`, which stops at U+2028: JSON leaves that in a name as it is.
  // Without the torn end: a long one, such as the NULs of a crash, would take a time that grows with its square.
  const lines = text.slice(0, text.lastIndexOf('\n') + 1);
  for (const [line] of lines.matchAll(/[^\n]*\n/g)) {
    const entry = parse(line);
    if (!entry || 'sha256' in entry === (header !== undefined)) break;
    if ('sha256' in entry) header = entry;
    else if ('state' in entry) state = entry.state;
    else rows.push(entry);
    intact += line;
  }
  const isTorn = intact.length < text.length;
  if (isTorn) state = 'sending';
  return { header, state, rows, intact, isTorn };
}

function reading<Result>(path: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    if (error instanceof FileFault) throw configFailure(error.message, error.fix, error);
    const message = `cannot read the journal ${path} (${systemCode(error)})`;
    throw configFailure(message, undefined, error);
  }
}

function parse(text: string): Header | Line | undefined {
  try {
    const value = JSON.parse(text) as Record<string, unknown>;
    const { v, row, id, unknown, state } = value;
    const isRow = Number.isInteger(row) && (typeof id === 'string' || unknown === true);
    const isState = state === 'sending' || state === 'idle' || state === 'done';
    return isRow || isState || v === 2 ? (value as Header | Line) : undefined;
  } catch {
    return undefined;
  }
}
