import type { Context } from '../context.ts';
import type { Ledger } from './ledger.ts';
import type { Log } from './log.ts';
import type { Entry } from './records.ts';
import type { SharedLog } from './shared-log.ts';

/**
 * The log, with one write and one look for all that this process has to say and wants to know at a time: what a busy network
 * brings at once is a single step on the disk. Each line is still one of its own.
 */
export function inBatches(log: Log, { turn }: Pick<Context, 'turn'>): SharedLog {
  let entries: Entry[] = [];
  let next: Promise<Ledger> | undefined;

  return {
    read: () => join(),
    append: (entry) => join(entry),
  };

  function join(...more: Entry[]): Promise<Ledger> {
    entries.push(...more);
    next ??= turn().then(step);
    return next;
  }

  function step(): Ledger {
    const added = entries;
    entries = [];
    next = undefined;
    return added.length > 0 ? log.append(...added) : log.read();
  }
}
