import { followClock, moveLedger, step, withOffset } from '../clock.ts';
import type { Ledger, Reading } from '../ledger.ts';
import type { Entry } from '../records.ts';

/** The entry with its times as they are to the moment of sending, `now`: no clock is told. */
export function withoutClock(entry: Entry, now: number): Entry {
  return moveEntry(entry, -now, undefined);
}

/** The same entry by the clock of the engine, which showed `now` when it came; `before` is the ledger that it is folded into. */
export function byEngine(entry: Entry, before: Ledger, now: number): Entry {
  return moveEntry(entry, now, engineReading(before, now).boot);
}

/** A ledger by the engine's clock, which showed `now`, by that of this machine as it was read when the answer had come. */
export function byMachine(ledger: Ledger, now: number, clock: Reading): Ledger {
  const current = withOffset(followClock(ledger, engineReading(ledger, now)));
  // It came later than it was told, so that no wait gets shorter.
  return { ...moveLedger(current, clock.at - now), boot: clock.boot };
}

/** The entry by another clock, which shows `by` ms more; `boot` is that of the other one. */
function moveEntry(entry: Entry, by: number, boot: Reading['boot']): Entry {
  switch (entry.k) {
    case 'seal':
    case 'ledger':
      return entry;
    case 'ask':
      return { ...entry, at: entry.at + by, lease: entry.lease + by, boot };
    case 'answer':
    case 'refused':
      return { ...entry, at: entry.at + by, sent: entry.sent + by, boot };
    case 'heard':
      return { ...entry, at: entry.at + by, ledger: moveLedger(entry.ledger, by), boot };
    default:
      return { ...entry, at: entry.at + by, boot };
  }
}

/** What the engine's clock shows. When it was set nobody tells; that it was set back shows, and by how much in all is kept. */
function engineReading({ latest = 0, boot }: Ledger, now: number): Reading {
  const back = now < latest - step ? now - latest : 0;
  return { at: now, boot: { id: 'engine', at: (boot?.at ?? 0) + back } };
}
