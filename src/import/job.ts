import type { Client } from '../api/client.ts';
import type { NewCategory } from '../api/resources.ts';
import type { Context } from '../context.ts';
import type { Report } from '../events.ts';
import type { Row } from '../input/rows.ts';
import type { Mode } from './content.ts';
import type { Journal } from './journal.ts';

/** All that carrying out an import takes. */
export type Job = {
  readonly context: Context;
  readonly client: Client;
  readonly journal: Journal;
  readonly rows: readonly Row[];
  readonly mode: Mode;
  /** How long the service may take to finish a request that broke off, in ms. */
  readonly settle: number;
  /** Longest time that a request is on its way, in ms. */
  readonly timeout: number;
  readonly report: Report;
  /** Called whenever the fate of a row becomes known. */
  readonly onSettled: () => void;
};

/** What a row asks for, as the service takes it. */
export function contentOf({ rows }: Pick<Job, 'rows'>, index: number): NewCategory {
  const row = rows[index];
  if (!row) throw new RangeError(`there is no row ${index}`);
  const { name, description } = row;
  return { name, ...(description !== undefined && { description }) };
}

/** A row for messages: where it stands, and its name. */
export function nameOf({ rows }: Pick<Job, 'rows'>, index: number): string {
  const row = rows[index];
  return `line ${row?.line} ("${row?.name}")`;
}
