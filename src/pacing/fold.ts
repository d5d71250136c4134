import { windowMs } from '../plans.ts';
import { learnAnswer, learnBan, learnRefusal } from './block.ts';
import { followClock } from './clock.ts';
import { decide, waitAt } from './decide.ts';
import { type ClockReading, emptyLedger, type Lease, type Ledger } from './ledger.ts';
import { mergeAccount } from './merge-account.ts';
import type { Answered, Asked, Entry, Refused } from './records.ts';
import { grant, spend } from './window.ts';

/**
 * The ledger after one more line of the log. Every process folds the same lines in the same order, and so takes the same
 * decisions without a lock: an `ask` is granted or not by the lines before it.
 */
export function fold(before: Ledger, entry: Entry): Ledger {
  if (entry.k === 'ledger') return entry.ledger;
  if (entry.k === 'seal') return before;
  const ledger = followClock(before, entry);
  switch (entry.k) {
    case 'ask':
      return ask(dropLeases(ledger, entry.at), entry);
    case 'answer': {
      const lease = ledger.inFlight[entry.id];
      return tally(learnAnswer(end(ledger, entry.id), asItCame(entry), lease), entry.at);
    }
    case 'refused':
      return learnRefusal(end(ledger, entry.id), asItCame(entry), ledger.inFlight[entry.id]);
    case 'lost':
      // Several may tell of one whose process ended; it is spent once.
      if (!ledger.inFlight[entry.id]) return ledger;
      return spendUnseen(end(ledger, entry.id), entry.at);
    case 'unsent':
      return end(ledger, entry.id);
    case 'banned':
      return learnBan(ledger, entry.at);
    case 'heard':
      return mergeAccount(ledger, entry);
    case 'clear':
      return {
        ...emptyLedger,
        offset: ledger.offset,
        inFlight: ledger.inFlight,
        boot: ledger.boot,
        cleared: entry.at,
      };
  }
}

/** The answer by the time at which it came, which is the one that its headers refer to. */
function asItCame<Ended extends Answered | Refused>(entry: Ended): Ended {
  return entry.received === undefined ? entry : { ...entry, at: entry.received };
}

function ask(ledger: Ledger, { id, at, lease, owner }: Asked): Ledger {
  const decision = decide(ledger, at);
  if (!decision.granted) return ledger;
  const block = ledger.block?.since ?? 0;
  return {
    ...ledger,
    inFlight: copyOf(ledger.inFlight, id, { at, until: lease, block, owner }),
    probe: decision.probe ? id : ledger.probe,
    minute: grant(ledger.minute),
    day: grant(ledger.day),
  };
}

/** A request that may have been counted, though no answer says so. */
function spendUnseen(ledger: Ledger, at: number): Ledger {
  return tally({ ...ledger, minute: spend(ledger.minute), day: spend(ledger.day) }, at);
}

/** One more in our own count, which begins anew a day after its first. */
function tally(ledger: Ledger, at: number): Ledger {
  const { counted } = ledger;
  const goesOn = counted !== undefined && at >= counted.since && at < counted.since + windowMs.day;
  const { since, requests } = goesOn ? counted : { since: at, requests: 0 };
  return { ...ledger, counted: { since, requests: requests + 1 } };
}

function end(ledger: Ledger, id: string): Ledger {
  return ledger.inFlight[id] ? { ...ledger, inFlight: copyOf(ledger.inFlight, id) } : ledger;
}

/** A copy in which `id` has another lease, or none. Spread and rest take five times as long where names never repeat. */
function copyOf(inFlight: Ledger['inFlight'], id: string, lease?: Lease): Ledger['inFlight'] {
  const copy: Record<string, Lease> = Object.create(null);
  for (const other in inFlight) if (other !== id) copy[other] = inFlight[other] as Lease;
  if (lease) copy[id] = lease;
  return copy;
}

/** The ledger at `at`: requests whose process never reported back are taken as spent. */
export function dropLeases(ledger: Ledger, at: number): Ledger {
  const over: string[] = [];
  for (const id in ledger.inFlight) if (at >= (ledger.inFlight[id]?.until ?? at)) over.push(id);
  return over.reduce((rest, id) => spendUnseen(end(rest, id), at), ledger);
}

/** Whether a permit is granted still: its lease is not over, and nothing that was told since says to wait. */
export function isStillGranted(ledger: Ledger, id: string, clock: ClockReading): boolean {
  const current = dropLeases(followClock(ledger, clock), clock.at);
  return current.inFlight[id] !== undefined && !waitAt(current, clock.at);
}
