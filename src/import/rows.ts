import { NewCategory } from '../api/resources.ts';
import { type Failure, usageFailure } from '../errors.ts';
import { notice, type Report } from '../events.ts';
import { type Content, contentFields } from '../fields.ts';
import { findMismatch } from '../json/check.ts';
import { quoted } from '../text/quoted.ts';
import { countOf, formatCount } from '../time.ts';
import { type Place, Stop } from './text.ts';

/** A category to create, and the line of the input where it begins, counted from 1. */
export type Row = Content & { readonly line: number };

type Fields = { readonly [Field in keyof Content]?: unknown };

const maxRows = 100_000;
const maxListedFaults = 20;

export class Rows {
  readonly list: Row[] = [];
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
    this.list.push({ line: place.line, ...fields });
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

export function describeRow({ line, name }: Row): string {
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
  return typeof value === 'string' && !/\p{Surrogate}/u.test(value);
}

function describeFault(fields: Fields): string {
  const mismatch = findMismatch(NewCategory, fields);
  if (mismatch !== undefined) return mismatch;
  return `${findInvalidText(fields)} contains an unpaired surrogate`;
}
