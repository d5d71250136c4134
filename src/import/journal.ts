import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import type { Context } from '../context.ts';
import { saving } from '../disk/files.ts';
import { FileFault } from '../disk/open-file.ts';
import { faultOfFolder, securePrivateFolder } from '../disk/private-folder.ts';
import type { StateFiles } from '../disk/state-files.ts';
import { configFailure, systemCode } from '../errors.ts';
import { commandOn } from '../text/shell.ts';
import { isoTime } from '../time.ts';
import type { Mode } from './plan.ts';
import type { Item } from './rows.ts';

/** Tells imports apart; `path` is undefined for standard input. */
export type Identity = {
  readonly address: string;
  readonly sha256: string;
  readonly mode: Mode;
  readonly path?: string | undefined;
};

/** The first line, synced before the first create. */
export type Header = Identity & {
  readonly v: 2;
  readonly rows: number;
  readonly at: number;
  /** Ids of categories that looked like rows of the file before the import began: they are not ours. */
  readonly before: readonly string[];
};

/** `sending`: requests may be in flight, and created rows may be missing here. `idle`: neither. `done`: nothing is left. */
type State = 'sending' | 'idle' | 'done';

/** A row that was created, with its new name if the service changed it, or whose outcome is unknown. */
type RowLine =
  | { readonly row: number; readonly id: string; readonly as?: string }
  | { readonly row: number; readonly unknown: true };
type Line = RowLine | { readonly state: State };

type Replayed = {
  readonly header: Header | undefined;
  readonly state: State;
  readonly rows: readonly RowLine[];
};

export class Journal {
  header: Header | undefined;
  state: State;
  readonly #stateFiles: StateFiles;
  #fault: unknown;

  /** Opens the journal, cuts off what follows its last intact line, and tells the rows what became of them. */
  constructor(
    context: Context,
    readonly path: string,
    mode: Mode,
    items: readonly Item[],
  ) {
    this.#stateFiles = context.stateFiles;
    saving(path, () => securePrivateFolder(dirname(path), context.uid));
    const { header, state, rows, intact, isTorn } = replay(context, path, mode);
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

  setState(state: State): void {
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

export function readJournal(
  context: Context,
  path: string,
  mode: Mode,
  items: readonly Item[],
): Replayed {
  const fault = reading(path, () => faultOfFolder(dirname(path), context.uid));
  if (fault) throw configFailure(fault.message, fault.fix, fault);
  const replayed = replay(context, path, mode);
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

export function journalPath(folder: string, { address, sha256, mode }: Identity): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([address, sha256, mode]))
    .digest('hex');
  return join(folder, `${hash.slice(0, 16)}.journal`);
}

/** Refuses to create every row of a file that was changed before its import with --allow-duplicates was done. */
export function refuseChangedFile(context: Context, folder: string, identity: Identity): void {
  const { address, sha256, mode, path } = identity;
  if (mode !== 'each' || path === undefined) return;
  for (const name of reading(folder, () => context.stateFiles.list(folder))) {
    if (!name.endsWith('.journal')) continue;
    const other = join(folder, name);
    const { header, state, rows } = readLines(context, other);
    const isOther = header?.path !== path || header.address !== address || header.mode !== mode;
    if (isOther || header.sha256 === sha256 || state === 'done') continue;
    throw configFailure(
      `the file has changed since its import was started at ${isoTime(header.at)}: ${rows.filter((line) => 'id' in line).length} of ${header.rows} rows created`,
      `Finish that import with the original file. To create every row of this one, even those that already exist, delete its journal: ${commandOn('rm', other)}`,
    );
  }
}

const maxJournalBytes = 256 * 1024 * 1024;

function replay(context: Context, path: string, mode: Mode): ReturnType<typeof readLines> {
  const lines = readLines(context, path);
  refuseUnusable(context, path, mode, lines);
  return lines;
}

function readLines({ stateFiles }: Context, path: string) {
  const text = reading(path, () => stateFiles.read(path, maxJournalBytes))?.toString() ?? '';
  const rows: RowLine[] = [];
  let header: Header | undefined;
  let state: State = 'idle';
  let intact = '';
  // Not `.`, which stops at U+2028: JSON leaves that in a name as it is.
  for (const [line] of text.matchAll(/[^\n]*\n/g)) {
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

/** Without the ids that were there before, a category of the same content may be ours or not. */
function refuseUnusable(
  context: Context,
  path: string,
  mode: Mode,
  { header, isTorn }: ReturnType<typeof readLines>,
): void {
  if (mode === 'ensure' || header) return;
  const unusable = isTorn ? path : findFinished(context, path);
  if (unusable === undefined) return;
  throw configFailure(
    `the journal of this import is damaged or from an earlier version (${unusable})`,
    'Check which rows exist (petstore categories list), delete the journal, and import the rest.',
  );
}

/** Finds the journal of this import if petstore 0.1.0 has finished it: it renamed the journals of such. */
function findFinished({ stateFiles }: Context, path: string): string | undefined {
  const folder = dirname(path);
  const name = `${basename(path, '.journal')}.finished`;
  const isThere = reading(path, () => stateFiles.list(folder)).includes(name);
  return isThere ? join(folder, name) : undefined;
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
