import { configFailure } from '../errors.ts';
import type { Mode } from './content.ts';
import type { Standing } from './standing.ts';

/**
 * Whether rows count as not created although the journal says so, since that their categories are gone is no riddle: the import
 * was finished before, or nothing of it is there under another key, which then belongs to another account.
 * @param missing how many of them are gone
 * @param otherKey whether the key is another one than the import was begun with
 */
export function mayForget(
  mode: Mode,
  { open, done, finished }: Standing,
  missing: number,
  otherKey: boolean,
): boolean {
  const elsewhere = otherKey && missing === done.size;
  return open.size === 0 && (elsewhere || (finished && mode === 'ensure'));
}

/** Whether the key is another one than the import was begun with. */
export function isOtherKey({ header }: Standing, fingerprint: (salt: string) => string): boolean {
  return header !== undefined && header.fingerprint !== fingerprint(header.salt);
}

/**
 * Refuses to look for rows of unknown outcome with another key when nothing else would show that it belongs to the same
 * account: on another one's list they would be taken as not created.
 * @throws Failure (config)
 */
export function refuseOtherKey({ open, done }: Standing): void {
  if (open.size === 0 || done.size > 0) return;
  throw configFailure(
    `this import was begun with another key, and the outcome of ${open.size} of its rows is unknown`,
    'Go on with the key it was begun with.',
  );
}
