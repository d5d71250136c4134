import type { Context } from '../context.ts';
import { followClock, readClock } from './clock.ts';
import { fold } from './fold.ts';
import { emptyLedger, type Ledger } from './ledger.ts';
import type { Log } from './log.ts';
import type { LogFolder } from './log-folders.ts';
import { accountOf, restrictsMore } from './merge-account.ts';

/** A log of this process alone. */
function createMemoryLog(ledger: Ledger): Log {
  let current = ledger;
  return {
    read: () => current,
    append: (...entries) => {
      current = entries.reduce(fold, current);
      return current;
    },
  };
}

/**
 * A log that never fails. When a folder cannot be used (any more) the next one is; when none can, it goes on in memory. What is
 * known goes along: a new log begins with it, and one that others use merges it.
 * @param onMove called each time that another folder is used than before: why the first one is not, and which one is, if any
 */
export function createFailoverLog(
  context: Pick<Context, 'now' | 'uptime' | 'boot' | 'random'>,
  folders: readonly LogFolder[],
  onMove: (error: unknown, from: string, to: string | undefined) => void,
): Log {
  let known = emptyLedger;
  let log: Log | undefined;
  let [used]: readonly (LogFolder | undefined)[] = folders;
  /** Why the first folder is not used. */
  let reason: unknown;

  return {
    read: () => use(({ read }) => read()),
    append: (...entries) => use(({ append }) => append(...entries)),
  };

  function use(action: (log: Log) => Ledger): Ledger {
    const current = log;
    if (current && attempt(() => current)) return known;
    const before = used;
    // One after another: a folder that is not needed is not even made.
    used = folders.find((folder) => attempt(() => open(folder), folder === folders[0]));
    if (!used) attempt(() => createMemoryLog(known));
    if (used !== before) onMove(reason, folders[0]?.path ?? '', used?.path);
    return known;

    function attempt(take: () => Log, isFirst = false): boolean {
      try {
        const taken = take();
        known = action(taken);
        log = taken;
        return true;
      } catch (error) {
        if (isFirst) reason = error;
        return false;
      }
    }
  }

  function open(folder: LogFolder): Log {
    const opened = folder.open(known);
    if (known.latest === undefined) return opened;
    const clock = readClock(context);
    const account = accountOf(known, clock, context.random());
    if (restrictsMore(account, followClock(opened.read(), clock))) opened.append(account);
    return opened;
  }
}
