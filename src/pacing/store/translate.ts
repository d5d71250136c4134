import type { Context } from '../../context.ts';
import type { Owner } from '../../disk/owner.ts';
import { followClock, moveLedger, step, withOffset } from '../clock.ts';
import type { ClockReading, Ledger } from '../ledger.ts';
import type { Entry } from '../records.ts';

type ThisMachine = Pick<Context, 'owner' | 'boot'>;

/** The entry for other machines: times are as they are to the moment of sending, `now`, and an owner has its machine. */
export function toStore(entry: Entry, now: number, here: ThisMachine): Entry {
  const moved = moveEntry(entry, -now, undefined);
  return moved.k === 'ask' && moved.owner
    ? { ...moved, owner: qualified(moved.owner, here) }
    : moved;
}

/** The same entry by the clock of the engine, which showed `now` when it came; `before` is the ledger that it is folded into. */
export function byEngine(entry: Entry, before: Ledger, now: number): Entry {
  return moveEntry(entry, now, engineReading(before, now).boot);
}

/**
 * A ledger by the engine's clock, which showed `now`, by that of this machine as it was read when the answer had come; requests
 * of its own processes are known as such.
 */
export function fromStore(
  ledger: Ledger,
  now: number,
  clock: ClockReading,
  here: ThisMachine,
): Ledger {
  const current = withOffset(followClock(ledger, engineReading(ledger, now)));
  // It came later than it was told, so that no wait gets shorter.
  const moved = moveLedger(current, clock.at - now);
  const inFlight = Object.entries(moved.inFlight).map(([id, lease]) => {
    return [id, { ...lease, owner: lease.owner && unqualified(lease.owner, here) }];
  });
  return { ...moved, inFlight: Object.fromEntries(inFlight), boot: clock.boot };
}

/** Machines may have the same name: a process is known by that of this start of its machine as well. */
function qualified(owner: Owner, { boot }: ThisMachine): Owner {
  return { ...owner, host: `${owner.host} ${boot}` };
}

function unqualified(owner: Owner, here: ThisMachine): Owner {
  const { host } = here.owner;
  return owner.host === qualified(here.owner, here).host ? { ...owner, host } : owner;
}

/** The entry by another clock, which shows `by` ms more; `boot` is that of the other one. */
function moveEntry(entry: Entry, by: number, boot: ClockReading['boot']): Entry {
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
function engineReading({ latest = 0, boot }: Ledger, now: number): ClockReading {
  const back = now < latest - step ? now - latest : 0;
  return { at: now, boot: { id: 'engine', at: (boot?.at ?? 0) + back } };
}
