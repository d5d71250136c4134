import type { Client } from '../api/client.ts';
import type { Category, NewCategory } from '../api/resources.ts';
import type { Context } from '../context.ts';
import type { Report } from '../events.ts';
import { quoted } from '../text/quoted.ts';
import { contentKey, type Mode } from './content.ts';
import type { Journal } from './journal.ts';
import type { Row } from './rows.ts';

/** All that carrying out an import takes. */
export type Job = {
  readonly context: Context;
  readonly client: Client;
  readonly journal: Journal;
  readonly rows: readonly Row[];
  readonly mode: Mode;
  /** The key is another one than the import was begun with. */
  readonly otherKey: boolean;
  /** How long to wait before interrupted requests are checked, in ms. */
  readonly settle: number;
  /** How many rows may be in flight at once. */
  readonly concurrency: number;
  readonly report: Report;
  /** What was found in this run that no row accounts for, by id. */
  readonly copies: Map<string, Category>;
  /** Called whenever the fate of a row becomes known. */
  readonly onSettled: () => void;
};

/** What a row asks for, as the service takes it. */
export function contentOf({ rows }: Pick<Job, 'rows'>, index: number): NewCategory {
  const row = rows[index];
  if (!row) throw new RangeError(`unknown row ${index}`);
  const { name, description } = row;
  return { name, ...(description !== undefined && { description }) };
}

/** A row for messages: where it stands, and its name. */
export function describeRow({ rows }: Pick<Job, 'rows'>, index: number): string {
  const { line, name = '' } = rows[index] ?? {};
  return `line ${line} (${quoted(name)})`;
}

/** What a row shares with those that may stand for it. */
export function keyOf(job: Pick<Job, 'rows' | 'mode'>, index: number): string {
  return contentKey(job.mode, contentOf(job, index));
}
