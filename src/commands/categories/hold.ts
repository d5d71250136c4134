import { join } from 'node:path';
import type { Held, Names } from '../../import/held-names.ts';
import { holdNames } from '../../import/hold-names.ts';
import { chooseMaxWait } from '../../session/connect.ts';
import type { Session } from '../../session/session.ts';
import { requireStateFolder } from '../../settings/folders.ts';

/** Takes names in the state folder, and waits for other processes as long as the session may. @throws as holdNames */
export async function hold(session: Session, wanted: Names): Promise<Held> {
  const { context } = session.host;
  const folder = join(requireStateFolder(context), 'names');
  return holdNames(context, folder, wanted, {
    maxWait: chooseMaxWait(session),
    report: session.report,
  });
}
