import { randomBytes } from 'node:crypto';
import type { Context, Engine } from '../../context.ts';
import { readClock } from '../clock.ts';
import type { ClockReading, Ledger, StoreMark } from '../ledger.ts';
import { accountOf, restrictsMore } from '../merge-account.ts';
import type { Entry } from '../records.ts';
import { absorb, baseOf, cursorOf, emptyReplica, isReplaced, lifetime } from './replica.ts';
import { readReply, storeScript } from './script.ts';
import { fromStore, toStore } from './translate.ts';

/** A log that machines share; times are this machine's. Each call is one command. @throws what the engine throws */
export type StoreLog = {
  readonly read: () => Promise<Ledger>;
  readonly append: (entry: Entry) => Promise<Ledger>;
  /** The log that it was at the last call. */
  readonly mark: () => StoreMark;
};

/** The store no longer has the log that it had, though it was asked to keep it for longer. Nothing was added. */
export class LostLog extends Error {}

/** So often a log can be made anew under our feet; beyond that this is no place for one. */
const tries = 10;

/** A log that is kept by a Redis or Valkey server under that name. All who use it fold the same lines in the same order. */
export function createStoreLog(
  engine: Engine,
  name: string,
  context: Pick<Context, 'now' | 'uptime' | 'boot' | 'owner'>,
): StoreLog {
  let replica = emptyReplica;
  /** By this machine's clock, what was known of a log that is gone, until the one in its place has merged it. */
  let unshared: Ledger | undefined;
  /** What the engine's clock shows more than this machine's. */
  let ahead = 0;

  return {
    mark: () => ({ epoch: replica.epoch, until: replica.keptUntil - ahead }),
    read: () => exchange(),
    append: exchange,
  };

  async function exchange(wanted?: Entry): Promise<Ledger> {
    for (let left = tries; left > 0; left -= 1) {
      const sent = replica;
      const gone = unshared;
      const news = gone && accountOf(gone, readClock(context), 0);
      const entry = news ?? wanted;
      const line = entry ? JSON.stringify(toStore(entry, context.now(), context)) : '';
      const fresh = randomBytes(8).toString('hex');
      const args = [line, baseOf(sent), fresh, String(lifetimeWith(entry))];
      const reply = readReply(await engine.run(storeScript, name, [...cursorOf(sent), ...args]));
      const clock = readClock(context);
      ahead = reply.now - clock.at;
      const lost = sent.epoch !== '' && reply.epoch !== sent.epoch && reply.now < sent.keptUntil;
      const before = isReplaced(replica, sent, reply) ? ledgerAt(reply.now, clock) : undefined;
      replica = absorb(replica, reply, fresh);
      const added = reply.epoch !== '' && reply.base === undefined;
      if (added && !(reply.lines.at(-1) ?? '').endsWith(line)) {
        throw new Error('a line that was written cannot be read back');
      }
      const current = ledgerAt(reply.now, clock);
      if (before && restrictsMore(accountOf(before, readClock(context), 0), current)) {
        unshared = before;
      } else if (added && unshared === gone) unshared = undefined;
      if (lost) throw new LostLog();
      if (news || before) continue;
      if (added || (line === '' && reply.epoch !== '')) return current;
    }
    throw new Error('the log keeps being replaced');
  }

  /** How long the log is needed, in s, with what that line tells. */
  function lifetimeWith(entry: Entry | undefined): number {
    const { block, latest = 0 } = replica.ledger;
    const known = (block?.until ?? 0) - latest;
    const heard = entry?.k === 'heard' ? (entry.ledger.block?.until ?? 0) - entry.at : 0;
    const requested = entry?.k === 'refused' ? (entry.wait ?? 0) : heard;
    return lifetime + Math.ceil(Math.max(0, known, requested) / 1_000);
  }

  function ledgerAt(now: number, clock: ClockReading): Ledger {
    return fromStore(replica.ledger, now, clock, context);
  }
}
