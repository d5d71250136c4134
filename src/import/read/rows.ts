import { NewCategory } from '../../api/resources.ts';
import { notice, type Report, warn } from '../../events.ts';
import { locateMismatch } from '../../json/check.ts';
import type { Position } from '../../json/position.ts';
import { formatCount } from '../../time.ts';
import { type Faults, stopAt } from './faults.ts';

/** A category to be created, and the line of the input where it begins, counted from 1. */
export type Row = {
  readonly line: number;
  readonly name: string;
  readonly description?: string;
};

/** Most rows of one input. */
const maxRows = 100_000;

/** Where the readers of all formats put what they find. */
export type Rows = {
  readonly list: readonly Row[];
  /** Takes a row at its position when it is right; `positionOf` finds a field of a wrong one. @throws Fault when there are too many */
  readonly add: (
    position: Position,
    fields: RowFields,
    positionOf: (field: RowField) => Position,
  ) => void;
  /** A row that cannot be judged. @throws Fault when there are too many */
  readonly addFault: (position: Position, reason: string) => void;
  /** Says, once, that the ids of a printed list are not used. */
  readonly passOverIds: (where: 'column' | 'field') => void;
  /** Warns, once, that quotes around a text belong to it. */
  readonly keepQuotes: (position: Position) => void;
};

/** Takes the text of an input part by part. Both throw a Fault where they cannot go on. */
export type Reader = {
  readonly read: (text: string) => void | Promise<void>;
  readonly end: () => void | Promise<void>;
};

/** What a row may have. */
export const rowFields = ['name', 'description'] as const;
export type RowField = (typeof rowFields)[number];

export function isRowField(field: string): field is RowField {
  return (rowFields as readonly string[]).includes(field);
}

type RowFields = { readonly [field in RowField]?: unknown };

export function createRows(faults: Faults, report: Report): Rows {
  const list: Row[] = [];
  let count = 0;
  let saidIds = false;
  let saidQuotes = false;

  const countRow = (position: Position) => {
    count += 1;
    if (count > maxRows) throw stopAt(position, `more than ${formatCount(maxRows)} rows`);
  };

  return {
    list,
    add(position, fields, positionOf) {
      countRow(position);
      const fault = findFault(fields);
      if (fault) faults.add(positionOf(fault.field), fault.reason);
      else list.push(asRow(position, fields as NewCategory));
    },
    addFault(position, reason) {
      countRow(position);
      faults.add(position, reason);
    },
    passOverIds(where) {
      if (!saidIds) notice(report, `ignoring ${where} "id": the service assigns ids`);
      saidIds = true;
    },
    keepQuotes({ line }) {
      const message = `line ${line}: the quotes are part of the text, because TSV has no quoting`;
      if (!saidQuotes) warn(report, message);
      saidQuotes = true;
    },
  };
}

function asRow({ line }: Position, { name, description }: NewCategory): Row {
  return { line, name, ...(description !== undefined && { description }) };
}

const loneSurrogate = /\p{Surrogate}/u;

function findFault(fields: RowFields): { field: RowField; reason: string } | undefined {
  const mismatch = locateMismatch(NewCategory, fields);
  if (mismatch) return { field: mismatch.key as RowField, reason: mismatch.words };
  const field = rowFields.find((name) => loneSurrogate.test(String(fields[name] ?? '')));
  return field && { field, reason: `${field} contains an unpaired surrogate` };
}
