import { fold } from './fold.ts';
import { emptyLedger, type Ledger } from './ledger.ts';
import type { Log } from './log.ts';

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
 * A log that never fails. When a place cannot be used (any more) the next one is; when none can, it goes on in memory and
 * `onFailure` hears of it. What is known goes along, unless others have been there before and know more.
 */
export function surviveDisk(places: readonly (() => Log)[], onFailure: () => void): Log {
  let known = emptyLedger;
  let log: Log | undefined;

  return {
    read: () => use(({ read }) => read()),
    append: (...entries) => use(({ append }) => append(...entries)),
  };

  function use(action: (log: Log) => Ledger): Ledger {
    if (!log || !attempt(log, action)) {
      log = openFirst(action);
      if (!log) {
        log = createMemoryLog(known);
        known = action(log);
        onFailure();
      }
    }
    return known;
  }

  /** One after another: a place that is not needed is not even made. */
  function openFirst(action: (log: Log) => Ledger): Log | undefined {
    for (const open of places) {
      const place = openCarefully(open);
      if (place && attempt(place, action)) return place;
    }
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

  function openCarefully(open: () => Log): Log | undefined {
    try {
      const place = open();
      const isNew = place.read().latest === undefined;
      if (isNew && known.latest !== undefined) place.append({ k: 'ledger', ledger: known });
      return place;
    } catch {
      return undefined;
    }
  }
}
