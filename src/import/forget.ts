import { configFailure } from '../errors.ts';
import type { Mode } from './content.ts';
import type { JournalState } from './journal-state.ts';

/**
 * Whether rows count as not created although the journal says so, since that their categories are gone is no riddle: the import
 * was finished before and the list is not older than that, or nothing of it is there under another key, which then belongs to
 * another account.
 * @param missing those that the list does not show
 * @param otherKey whether the key is another one than the import was begun with
 */
export function mayForget(
  mode: Mode,
  { open, done, finished }: JournalState,
  missing: readonly number[],
  otherKey: boolean,
): boolean {
  const elsewhere = otherKey && missing.length === done.size;
  // An old list lacks what was created last.
  const newest = [...done.keys()].at(-1);
  const removed =
    finished && mode === 'ensure' && newest !== undefined && !missing.includes(newest);
  return open.size === 0 && (elsewhere || removed);
}

/** Whether the key is another one than the import was begun with. */
export function isOtherKey(
  { header }: JournalState,
  fingerprint: (salt: string) => string,
): boolean {
  return header !== undefined && header.fingerprint !== fingerprint(header.salt);
}

/**
 * Refuses to look for rows of unknown outcome with another key when nothing else would show that it belongs to the same
 * account: on another one's list they would be taken as not created.
 * @throws Failure (config)
 */
export function refuseOtherKey({ open, done }: JournalState): void {
  if (open.size === 0 || done.size > 0) return;
  throw configFailure(
    `this import was started with another API key, and the outcome of ${open.size} of its rows is unknown`,
    'Resume it with the API key it was started with.',
  );
}
