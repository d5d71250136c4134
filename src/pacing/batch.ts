import type { Context } from '../context.ts';
import { readClock } from './clock.ts';
import type { ClockReading, Ledger } from './ledger.ts';
import type { Log, SharedLog } from './log.ts';
import type { Entry } from './records.ts';

/**
 * The log, with one write and one look for all that this process has to say and wants to know at a time: what a busy network
 * brings at once is a single step on the disk. Each line is still one of its own.
 */
export function inBatches(
  log: Log,
  context: Pick<Context, 'turn' | 'now' | 'uptime' | 'boot'>,
): SharedLog {
  let entries: Entry[] = [];
  let next: Promise<Ledger> | undefined;

  return {
    read: () => join(),
    append: (entry) => join(entry),
  };

  function join(...more: Entry[]): Promise<Ledger> {
    entries.push(...more);
    next ??= context.turn().then(step);
    return next;
  }

  function step(): Ledger {
    const added = entries;
    entries = [];
    next = undefined;
    if (added.length === 0) return log.read();
    const clock = readClock(context);
    return log.append(...added.map((entry) => stamp(entry, clock)));
  }
}

/** The line with what the clock shows as it is written: one that comes late would look as if the clock had been set back. */
function stamp(entry: Entry, clock: ClockReading): Entry {
  if (entry.k === 'seal' || entry.k === 'ledger') return entry;
  if (!('sent' in entry) || entry.at >= clock.at) return { ...entry, ...clock };
  return { ...entry, ...clock, received: entry.at };
}
