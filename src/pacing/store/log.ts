import { randomBytes } from 'node:crypto';
import type { Context, Engine } from '../../context.ts';
import { followClock, readClock } from '../clock.ts';
import { fold } from '../fold.ts';
import { emptyLedger, type Ledger, type Reading, type StoreMark } from '../ledger.ts';
import { restrictsMore, shareable } from '../merge-account.ts';
import { type Account, type Entry, parseEntry } from '../records.ts';
import { byEngine, byMachine, withoutClock } from './engine-time.ts';
import { qualifyOwner, unqualifyOwners } from './machine-owner.ts';
import { readReply, type StoreReply, storeScript } from './script.ts';

/** A log that machines share; times are this machine's. Each call is one command. @throws what the engine throws */
export type StoreLog = {
  readonly read: () => Promise<Ledger>;
  readonly append: (entry: Entry) => Promise<Ledger>;
  /** The log that it was at the last call. */
  readonly mark: () => StoreMark;
};

/** The store no longer has the log that it had, though it was asked to keep it for longer. Nothing was added. */
export class LostLog extends Error {}

/** How long a key is kept that nobody uses, beyond the end of a wait, in s. */
const lifetime = 90_000;
/** More lines than these are folded into a new base, so that who comes new reads no more. */
const mostLines = 64;
/** So often a log can be made anew under our feet; beyond that this is no place for one. */
const tries = 10;

/** A log that is kept by a Redis or Valkey server under that name. All who use it fold the same lines in the same order. */
export function createStoreLog(
  engine: Engine,
  name: string,
  context: Pick<Context, 'now' | 'uptime' | 'boot' | 'owner'>,
): StoreLog {
  let epoch = '';
  let first = 0;
  let position = 0;
  /** When the line before the position came; it tells a log that lost lines and has others now. */
  let stamp = '';
  /** By the engine's clock. */
  let ledger: Ledger = emptyLedger;
  /** By this machine's clock, what was known of a log that is gone, until the one in its place has heard it. */
  let unshared: Ledger | undefined;
  /** Until when it is surely kept there, by the engine's clock, and what that shows more than this machine's. */
  let keptUntil = 0;
  let ahead = 0;

  return {
    mark: () => ({ epoch, until: keptUntil - ahead }),
    read: () => exchange(),
    append: exchange,
  };

  async function exchange(wanted?: Entry): Promise<Ledger> {
    for (let left = tries; left > 0; left -= 1) {
      const gone = unshared;
      const news = gone && accountOf(gone);
      const entry = news ?? wanted;
      const line = entry ? lineOf(entry) : '';
      const fresh = randomBytes(8).toString('hex');
      const cursor = [epoch, String(position), stamp];
      const until = keptUntil;
      const args = [...cursor, line, knowledge(), fresh, String(lifetimeWith(entry))];
      const reply = readReply(await engine.run(storeScript, name, args));
      const clock = readClock(context);
      ahead = reply.now - clock.at;
      const lost = cursor[0] !== '' && reply.epoch !== cursor[0] && reply.now < until;
      const before = isReplaced(reply, cursor) ? byMachine(ledger, reply.now, clock) : undefined;
      const added = absorb(reply, fresh);
      if (added && !(reply.lines.at(-1) ?? '').endsWith(line)) {
        throw new Error('what is written there is not there to be read');
      }
      if (before && restrictsMore(accountOf(before), ofMachine(reply.now, clock)))
        unshared = before;
      else if (added && unshared === gone) unshared = undefined;
      if (lost) throw new LostLog();
      if (news || before) continue;
      if (added || (line === '' && reply.epoch !== '')) return ofMachine(reply.now, clock);
    }
    throw new Error('the log does not stay');
  }

  /** How long the log is needed, in s, with what that line tells. */
  function lifetimeWith(entry: Entry | undefined): number {
    const { block, latest = 0 } = ledger;
    const known = (block?.until ?? 0) - latest;
    const heard = entry?.k === 'heard' ? (entry.ledger.block?.until ?? 0) - entry.at : 0;
    const requested = entry?.k === 'refused' ? (entry.wait ?? 0) : heard;
    return lifetime + Math.ceil(Math.max(0, known, requested) / 1_000);
  }

  /** Whether others have a log in place of the one that this client knew; one that it only fell behind goes on. */
  function isReplaced(
    { epoch: current, base, first }: StoreReply,
    cursor: readonly string[],
  ): boolean {
    const isKnown = ledger !== emptyLedger && cursor.join() === [epoch, position, stamp].join();
    return isKnown && base !== undefined && (current !== epoch || first <= position);
  }

  function accountOf(gone: Ledger): Account {
    const clock = readClock(context);
    return { k: 'heard', ...clock, ledger: shareable(followClock(gone, clock)), jitter: 0 };
  }

  /** What a new log begins with, or the lines of an old one are replaced by. */
  function knowledge(): string {
    const needed = epoch === '' ? ledger !== emptyLedger : position - first > mostLines;
    return needed ? JSON.stringify(ledger) : '';
  }

  /** Whether a line that was sent along is among those of the log. */
  function absorb(reply: StoreReply, fresh: string): boolean {
    if (reply.epoch !== epoch) keptUntil = 0;
    if (reply.epoch === '' || reply.base !== undefined) {
      position = reply.position;
      stamp = '';
      // Nothing but a flush or a failover takes a log away: what is known of it begins the next one.
      if (reply.base !== undefined) ledger = readBase(reply.base);
    }
    epoch = reply.epoch;
    first = reply.first;
    // Calls that were on their way together were told the same lines.
    const news = reply.lines.slice(Math.max(0, position - reply.position));
    for (const line of news) foldLine(line);
    const writtenAt = reply.epoch === fresh ? reply.now : Math.min(reply.now, Number(stamp) || 0);
    keptUntil = Math.max(keptUntil, writtenAt + lifetime * 1_000);
    return reply.epoch !== '' && reply.base === undefined;
  }

  function foldLine(line: string): void {
    const [time = '', text = ''] = split(line);
    const entry = parseEntry(text);
    const hasTime = /^\d{1,15}$/.test(time);
    // What replaces a ledger or ends a file has no business here.
    if (hasTime && entry && entry.k !== 'ledger' && entry.k !== 'seal')
      ledger = fold(ledger, byEngine(entry, ledger, Number(time)));
    position += 1;
    stamp = time;
  }

  function lineOf(entry: Entry): string {
    return JSON.stringify(withoutClock(qualifyOwner(entry, context), context.now()));
  }

  function ofMachine(now: number, clock: Reading): Ledger {
    return unqualifyOwners(byMachine(ledger, now, clock), context);
  }
}

function split(line: string): [string, string] {
  const blank = line.indexOf(' ');
  return [line.slice(0, blank), line.slice(blank + 1)];
}

function readBase(text: string): Ledger {
  const entry = text === '' ? undefined : parseEntry(`{"k":"ledger","ledger":${text}}`);
  return entry?.k === 'ledger' ? entry.ledger : emptyLedger;
}
