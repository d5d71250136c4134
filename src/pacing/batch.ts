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
  /** What the log said in this turn of the event loop, in which nothing else is read. */
  let current: Ledger | undefined;

  return {
    read: () => (entries.length === 0 && current) || join(),
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
    const clock = readClock(context);
    const ledger =
      added.length === 0 ? log.read() : log.append(...added.map((entry) => stamp(entry, clock)));
    current = ledger;
    void context.turn().then(() => {
      current = undefined;
    });
    return ledger;
  }
}

/** The line with what the clock shows as it is written: one that comes late would look as if the clock had been set back. */
function stamp(entry: Entry, clock: ClockReading): Entry {
  if (entry.k === 'seal' || entry.k === 'ledger') return entry;
  const { at, boot } = clock;
  if (!('sent' in entry) || entry.at >= at) return { ...entry, at, boot };
  return { ...entry, at, boot, received: entry.at };
}
