import { join } from 'node:path';
import type { NameLock, Names } from '../../import/name-locks.ts';
import { waitForNames } from '../../import/wait-for-names.ts';
import { resolveMaxWait } from '../../session/resolve.ts';
import type { Session } from '../../session/session.ts';
import { requireStateFolder } from '../../settings/folders.ts';

/** Takes names in the state folder, and waits for other processes as long as the session may. @throws as waitForNames */
export async function lockNames(session: Session, wanted: Names): Promise<NameLock> {
  const { context } = session;
  const folder = join(requireStateFolder(context), 'names');
  return waitForNames(context, folder, wanted, {
    maxWait: resolveMaxWait(session),
    report: session.report,
  });
}
