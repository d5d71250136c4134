import type { AppendFile } from '../disk/append-file.ts';
import { cannotSave, saving } from '../disk/files.ts';
import { configFailure, type Failure } from '../errors.ts';
import { emptyState, fold, type JournalState } from './journal-state.ts';
import { type Entry, formatEntry, parseEntry } from './records.ts';

/** What an import must not forget, one checked line a step. */
export type Journal = {
  readonly path: string;
  /** What all lines so far come to. */
  readonly state: JournalState;
  /** Adds a line, which lasts after the next commit. */
  readonly add: (entry: Entry) => void;
  /** Resolves when all that was added would survive a power cut. Commits that wait share one. @throws Failure (output) */
  readonly commit: () => Promise<void>;
  readonly close: () => void;
};

/** Longest journal, in bytes: that of five million rows, which are fifty days on the largest plan. */
export const longest = 512 * 1024 * 1024;

/**
 * Opens a journal, to go on with what it tells. What follows its last good line was torn, and is cut off.
 * @throws Failure (output) when the file cannot be used, Failure (config) when its beginning is damaged
 */
export function openJournal(open: (path: string) => AppendFile, path: string): Journal {
  const { file, state } = openReplayed(open, path);
  let added = '';
  let writing: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | undefined;
  let broken: Failure | undefined;

  return {
    path,
    state,
    add(entry) {
      fold(state, entry);
      added += formatEntry(entry);
    },
    commit() {
      next ??= writing.then(write);
      return next;
    },
    close: () => file.close(),
  };

  function write(): Promise<void> {
    next = undefined;
    const written = append();
    writing = written.catch(() => {});
    return written;
  }

  async function append(): Promise<void> {
    if (broken) throw broken;
    if (added === '') return;
    const bytes = Buffer.from(added);
    added = '';
    try {
      await file.append(bytes);
    } catch (error) {
      // Half a line may stand there now: nothing may follow it.
      broken = cannotSave(path, error);
      throw broken;
    }
  }
}

function openReplayed(open: (path: string) => AppendFile, path: string) {
  return saving(path, () => {
    const file = open(path);
    const { state, length } = replay(file.read(longest + 1), path);
    file.cut(length);
    return { file, state };
  });
}

/**
 * What the bytes of a journal come to, and where its last good line ends. A damaged line in between is passed over where the
 * list makes up for what it told.
 * @throws Failure (config) when it does not, when the first line is missing, or when a later version wrote it
 */
export function replay(bytes: Uint8Array, path: string): { state: JournalState; length: number } {
  if (bytes.length > longest) throw damaged(path, ': larger than 512 MiB');
  const state = emptyState();
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let length = 0;
  let start = 0;
  let hole = false;
  for (let end = buffer.indexOf('\n'); end >= 0; end = buffer.indexOf('\n', start)) {
    const entry = parseEntry(buffer.toString('utf8', start, end));
    hole ||= entry !== undefined && start > length;
    start = end + 1;
    if (entry === undefined) continue;
    if (entry === 'newer') throw newer(path);
    fold(state, entry);
    length = start;
  }
  const { header } = state;
  if (length > 0 && (!header || (hole && header.mode === 'each'))) throw damaged(path);
  return { state, length };
}

function newer(path: string): Failure {
  const message = `the journal of this import was written by a newer version of petstore (${path})`;
  return configFailure(message, 'Resume it with that version.');
}

/** Where every row counts, a category of the same content may be ours or not: only a whole journal tells. */
function damaged(path: string, how = ''): Failure {
  return configFailure(
    `the journal of this import is damaged${how} (${path})`,
    'Check which rows exist (petstore categories list), delete the journal, and import the rest.',
  );
}
