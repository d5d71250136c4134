import type { Owner } from '../disk/owner.ts';
import { isOwner } from '../disk/owner.ts';
import type { ClockReading, Ledger, StoreMark } from './ledger.ts';
import { isBoot, isLedger, isNumber, isRecord, isStoreMark } from './validate.ts';

/**
 * The lines of the log, each with what the clock showed; `id` names one request from `ask` to its end. Each granted `ask`
 * is ended by one of answer, refused, lost or unsent, unless its process was killed.
 */
export type Entry =
  | Asked
  | Answered
  | Refused
  /** It left and no whole answer came, or its process ended: it may have been counted. */
  | (ClockReading & { readonly k: 'lost'; readonly id: string })
  /** It never left. */
  | (ClockReading & { readonly k: 'unsent'; readonly id: string })
  /** The body of a 429 says that the key is banned. */
  | (ClockReading & { readonly k: 'banned'; readonly id: string })
  /** The ledger was cleared by hand. */
  | (ClockReading & { readonly k: 'clear' })
  | Account
  /** What follows in this file does not count; the next file goes on. */
  | { readonly k: 'seal' }
  /** The first line of a file: the ledger as the file before it left it. */
  | { readonly k: 'ledger'; readonly ledger: Ledger };

/** May I send? `lease` is when to forget about it, `owner` the process that asks. */
export type Asked = ClockReading & {
  readonly k: 'ask';
  readonly id: string;
  readonly lease: number;
  readonly owner?: Owner | undefined;
};

/** A whole answer; what its headers say of the limit as far as it makes sense, `date` and `reset` by the service's clock. */
type Ended = ClockReading & {
  readonly id: string;
  /** When the request left. */
  readonly sent: number;
  /** When the answer came, if that was earlier than `at`. */
  readonly received?: number | undefined;
  readonly date?: number | undefined;
  readonly limit?: number | undefined;
  readonly remaining?: number | undefined;
  readonly reset?: number | undefined;
  /** Drawn by the writer in [0, 1), so that every reader adds the same. */
  readonly jitter: number;
};

/** `wait` is what the Retry-After of a 503 asks for, in ms. */
export type Answered = Ended & {
  readonly k: 'answer';
  readonly status: number;
  readonly wait?: number | undefined;
};

/**
 * What another log of the same key knows, by the clock of this line; what it leaves open is not overruled. `apart` is until when
 * this machine goes on without the store that it shares the limit with; `store` is the one that told it.
 */
export type Account = ClockReading & {
  readonly k: 'heard';
  readonly ledger: Ledger;
  readonly jitter: number;
  readonly apart?: number | undefined;
  readonly store?: StoreMark | undefined;
};

/** A 429; `wait` is what Retry-After asks for, in ms. */
export type Refused = Ended & { readonly k: 'refused'; readonly wait?: number | undefined };

const ended = ['at', 'sent', 'jitter'];
const numbers: Readonly<Record<Entry['k'], readonly string[]>> = {
  ask: ['at', 'lease'],
  answer: [...ended, 'status'],
  refused: ended,
  lost: ['at'],
  unsent: ['at'],
  banned: ['at'],
  clear: ['at'],
  heard: ['at', 'jitter'],
  seal: [],
  ledger: [],
};
const optionalNumbers = ['received', 'date', 'limit', 'remaining', 'reset', 'wait', 'apart'];
const nameless: readonly string[] = ['clear', 'seal', 'ledger', 'heard'];
const withLedger: readonly string[] = ['ledger', 'heard'];

/** The entry of a line, or undefined for a torn line, garbage or another version's: those are passed over. */
export function parseEntry(line: string): Entry | undefined {
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch {
    return undefined;
  }
  return isEntry(entry) ? entry : undefined;
}

/** Whether readers believe it; what is written is judged by the same. */
export function isEntry(entry: unknown): entry is Entry {
  if (!isRecord(entry)) return false;
  const { k, id, owner, boot, ledger, store } = entry;
  if (typeof k !== 'string' || !Object.hasOwn(numbers, k)) return false;
  return (
    numbers[k as Entry['k']].every((name) => isNumber(entry[name])) &&
    optionalNumbers.every((name) => entry[name] === undefined || isNumber(entry[name])) &&
    (owner === undefined || isOwner(owner)) &&
    (boot === undefined || isBoot(boot)) &&
    (store === undefined || isStoreMark(store)) &&
    (nameless.includes(k) || typeof id === 'string') &&
    (!withLedger.includes(k) || isLedger(ledger))
  );
}

/** The line of an entry. The line break in front keeps a torn line of a killed process apart from it. */
export function formatEntry(entry: Entry): string {
  return `\n${JSON.stringify(entry)}\n`;
}
