import { join } from 'node:path';
import type { NameLock, Names } from '../../import/name-locks.ts';
import { waitForNames } from '../../import/wait-for-names.ts';
import { resolveMaxWait } from '../../session/resolve.ts';
import type { Session } from '../../session/session.ts';
import { requireStateFolder } from '../../settings/folders.ts';

/** Locks names for this machine. Waits for other processes, at most as long as for the rate limit. */
export async function lockNames(session: Session, wanted: Names): Promise<NameLock> {
  const { context } = session;
  const folder = join(requireStateFolder(context), 'names');
  return waitForNames(context, folder, wanted, {
    maxWait: resolveMaxWait(session),
    report: session.report,
  });
}
