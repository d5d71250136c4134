import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import type { Context } from '../context.ts';
import { FileFault } from '../disk/file-fault.ts';
import { saving } from '../disk/files.ts';
import { faultOfFolder, securePrivateFolder } from '../disk/private-folder.ts';
import { configFailure, type Failure, systemCode } from '../errors.ts';
import { commandOn } from '../text/shell.ts';
import { isoTime } from '../time.ts';
import type { Created, Mode } from './plan.ts';

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
  /** In ms since 1970. */
  readonly at: number;
  /** Ids of categories that looked like rows of the file before the import began: they are not ours. */
  readonly before: readonly string[];
};

/**
 * `sending`: requests may be in flight, and rows may be missing here. `idle`: neither, because the run waits for the limit or
 * has ended. `done`: nothing is left.
 */
type State = 'sending' | 'idle' | 'done';

type RowLine = Created | { readonly row: number; readonly unknown: true };
type Line = RowLine | { readonly state: State };

/** The lines of a journal, folded. */
export type Replayed = {
  readonly header: Header | undefined;
  readonly state: State;
  readonly created: ReadonlyMap<number, Created>;
  /** Rows whose outcome was unknown at some time: they come last, so that they hold up no others. */
  readonly tried: ReadonlySet<number>;
};

export type Journal = Replayed & {
  readonly path: string;
  readonly begin: (header: Header) => void;
  /** Not synced: after a power cut, the list of the service tells what is missing here. */
  readonly add: (line: RowLine) => void;
  /** Synced, with everything before it. */
  readonly setState: (state: State) => void;
  /** Deletes the file. What was created is still known here. */
  readonly remove: () => void;
  /** Deletes the file, and forgets what was created. */
  readonly startOver: () => void;
};

/** Opens the journal of an import, and cuts off what follows its last intact line. */
export function openJournal(context: Context, path: string, mode: Mode): Journal {
  const { stateFiles } = context;
  saving(path, () => securePrivateFolder(dirname(path), context.uid));
  const replayed = replay(context, path, mode);
  let { header, state } = replayed;
  const { created, tried, intact, isTorn } = replayed;
  // In one step: whoever opens it next would not see that something was cut off, which may have been `sending`.
  if (header && isTorn) stateFiles.write(path, `${intact}${JSON.stringify({ state })}\n`);
  let fault: Failure | undefined;

  return {
    path,
    get header() {
      return header;
    },
    get state() {
      return state;
    },
    created,
    tried,
    begin(first) {
      stateFiles.write(path, `${JSON.stringify(first)}\n`);
      header = first;
      state = 'idle';
    },
    add(line) {
      if ('unknown' in line) tried.add(line.row);
      else created.set(line.row, line);
      append(line);
    },
    setState(next) {
      if (next === state) return;
      append({ state: next });
      untilFault(() => stateFiles.sync(path));
      state = next;
    },
    remove,
    startOver() {
      remove();
      created.clear();
    },
  };

  function remove(): void {
    stateFiles.remove(path);
    header = undefined;
    state = 'idle';
  }

  function append(line: Line): void {
    untilFault(() => stateFiles.append(path, `${JSON.stringify(line)}\n`));
  }

  /** After a fault half a line may be there, and a reader would drop what follows it: nothing is written any more. */
  function untilFault(write: () => void): void {
    if (fault) throw fault;
    try {
      saving(path, write);
    } catch (error) {
      fault = error as Failure;
      throw error;
    }
  }
}

/** Reads a journal without changing it. */
export function readJournal(context: Context, path: string, mode: Mode): Replayed {
  const fault = reading(path, () => faultOfFolder(dirname(path), context.uid));
  if (fault) throw configFailure(fault.message, fault.fix, fault);
  return replay(context, path, mode);
}

/** Returns the path of the journal of an import, the same under whatever name the file is given. */
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
    const { header, state, created } = replay(context, other, 'ensure');
    const isOther = header?.path !== path || header.address !== address || header.mode !== mode;
    if (isOther || header.sha256 === sha256 || state === 'done') continue;
    throw configFailure(
      `the file has changed since its import was started at ${isoTime(header.at)}: ${created.size} of ${header.rows} rows created`,
      `Finish that import with the original file. To create every row of this one, even those that already exist, delete its journal: ${commandOn('rm', other)}`,
    );
  }
}

/** 100,000 rows take 4 MB, and as many ids that were there before take 2 MB. */
const maxJournalBytes = 256 * 1024 * 1024;

function replay(context: Context, path: string, mode: Mode) {
  const text =
    reading(path, () => context.stateFiles.read(path, maxJournalBytes))?.toString() ?? '';
  const created = new Map<number, Created>();
  const tried = new Set<number>();
  let header: Header | undefined;
  let state: State = text === '' ? 'idle' : 'sending';
  let intact = '';
  // Not `.`, which stops at U+2028: JSON leaves that in a name as it is.
  for (const [line] of text.matchAll(/[^\n]*\n/g)) {
    const entry = parse(line);
    if (!entry || 'sha256' in entry === (header !== undefined)) break;
    if ('sha256' in entry) {
      header = entry;
      state = 'idle';
    } else if ('state' in entry) state = entry.state;
    else if ('unknown' in entry) tried.add(entry.row);
    else created.set(entry.row, entry);
    intact += line;
  }
  const isTorn = intact.length < text.length;
  // The torn line may have been `sending`.
  if (isTorn) state = 'sending';
  if (mode === 'each' && !header) {
    const unusable = text === '' ? findFinished(context, path) : path;
    if (unusable !== undefined) throw unusableJournal(unusable);
  }
  return { header, state, created, tried, intact, isTorn };
}

/** Finds the journal of this import if petstore 0.1.0 has finished it: it renamed the journals of such. */
function findFinished({ stateFiles }: Context, path: string): string | undefined {
  const folder = dirname(path);
  const name = `${basename(path, '.journal')}.finished`;
  return reading(path, () => stateFiles.list(folder)).includes(name)
    ? join(folder, name)
    : undefined;
}

/** Without the ids that were there before, a category of the same content may be ours or not. */
function unusableJournal(path: string): Failure {
  return configFailure(
    `the journal of this import is damaged, or of an earlier version (${path})`,
    'Check which rows exist (petstore categories list), delete the journal, and import the rest.',
  );
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
