import type { Context } from '../context.ts';
import { holderOf } from '../disk/claim.ts';
import type { Holder } from '../disk/mark.ts';
import { configFailure, type Failure, unsentFailure } from '../errors.ts';
import { commandOn } from '../text/shell.ts';
import { isoTime } from '../time.ts';
import { archiveFinished } from './archive.ts';
import {
  claimPath,
  type Identity,
  journalPath,
  journalsIn,
  readEnds,
  readState,
} from './journal-files.ts';
import type { Header } from './records.ts';

/**
 * Refuses to begin while an import is not finished that this one would get in the way of: of the same file as it was before
 * a change, or of the same rows with the other meaning.
 * @throws Failure (config)
 */
export function refuseConflicts(context: Context, folder: string, identity: Identity): void {
  const own = journalPath(folder, identity);
  const done = [];
  for (const path of journalsIn(folder)) {
    const ends = path === own ? undefined : readEnds(path);
    if (!ends) continue;
    const { header } = ends;
    const conflicts = header.address === identity.address && isSame(header, identity);
    const claim = claimPath(folder, header);
    const holder = conflicts ? holderOf(context, claim) : undefined;
    if (holder && holder.pid !== context.owner.pid) throw alreadyRunning(holder, claim);
    if (ends.finished) done.push({ path, header });
    else if (conflicts) refuseUnfinished(path, header, identity);
  }
  archiveFinished(context, folder, done);
}

/** Whether it is the file as it was before a change, or has the same rows. */
function isSame(header: Header, { path, sha256 }: Identity): boolean {
  return (header.path !== undefined && header.path === path) || header.sha256 === sha256;
}

function refuseUnfinished(path: string, header: Header, identity: Identity): void {
  const { finished, done } = readState(path);
  if (!finished) throw inTheWay(path, header, done.size, identity);
}

function inTheWay(path: string, header: Header, done: number, { sha256 }: Identity): Failure {
  const begun = isoTime(header.at);
  const state = `${done} of ${header.rows} rows created`;
  if (header.sha256 === sha256) {
    const other = header.mode === 'each' ? 'with' : 'without';
    return configFailure(
      `an import of this file ${other} --allow-duplicates was started at ${begun} and is not finished: ${state}`,
      `Finish it first, or delete its journal: ${commandOn('rm', path)}`,
    );
  }
  const [was, is] = [header.sha256, sha256].map((hash) => hash.slice(0, 12));
  return configFailure(
    `the file has changed since its import was started at ${begun} (sha256 was ${was}…, is ${is}…): ${state}`,
    header.mode === 'each'
      ? `Finish that import with the original file. To create every row of this one, even those that already exist, delete its journal: ${commandOn('rm', path)}`
      : `Finish that import with the original file, or delete its journal to import this one: ${commandOn('rm', path)}`,
  );
}

/** The failure for an import that another process works on. */
export function alreadyRunning({ pid, host, since }: Holder, claim: string): Failure {
  return unsentFailure(
    'output',
    `process ${pid} on ${host} has been importing this file since ${isoTime(since)}`,
    `Wait for it to finish, or stop it. If that process no longer exists (another machine, another container): ${commandOn('rm -r', claim)}`,
  );
}
