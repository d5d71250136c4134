import type { Context } from '../context.ts';
import { isNamed } from '../disk/owner.ts';
import { guard } from './decide.ts';
import type { ClockReading, Lease, Ledger } from './ledger.ts';

/** Lines of several processes may be out of order by this much, in ms; more than that, and the clock was set back. */
export const step = 5_000;
/** Farther than any clock is wrong. */
const unbounded = 10 * 366 * 86_400_000;

/** What the clock of this machine shows now. */
export function readClock({
  now,
  uptime,
  boot,
}: Pick<Context, 'now' | 'uptime' | 'boot'>): ClockReading {
  const at = now();
  return { at, boot: { id: boot, at: Math.round(at - uptime()) } };
}

/** Whether the clock was set back since the last line, by nobody knows how much; then a line has to say so. */
export function wentBack(ledger: Ledger, reading: ClockReading): boolean {
  const { latest } = ledger;
  return !isSameBoot(ledger, reading) && latest !== undefined && reading.at < latest - step;
}

/**
 * The ledger as the clock shows it now. If the clock was set since the last line, forward or back, every time by it is moved
 * along, so that no wait gets shorter or longer. Where nobody knows by how much it was set back, it is as if no time had
 * passed since: no wait is shortened, and none lasts longer than it was meant to.
 */
export function followClock(ledger: Ledger, reading: ClockReading): Ledger {
  const { at, boot } = reading;
  const by = setBy(ledger, reading);
  const latest = Math.max((ledger.latest ?? at) + by, at);
  // What it is slowly adjusted by adds up until it counts.
  if (by === 0 && isSameBoot(ledger, reading))
    return latest === ledger.latest ? ledger : { ...ledger, latest };
  if (by === 0) return { ...ledger, latest, boot: boot ?? ledger.boot };
  return { ...moveLedger(withOffset(ledger), by), latest, boot };
}

/** The ledger as it stands where nobody told the time of the service: its clock is taken to show what this one does. */
export function withOffset(ledger: Ledger): Ledger {
  return ledger.offset ? ledger : { ...ledger, offset: { low: 0, high: unbounded } };
}

/** The ledger by a clock that shows `by` ms more. */
export function moveLedger(ledger: Ledger, by: number): Ledger {
  const { offset, block, counted, others, apart, store, workedAt, cleared, latest } = ledger;
  return {
    ...ledger,
    offset: offset && { low: offset.low - by, high: offset.high - by },
    inFlight: Object.fromEntries(
      Object.entries(ledger.inFlight).map(([id, lease]) => [id, moveLease(lease, by)]),
    ),
    block: block && { ...block, since: block.since + by, until: block.until + by },
    counted: counted && { ...counted, since: counted.since + by },
    others: others && { ...others, until: others.until + by },
    apart: apart && { ...apart, until: apart.until + by, seen: apart.seen + by },
    store: store && { ...store, until: store.until + by, at: store.at + by },
    workedAt: moveTime(workedAt, by),
    cleared: moveTime(cleared, by),
    latest: moveTime(latest, by),
  };
}

function moveTime(time: number | undefined, by: number): number | undefined {
  return time === undefined ? undefined : time + by;
}

/** What the clock shows more than it would had nobody set it since the last line, in ms. */
function setBy(ledger: Ledger, reading: ClockReading): number {
  if (wentBack(ledger, reading)) return reading.at - (ledger.latest ?? reading.at);
  if (!isSameBoot(ledger, reading)) return 0;
  const by = (reading.boot?.at ?? 0) - (ledger.boot?.at ?? 0);
  return Math.abs(by) > guard ? by : 0;
}

function isSameBoot({ boot: known, latest = 0 }: Ledger, { at, boot }: ClockReading): boolean {
  if (boot === undefined || known?.id !== boot.id) return false;
  if (isNamed(boot.id)) return true;
  // A start since the last line would be later by the clock, or the machine would have run for less time.
  return boot.at <= latest + step && at - boot.at >= latest - known.at - step;
}

function moveLease(lease: Lease, by: number): Lease {
  const { at, until, block } = lease;
  return { ...lease, at: at + by, until: until + by, block: block && block + by };
}
