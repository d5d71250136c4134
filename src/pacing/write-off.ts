import type { Context } from '../context.ts';
import type { Ledger } from './ledger.ts';
import type { Log } from './log.ts';

/** How often the system is asked whether processes still run, in ms. */
const interval = 1_000;

/**
 * Finds requests on their way whose process has ended without a word, and writes them off as lost, so that nobody waits for
 * their leases. Looks about once a second, and not in between.
 * @returns whether it found any
 */
export function createWriteOff(
  log: Log,
  { isRunning, now }: Pick<Context, 'isRunning' | 'now'>,
): (ledger: Ledger) => boolean {
  let looked: number | undefined;

  return ({ inFlight }) => {
    const at = now();
    // A clock that was set back must not put the next look off.
    if (looked !== undefined && at >= looked && at < looked + interval) return false;
    looked = at;
    const lost = Object.entries(inFlight).filter(([, { owner }]) => owner && !isRunning(owner));
    for (const [id] of lost) log.append({ k: 'lost', id, at });
    return lost.length > 0;
  };
}
