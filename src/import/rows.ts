import { type Failure, type ServiceError, usageFailure } from '../errors.ts';
import { notice, type Report } from '../events.ts';
import type { Content } from '../fields.ts';
import { findMismatch } from '../json/check.ts';
import { maxElementLength } from '../json/json.ts';
import { NewCategory } from '../service/resources.ts';
import { quoted } from '../text/quote.ts';
import { countOf, formatCount } from '../time.ts';
import { type Place, Stop } from './text.ts';

export type Item = Content & {
  readonly line: number;
  readonly index: number;
  /**
   * Before it is sent: `create`; `existing`; `differs`: it exists with other texts; `similar`: a listed name, or that of
   * an earlier row, looks like it; `repeated`: an earlier row has the name. After that: `created` by this run, `refused`, or `unknown`.
   */
  fate: Fate;
  /** The category that it created, or that it exists as. */
  id?: string | undefined;
  /** The name under which the service keeps it, if it changed that. */
  as?: string | undefined;
  lookAlike?: string | undefined;
  /** The line of that name, if it is not of the list. */
  lookAlikeLine?: number | undefined;
  refusal?: ServiceError;
  /** The service said that it created it, with the id of a category that was known before. */
  isMistaken?: true;
  /** Its outcome was unknown at some time: it comes last, so that it holds up no others. */
  wasUnknown?: true;
};

export type Fate =
  | 'create'
  | 'existing'
  | 'differs'
  | 'similar'
  | 'repeated'
  | 'created'
  | 'refused'
  | 'unknown';

const maxRows = 100_000;
const maxListedFaults = 20;
/** Ctrl-C is noticed after so many rows. */
const pauseRows = 1_000;

export class Rows {
  readonly items: Item[] = [];
  readonly #faults: string[] = [];
  readonly #report: Report;
  #faultCount = 0;
  #rowCount = 0;
  #hasIgnoredIds = false;
  #hint: string | undefined;
  #rowHint: string | undefined;

  /** @param file undefined for standard input */
  constructor(
    report: Report,
    readonly file: string | undefined,
    readonly pause: () => Promise<void>,
  ) {
    this.#report = report;
  }

  async pauseAtTimes(): Promise<void> {
    if (this.#rowCount % pauseRows === 0) await this.pause();
  }

  add(place: Place, fields: object): void {
    if (!isContent(fields)) {
      this.fault(place, findMismatch(NewCategory, fields)?.words ?? '');
      return;
    }
    // The service could create it, but no list that has it could be read.
    if (Buffer.byteLength(JSON.stringify(fields)) > maxElementLength) {
      this.fault(place, 'the row is longer than 1 MiB');
      return;
    }
    this.#countRow(place);
    this.items.push({ line: place.line, index: this.items.length, ...undecided, ...fields });
  }

  fault(place: Place, reason: string, hint?: string): void {
    this.#countRow(place);
    this.#addFault(place, reason, hint);
    // A backup may have a row that the service should never have taken, and that nobody can correct.
    this.#rowHint = 'Correct such rows, or leave them out.';
  }

  stop({ place, reason, hint }: Stop): void {
    this.#addFault(place, `${reason}; the rest was not read`, hint);
  }

  ignoreIds(): void {
    if (!this.#hasIgnoredIds) notice(this.#report, 'ignoring "id": the service assigns ids');
    this.#hasIgnoredIds = true;
  }

  failure(source: string): Failure | undefined {
    const faults = this.#faults.map((fault) => `${source}:${fault}`);
    const [first] = faults;
    if (first === undefined) return undefined;
    const count = this.#faultCount;
    const listed = count > maxListedFaults ? ` (first ${maxListedFaults} listed)` : '';
    const message = count === 1 ? first : `${source} has ${countOf(count, 'error')}${listed}`;
    return usageFailure(message, this.#hint ?? this.#rowHint, faults);
  }

  #countRow(place: Place): void {
    this.#rowCount += 1;
    if (this.#rowCount > maxRows) throw new Stop(place, `more than ${formatCount(maxRows)} rows`);
  }

  #addFault({ line, column }: Place, reason: string, hint?: string): void {
    this.#faultCount += 1;
    this.#hint ??= hint;
    const position = column === undefined ? line : `${line}:${column}`;
    if (this.#faults.length < maxListedFaults) this.#faults.push(`${position}: ${reason}`);
  }
}

/** What a decision may set. It is there from the start: a field that is added later takes V8 a second object, 20 MB for 100,000 rows. */
export const undecided = {
  fate: 'create',
  id: undefined,
  as: undefined,
  lookAlike: undefined,
  lookAlikeLine: undefined,
} as const;

export function describeRow({ line, name }: Item): string {
  return `line ${line} (${quoted(name)})`;
}

function isContent(fields: object): fields is Content {
  // Compiled by zod: 0.05 s for 100,000 rows, not 0.2 s.
  return NewCategory.safeParse(fields).success;
}
