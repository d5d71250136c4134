import type { Context } from '../context.ts';
import { followClock, readClock } from './clock.ts';
import { fold } from './fold.ts';
import { summary, tellsMore } from './hear.ts';
import { emptyLedger, type Ledger } from './ledger.ts';
import type { Log } from './log.ts';
import type { Place } from './place.ts';
import type { Heard } from './records.ts';

/** A log of this process alone. */
function createMemoryLog(ledger: Ledger = emptyLedger): Log {
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
 * A log that never fails. When a place cannot be used (any more) the next one is; when none can, it goes on in memory. What is
 * known goes along: a new place begins with it, and one that others use hears of it.
 * @param onMove hears each time that another place is used than before, why the first one is not, and which one is, if any
 */
export function surviveDisk(
  context: Pick<Context, 'now' | 'uptime' | 'boot' | 'random'>,
  places: readonly Place[],
  onMove: (error: unknown, from: string, to: string | undefined) => void,
): Log {
  let known = emptyLedger;
  let log: Log | undefined;
  let [used]: readonly (Place | undefined)[] = places;
  /** Why the first place is not used. */
  let reason: unknown;

  return {
    read: () => use(({ read }) => read()),
    append: (...entries) => use(({ append }) => append(...entries)),
  };

  function use(action: (log: Log) => Ledger): Ledger {
    if (log && attempt(log, action)) return known;
    const before = used;
    log = openFirst(action);
    if (!log) {
      log = createMemoryLog(known);
      known = action(log);
    }
    if (used !== before) onMove(reason, places[0]?.folder ?? '', used?.folder);
    return known;
  }

  /** One after another: a place that is not needed is not even made. */
  function openFirst(action: (log: Log) => Ledger): Log | undefined {
    for (const place of places) {
      used = place;
      try {
        const opened = open(place);
        known = action(opened);
        return opened;
      } catch (error) {
        if (place === places[0]) reason = error;
      }
    }
    used = undefined;
    return undefined;
  }

  function attempt(place: Log, action: (log: Log) => Ledger): boolean {
    try {
      known = action(place);
      return true;
    } catch {
      return false;
    }
  }

  function open(place: Place): Log {
    const opened = place.open(known);
    if (known.latest === undefined) return opened;
    const clock = readClock(context);
    const ledger = summary(followClock(known, clock));
    const heard: Heard = { k: 'heard', ...clock, ledger, jitter: context.random() };
    if (tellsMore(heard, followClock(opened.read(), clock))) opened.append(heard);
    return opened;
  }
}
