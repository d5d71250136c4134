import type { Entry, Header } from './records.ts';

/** What the lines of a journal come to. Changes in place: there may be a hundred thousand rows. */
export type JournalState = {
  header: Header | undefined;
  /** Rows that were created, with their id, and their name where the service changed it. */
  readonly done: Map<number, { readonly id: string; readonly as: string | undefined }>;
  /** Rows that may have been sent and whose outcome is unknown. */
  readonly open: Set<number>;
  /** Rows that were sent before, whatever became of it. */
  readonly tried: Set<number>;
  /** Rows that the service refused when they were last sent. */
  readonly refused: Map<number, Refusal>;
  /** Ids that are not ours. */
  readonly foreign: Set<string>;
  /** The last look at the list has shown all rows. */
  finished: boolean;
};

export type Refusal = {
  readonly status: number;
  readonly code?: string;
  readonly message?: string;
};

export function emptyState(): JournalState {
  return {
    header: undefined,
    done: new Map(),
    open: new Set(),
    tried: new Set(),
    refused: new Map(),
    foreign: new Set(),
    finished: false,
  };
}

/** Takes one more line into account. */
export function fold(state: JournalState, entry: Entry): void {
  const { done, open, refused, foreign, tried } = state;
  switch (entry.k) {
    case 'h':
      state.header ??= entry;
      break;
    case 'b':
      for (const id of entry.ids) foreign.add(id);
      break;
    case 'i':
      open.add(entry.row);
      tried.add(entry.row);
      refused.delete(entry.row);
      state.finished = false;
      break;
    case 'u':
      open.add(entry.row);
      break;
    case 'd':
      open.delete(entry.row);
      done.set(entry.row, { id: entry.id, as: entry.as });
      break;
    case 'n':
      open.delete(entry.row);
      done.delete(entry.row);
      break;
    case 'r': {
      const { k, row, ...refusal } = entry;
      open.delete(row);
      refused.set(row, refusal);
      break;
    }
    case 'e':
      state.finished = true;
  }
}
