import type { Context } from '../../context.ts';
import { readClock } from '../clock.ts';
import type { Ledger, StoreMark } from '../ledger.ts';
import type { SharedLog } from '../log.ts';
import { accountOf, restrictsMore } from '../merge-account.ts';

/** How much later a log has to last before that alone is written down, in ms. */
const worthALine = 3_600_000;

/**
 * Adds what the store told to the log of this machine: who starts when the store is gone or has lost it goes by that.
 * @returns the ledger of this machine
 */
export async function mirror(
  there: Ledger,
  store: StoreMark,
  local: SharedLog,
  context: Pick<Context, 'now' | 'uptime' | 'boot' | 'random'>,
): Promise<Ledger> {
  const account = accountOf({ ...there, inFlight: {} }, readClock(context), context.random());
  const line = { ...account, ledger: { ...account.ledger, cleared: there.cleared }, store };
  const own = await local.read();
  const known = own.store;
  const isOther = known && (known.epoch !== store.epoch || known.until + worthALine < store.until);
  return restrictsMore(line, own) || isOther ? local.append(line) : own;
}

/** Whether the store has another log than the one that told this machine something, before that could run out. */
export function hasLostLog({ epoch }: StoreMark, own: Ledger, now: number): boolean {
  return own.store !== undefined && own.store.epoch !== epoch && now < own.store.until;
}
