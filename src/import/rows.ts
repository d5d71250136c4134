import { type Failure, type ServiceError, usageFailure } from '../errors.ts';
import { notice, type Report } from '../events.ts';
import { type Content, contentFields } from '../fields.ts';
import { findMismatch } from '../json/check.ts';
import { NewCategory } from '../service/resources.ts';
import { quoted } from '../text/quote.ts';
import { countOf, formatCount } from '../time.ts';
import { type Place, Stop } from './text.ts';

export type Item = Content & {
  /** Where it begins in the input, counted from 1. */
  readonly line: number;
  readonly index: number;
  /**
   * Before it is sent: `create`; `existing`; `differs`: it exists with another description; `similar`: a listed name looks like
   * it; `repeated`: an earlier row has the name. After that: `created` by this run, or `created_before`, `refused`, `unknown`.
   */
  fate: Fate;
  /** The category that it created, or that it exists as. */
  id?: string | undefined;
  /** The name that it was created with, if the service changed it. */
  as?: string | undefined;
  /** A listed name that it looks like, whether it is created all the same or not. */
  lookAlike?: string | undefined;
  isAgreed?: true;
  refusal?: ServiceError;
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
  | 'created_before'
  | 'refused'
  | 'unknown';

type Fields = { readonly [Field in keyof Content]?: unknown };

const maxRows = 100_000;
const maxListedFaults = 20;

export class Rows {
  readonly items: Item[] = [];
  readonly #faults: string[] = [];
  readonly #report: Report;
  #faultCount = 0;
  #rowCount = 0;
  #hasIgnoredIds = false;

  constructor(report: Report) {
    this.#report = report;
  }

  add(place: Place, fields: Fields): void {
    if (!isValid(fields)) {
      this.fault(place, describeFault(fields));
      return;
    }
    this.#countRow(place);
    this.items.push(newItem(place.line, this.items.length, fields));
  }

  fault(place: Place, reason: string): void {
    this.#countRow(place);
    this.#addFault(place, reason);
  }

  stop({ place, reason }: Stop): void {
    this.#addFault(place, `${reason}; the rest was not read`);
  }

  ignoreIds(): void {
    if (!this.#hasIgnoredIds) notice(this.#report, 'ignoring "id": the service assigns ids');
    this.#hasIgnoredIds = true;
  }

  failure(source: string, hint: string | undefined): Failure | undefined {
    const faults = this.#faults.map((fault) => `${source}:${fault}`);
    const [first] = faults;
    if (first === undefined) return undefined;
    if (this.#faultCount === 1) return usageFailure(first, hint, faults);
    const listed = this.#faultCount > maxListedFaults ? ` (first ${maxListedFaults} listed)` : '';
    const message = `${source} has ${countOf(this.#faultCount, 'error')}${listed}`;
    return usageFailure(message, hint, faults);
  }

  #countRow(place: Place): void {
    this.#rowCount += 1;
    if (this.#rowCount > maxRows) throw new Stop(place, `more than ${formatCount(maxRows)} rows`);
  }

  #addFault({ line, column }: Place, reason: string): void {
    this.#faultCount += 1;
    const position = column === undefined ? line : `${line}:${column}`;
    if (this.#faults.length < maxListedFaults) this.#faults.push(`${position}: ${reason}`);
  }
}

/** Sets each field from the start: one that is added later takes V8 a second object, 20 MB for 100,000 rows. */
function newItem(line: number, index: number, { name, ...others }: Content): Item {
  const blank = { id: undefined, as: undefined, lookAlike: undefined };
  return { line, index, name, fate: 'create', ...blank, ...others };
}

export function describeRow({ line, name }: Item): string {
  return `line ${line} (${quoted(name)})`;
}

/** Checks what `NewCategory` and UTF-8 need. For 100,000 rows zod would take 20 MB and 0.25 s more. */
function isValid(fields: Fields): fields is Content {
  const { name } = fields;
  return isUnicode(name) && name.trim() !== '' && findInvalidText(fields) === undefined;
}

function findInvalidText(fields: Fields): keyof Content | undefined {
  return contentFields.find((field) => fields[field] !== undefined && !isUnicode(fields[field]));
}

function isUnicode(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed();
}

function describeFault(fields: Fields): string {
  const mismatch = findMismatch(NewCategory, fields);
  if (mismatch !== undefined) return mismatch;
  return `${findInvalidText(fields)} contains an unpaired surrogate`;
}
