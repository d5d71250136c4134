import { fold } from '../fold.ts';
import { emptyLedger, type Ledger } from '../ledger.ts';
import { parseEntry } from '../records.ts';
import type { StoreReply } from './script.ts';
import { byEngine } from './translate.ts';

/** How long a key is kept that nobody uses, beyond the end of a wait, in s. */
export const lifetime = 90_000;
/** More lines than these are folded into a new base, so that who comes new reads no more. */
const mostLines = 64;

/** What a client knows of a log that a store keeps; times are the engine's. */
export type Replica = {
  readonly epoch: string;
  readonly first: number;
  readonly position: number;
  /** When the line before the position came; it tells a log that lost lines and has others now. */
  readonly stamp: string;
  readonly ledger: Ledger;
  /** Until when the log is surely kept there. */
  readonly keptUntil: number;
};

export const emptyReplica: Replica = {
  epoch: '',
  first: 0,
  position: 0,
  stamp: '',
  ledger: emptyLedger,
  keptUntil: 0,
};

/** What names the log and the place in it to the script. */
export function cursorOf({ epoch, position, stamp }: Replica): string[] {
  return [epoch, String(position), stamp];
}

/** What a new log begins with, or the lines of an old one are replaced by: a ledger as JSON, or empty. */
export function baseOf({ epoch, first, position, ledger }: Replica): string {
  const needed = epoch === '' ? ledger !== emptyLedger : position - first > mostLines;
  return needed ? JSON.stringify(ledger) : '';
}

/** Whether others have a log in place of the one that was known when `sent` was; one that it only fell behind goes on. */
export function isReplaced(replica: Replica, sent: Replica, reply: StoreReply): boolean {
  const { epoch, position, ledger } = replica;
  const isKnown = ledger !== emptyLedger && cursorOf(replica).join() === cursorOf(sent).join();
  return isKnown && reply.base !== undefined && (reply.epoch !== epoch || reply.first <= position);
}

/** The replica after a reply. @param fresh the epoch of a log that this client offered to make */
export function absorb(replica: Replica, reply: StoreReply, fresh: string): Replica {
  const { epoch, first, base, now } = reply;
  let { position, stamp, ledger } = replica;
  if (epoch === '' || base !== undefined) {
    position = reply.position;
    stamp = '';
    // Nothing but a flush or a failover takes a log away: what is known of it begins the next one.
    if (base !== undefined) ledger = readBase(base);
  }
  // Calls that were on their way together were told the same lines.
  for (const line of reply.lines.slice(Math.max(0, position - reply.position))) {
    const blank = line.indexOf(' ');
    stamp = line.slice(0, blank);
    position += 1;
    const entry = /^\d{1,15}$/.test(stamp) ? parseEntry(line.slice(blank + 1)) : undefined;
    // What replaces a ledger or ends a file has no business here.
    if (!entry || entry.k === 'ledger' || entry.k === 'seal') continue;
    ledger = fold(ledger, byEngine(entry, ledger, Number(stamp)));
  }
  const writtenAt = epoch === fresh ? now : Math.min(now, Number(stamp) || 0);
  const before = epoch === replica.epoch ? replica.keptUntil : 0;
  const keptUntil = Math.max(before, writtenAt + lifetime * 1_000);
  return { epoch, first, position, stamp, ledger, keptUntil };
}

function readBase(text: string): Ledger {
  const entry = text === '' ? undefined : parseEntry(`{"k":"ledger","ledger":${text}}`);
  return entry?.k === 'ledger' ? entry.ledger : emptyLedger;
}
