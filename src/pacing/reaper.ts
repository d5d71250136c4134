import type { Context } from '../context.ts';
import { readClock } from './clock.ts';
import type { Ledger } from './ledger.ts';
import type { SharedLog } from './log.ts';

/** How often the system is asked whether processes still run, in ms. */
const interval = 1_000;

/**
 * Finds requests on their way whose process has ended without a word, and writes them off as lost, so that nobody waits for
 * their leases. Looks about once a second, and not in between.
 * @returns whether it found any
 */
export function createReaper(
  log: SharedLog,
  context: Pick<Context, 'isRunning' | 'now' | 'uptime' | 'boot'>,
): (ledger: Ledger) => Promise<boolean> {
  let looked: number | undefined;

  return async ({ inFlight }) => {
    const at = context.uptime();
    if (looked !== undefined && at < looked + interval) return false;
    looked = at;
    const lost = Object.entries(inFlight).filter(
      ([, { owner }]) => owner && !context.isRunning(owner),
    );
    for (const [id] of lost) await log.append({ k: 'lost', id, ...readClock(context) });
    return lost.length > 0;
  };
}
