import { randomBytes } from 'node:crypto';
import type { Input } from '../../../import/input.ts';
import type { Journal } from '../../../import/journal.ts';
import type { Identity } from '../../../import/journal-files.ts';
import type { Outcome, RowOutcome } from '../../../import/outcome.ts';
import type { Session } from '../../../session/session.ts';
import type { NamedPlan } from '../../../settings/values.ts';

/** One import as it was asked for. */
export type ImportRequest = {
  readonly session: Session;
  readonly input: Input;
  readonly identity: Identity;
  /** Of the key, by a salt. */
  readonly fingerprint: (salt: string) => string;
  /** Of the settings, for the forecast. */
  readonly plan: NamedPlan | undefined;
  /** Where journals are kept. */
  readonly folder: string;
  /** How long to wait before interrupted requests are checked, in ms. */
  readonly settle: number;
  /** The confirmation is skipped. */
  readonly assumeYes: boolean;
};

/** Adds the first line of a journal, which says whose it is. */
export function beginJournal(
  { session, input, identity, fingerprint }: ImportRequest,
  journal: Journal,
): void {
  const { path, ...rest } = identity;
  const salt = randomBytes(16).toString('hex');
  journal.add({
    k: 'h',
    v: 1,
    at: session.context.now(),
    ...rest,
    ...(path !== undefined && { path }),
    rows: input.rows.length,
    salt,
    fingerprint: fingerprint(salt),
  });
}

/** Adds the last line, once nothing is left that another run would have to know of. @throws Failure (output) */
export async function finishJournal(
  { session, identity }: ImportRequest,
  journal: Journal,
  outcomes: readonly RowOutcome[],
): Promise<void> {
  const { header, finished } = journal.state;
  // Refused rows are to be corrected in the file, which then is another one; but where every row counts, those that were
  // created must not be forgotten over that.
  const matters: Outcome[] = ['unknown', 'left'];
  if (identity.mode === 'each') matters.push('refused');
  if (!header || finished || outcomes.some(({ outcome }) => matters.includes(outcome))) return;
  journal.add({ k: 'e', at: session.context.now() });
  await journal.commit();
}
