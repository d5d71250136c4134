import type { Lease, Ledger } from './ledger.ts';

/** Lines of several processes may be out of order by this much, in ms; more than that, and the clock was set back. */
const step = 5_000;
/** Farther than any clock is wrong. */
const unbounded = 10 * 366 * 86_400_000;

/** Whether this machine's clock was set back since the last line; then a line has to say so. */
export function wentBack({ latest }: Ledger, at: number): boolean {
  return latest !== undefined && at < latest - step;
}

/**
 * The ledger at `at`. If our clock was set back since the last line, every time by it is moved along as if no time had
 * passed since: no wait is shortened, and none lasts longer than it was meant to.
 */
export function followClock(ledger: Ledger, at: number): Ledger {
  const { latest } = ledger;
  if (latest === undefined || !wentBack(ledger, at)) {
    return { ...ledger, latest: Math.max(latest ?? at, at) };
  }
  const back = latest - at;
  const { offset = { low: 0, high: unbounded }, block, counted, others, workedAt } = ledger;
  return {
    ...ledger,
    latest: at,
    offset: { low: offset.low + back, high: offset.high + back },
    inFlight: Object.fromEntries(
      Object.entries(ledger.inFlight).map(([id, lease]) => [id, moveLease(lease, back)]),
    ),
    block: block && { ...block, since: block.since - back, until: block.until - back },
    counted: counted && { ...counted, since: counted.since - back },
    others: others && { ...others, until: others.until - back },
    workedAt: workedAt && workedAt - back,
  };
}

function moveLease(lease: Lease, back: number): Lease {
  const { at, until, block } = lease;
  return { ...lease, at: at - back, until: until - back, block: block && block - back };
}
