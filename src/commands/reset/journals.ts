import { dirname } from 'node:path';
import type { Context } from '../../context.ts';
import { claim, seeHolder } from '../../disk/claim.ts';
import type { Holder } from '../../disk/mark.ts';
import { claimPath, readEnds, readState } from '../../import/journal-files.ts';
import type { Header } from '../../import/records.ts';
import { sandboxProfile } from '../../session/profile.ts';
import { thousands } from '../../text/number.ts';
import { quoteFor } from '../../text/shell.ts';
import { inUseBy } from './in-use.ts';

/** Why the journal of an import stays; undefined where it may go. @throws Failure (config) when it cannot be read */
export function whyJournal(context: Context, path: string, force: boolean): string | undefined {
  const ends = readEnds(path);
  const holder = ends && seeHolder(context, claimPath(dirname(path), ends.header));
  if (holder) return inUseBy(holder);
  if (force || ends?.finished) return undefined;
  const { header, done, finished } = readState(path);
  // Without a header nothing was sent.
  if (finished || !header) return undefined;
  const rows = `${thousands(done.size)} of ${thousands(header.rows)} rows created`;
  return `unfinished import, ${rows}; to finish it: ${resumeCommand(header, context)}`;
}

function resumeCommand({ path, mode, address }: Header, { platform }: Context): string {
  return [
    'petstore categories import',
    path === undefined ? '-' : quoteFor(platform, path),
    mode === 'each' && '--allow-duplicates',
    address === sandboxProfile && `--profile ${sandboxProfile}`,
  ]
    .filter(Boolean)
    .join(' ');
}

/** Whether an import into the sandbox has this journal. */
export function isOfSandbox(path: string): boolean {
  return readEnds(path)?.header.address === sandboxProfile;
}

/**
 * Does something that no process may work on the import of a journal meanwhile, unless one does: then who that is is returned.
 * @throws Failure (config, output), and what the work throws
 */
export function holding(context: Context, path: string, work: () => void): Holder | undefined {
  const ends = readEnds(path);
  const held = ends && claim(context, claimPath(dirname(path), ends.header));
  if (held && !held.mine) return held;
  try {
    work();
    return undefined;
  } finally {
    held?.release();
  }
}
