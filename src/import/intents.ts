import type { Job } from './job.ts';

/** So many rows beyond those in flight may have their intent on disk; where only half of them are left, the next ones follow. */
const mostAhead = 64;

/** What may be sent, on disk before it is. */
export type Intents = {
  /** The next row, as it becomes the turn of one that sends. */
  readonly take: () => number | undefined;
  /** Resolves when the intent of a row that was taken is on disk. @throws Failure (output) */
  readonly write: (row: number) => Promise<void>;
  /** Whether a row that was taken has an intent ahead, which this takes back. */
  readonly drop: (row: number) => void;
  /** The service lets so many more requests through. */
  readonly allow: (left: number) => void;
  /** Takes back the intents of all rows that are not about to be sent: it may be long until they are. */
  readonly withdraw: () => void;
};

/**
 * Writes intents to the journal, those of the next rows along with one that is needed now: then one commit serves many rows,
 * and most wait for none. A row with an intent that was never sent is looked up after a kill, like one whose response was
 * lost; so none has one while the limit is waited for.
 * @param mayBeSent false for a row that will never be
 */
export function createIntents(
  { context, journal }: Pick<Job, 'context' | 'journal'>,
  rows: readonly number[],
  mayBeSent: (row: number) => boolean,
): Intents {
  /** Rows with an intent that are not about to be sent yet, and its commit. */
  const ahead = new Map<number, Promise<void>>();
  let taken = 0;
  /** Those before it have an intent or need none ahead. */
  let written = 0;
  let allowed = 0;

  return {
    take() {
      taken += 1;
      return rows[taken - 1];
    },
    write(row) {
      const known = ahead.get(row);
      ahead.delete(row);
      if (!known) add(row);
      const more = writeAhead();
      return known ?? more ?? commit();
    },
    drop(row) {
      if (ahead.delete(row)) journal.add({ k: 'n', row });
    },
    allow(left) {
      allowed = left;
    },
    withdraw() {
      allowed = 0;
      written = 0;
      for (const row of ahead.keys()) journal.add({ k: 'n', row });
      ahead.clear();
    },
  };

  function add(row: number): void {
    journal.add({ k: 'i', row, at: context.now() });
  }

  function writeAhead(): Promise<void> | undefined {
    const most = Math.min(mostAhead, allowed);
    if (ahead.size > most / 2) return undefined;
    const next: number[] = [];
    for (written = Math.max(written, taken); written < rows.length; written += 1) {
      if (ahead.size + next.length >= most) break;
      const row = rows[written] as number;
      if (mayBeSent(row)) next.push(row);
    }
    if (next.length === 0) return undefined;
    for (const row of next) add(row);
    const committed = commit();
    // Who needs it awaits it; a row that is never sent does not.
    committed.catch(() => {});
    for (const row of next) ahead.set(row, committed);
    return committed;
  }

  /** Rows that were granted together share a commit. */
  async function commit(): Promise<void> {
    await context.turn();
    await journal.commit();
  }
}
