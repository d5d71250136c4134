import type { Context } from '../../context.ts';
import { followClock, readClock } from '../clock.ts';
import type { Ledger, StoreMark } from '../ledger.ts';
import { restrictsMore, shareable } from '../merge-account.ts';
import type { Account } from '../records.ts';
import type { SharedLog } from '../shared-log.ts';

type Clock = Pick<Context, 'now' | 'uptime' | 'boot' | 'random'>;

/** How much later a log has to last before that alone is written down, in ms. */
const worthALine = 3_600_000;

/** What a ledger by this machine's clock has to say to another log now; requests on their way count as spent. */
export function hearsay(ledger: Ledger, context: Clock): Account {
  const clock = readClock(context);
  const shared = shareable(followClock(ledger, clock));
  return { k: 'heard', ...clock, ledger: shared, jitter: context.random() };
}

/**
 * Adds what the store told to the log of this machine: who starts when the store is gone or has lost it goes by that.
 * @returns the ledger of this machine
 */
export async function mirror(
  there: Ledger,
  store: StoreMark,
  alone: SharedLog,
  context: Clock,
): Promise<Ledger> {
  const { ledger, ...heard } = hearsay({ ...there, inFlight: {} }, context);
  const line = { ...heard, ledger: { ...ledger, cleared: there.cleared }, store };
  const own = await alone.read();
  const known = own.store;
  const isOther = known && (known.epoch !== store.epoch || known.until + worthALine < store.until);
  return restrictsMore(line, own) || isOther ? alone.append(line) : own;
}

/** Whether the store has another log than the one that told this machine something, before that could run out. */
export function hasLostLog({ epoch }: StoreMark, own: Ledger, now: number): boolean {
  return own.store !== undefined && own.store.epoch !== epoch && now < own.store.until;
}
