import { longestWait } from '../api/rate-limit.ts';
import type { Owner } from '../context.ts';
import { isOwner } from '../owner.ts';
import type { Block, Ledger, Reading } from './ledger.ts';

/**
 * The lines of the log, each with what the clock showed; `id` names one request from `ask` to its end. Each granted `ask`
 * is ended by one of answer, refused, lost or unsent, unless its process was killed.
 */
export type Entry =
  | Asked
  | Answered
  | Refused
  /** It left and no whole answer came, or its process ended: it may have been counted. */
  | (Reading & { readonly k: 'lost'; readonly id: string })
  /** It never left. */
  | (Reading & { readonly k: 'unsent'; readonly id: string })
  /** The ledger was cleared by hand. */
  | (Reading & { readonly k: 'clear' })
  /** What follows in this file does not count; the next file goes on. */
  | { readonly k: 'seal' }
  /** The first line of a file: the ledger as the file before it left it. */
  | { readonly k: 'ledger'; readonly ledger: Ledger };

/** May I send? `lease` is when to forget about it, `owner` the process that asks. */
export type Asked = Reading & {
  readonly k: 'ask';
  readonly id: string;
  readonly lease: number;
  readonly owner?: Owner | undefined;
};

/** A whole answer; what its headers say of the limit as far as it makes sense, `date` and `reset` by the service's clock. */
type Ended = Reading & {
  readonly id: string;
  /** When the request left. */
  readonly sent: number;
  readonly date?: number | undefined;
  readonly limit?: number | undefined;
  readonly remaining?: number | undefined;
  readonly reset?: number | undefined;
  /** Drawn by the writer in [0, 1), so that every reader adds the same. */
  readonly jitter: number;
};

export type Answered = Ended & { readonly k: 'answer'; readonly status: number };

/** A 429; `wait` is what Retry-After asks for, in ms. */
export type Refused = Ended & { readonly k: 'refused'; readonly wait?: number | undefined };

const ended = ['at', 'sent', 'jitter'];
const numbers: Readonly<Record<Entry['k'], readonly string[]>> = {
  ask: ['at', 'lease'],
  answer: [...ended, 'status'],
  refused: ended,
  lost: ['at'],
  unsent: ['at'],
  clear: ['at'],
  seal: [],
  ledger: [],
};
const optionalNumbers = ['date', 'limit', 'remaining', 'reset', 'wait'];
const nameless: readonly string[] = ['clear', 'seal', 'ledger'];
/** No Date lies farther from 1970, in ms, and sums of such numbers stay finite. */
const most = 8.64e15;

/** The entry of a line, or undefined for a torn line, garbage or another version's: those are passed over. */
export function parseEntry(line: string): Entry | undefined {
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch {
    return undefined;
  }
  return isRecord(entry) && isEntry(entry) ? (entry as Entry) : undefined;
}

function isEntry(entry: Record<string, unknown>): boolean {
  const { k, id, owner, boot, ledger } = entry;
  if (typeof k !== 'string' || !Object.hasOwn(numbers, k)) return false;
  return (
    numbers[k as Entry['k']].every((name) => isNumber(entry[name])) &&
    optionalNumbers.every((name) => entry[name] === undefined || isNumber(entry[name])) &&
    (owner === undefined || isOwner(owner)) &&
    (boot === undefined || isBoot(boot)) &&
    (nameless.includes(k) || typeof id === 'string') &&
    (k !== 'ledger' || isLedger(ledger))
  );
}

function isBoot(value: unknown): boolean {
  return isRecord(value) && typeof value.id === 'string' && isNumber(value.at);
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) <= most;
}

/** The longest told wait and what comes on top of it, in ms. */
const longestBlock = longestWait + 600_000;
const window = ['limit', 'remaining', 'reset', 'expected'];
/** The parts of a ledger that may be there, and the numbers in each. */
const parts: Readonly<Record<string, readonly string[]>> = {
  minute: window,
  day: window,
  offset: ['low', 'high'],
  block: ['since', 'until'],
  others: ['until', 'jitter'],
  counted: ['since', 'requests'],
};

/** Whether it is one of ours as a whole: what is believed here holds for all who come later. */
function isLedger(value: unknown): boolean {
  if (!isRecord(value) || !isRecord(value.inFlight) || !Number.isFinite(value.refusals))
    return false;
  const { latest, workedAt, block } = value;
  return (
    [latest, workedAt].every((time) => time === undefined || Number.isFinite(time)) &&
    Object.entries(parts).every(
      ([name, numbers]) => value[name] === undefined || hasNumbers(value[name], numbers),
    ) &&
    // Nothing that was told lasts longer, and a block comes with a line that told the time.
    (block === undefined || (block as Block).until <= Number(latest) + longestBlock) &&
    Object.values(value.inFlight).every(isLease)
  );
}

function isLease(value: unknown): boolean {
  return (
    hasNumbers(value, ['at', 'until', 'block']) &&
    (value.until as number) <= most &&
    (value.owner === undefined || isOwner(value.owner))
  );
}

function hasNumbers(
  value: unknown,
  names: readonly string[],
): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && names.every((name) => Number.isFinite(value[name]));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The line of an entry. The line break in front keeps a torn line of a killed process apart from it. */
export function formatEntry(entry: Entry): string {
  return `\n${JSON.stringify(entry)}\n`;
}
