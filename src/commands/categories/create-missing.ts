import { type Client, readCategories } from '../../api/client.ts';
import type { Category } from '../../api/resources.ts';
import { faultOfAccess } from '../../disk/denied.ts';
import { FileFault } from '../../disk/file-fault.ts';
import { Failure, systemCode } from '../../errors.ts';
import { notice, warn } from '../../events.ts';
import type { NameLock } from '../../import/name-locks.ts';
import type { Session } from '../../session/session.ts';
import { lockNames } from './lock-names.ts';

type Found = { readonly category: Category; readonly wasThere: boolean };

/** Creates a category unless there is one of exactly this name. Until then no other process of this machine creates it. */
export async function createMissing(
  session: Session,
  client: Client,
  name: string,
  create: () => Promise<Category>,
): Promise<Found> {
  const lock = await lockName(session, name);
  try {
    const list = await readCategories(client);
    const find = (wanted: string) => list.find((category) => category.name === wanted);
    const existing = find(name);
    if (existing) {
      notice(session.report, `"${name}" already exists`);
      return { category: existing, wasThere: true };
    }
    const category = await create();
    // The service may have changed the name.
    const original = find(category.name);
    if (original) {
      const duplicate = `"${category.name}" already exists with id ${original.id}`;
      warn(session.report, `${duplicate}: this one is a duplicate`);
    }
    return { category, wasThere: false };
  } finally {
    lock?.release();
  }
}

/** Locks the name. Goes on without a lock if it cannot be saved: an import would not, since it needs a journal. */
async function lockName(session: Session, name: string): Promise<NameLock | undefined> {
  const { address } = await session.account();
  try {
    return await lockNames(session, { address, names: [name], doing: 'creating' });
  } catch (error) {
    if (!isUnsavable(error)) throw error;
    const fault = faultOfAccess(error.details.cause, session.context.uid);
    const owner = fault && !error.message.includes(fault.message) ? ` (${fault.message})` : '';
    const fix = fault ? `${owner}. Fix: ${fault.fix}` : '';
    const risk = 'another petstore process could create the same name at the same time';
    warn(session.report, `${error.message}; ${risk}${fix}`);
    return undefined;
  }
}

/** Returns true if the state folder is missing or refuses a file. */
function isUnsavable(error: unknown): error is Failure {
  if (!(error instanceof Failure)) return false;
  const { cause } = error.details;
  const isRefused = systemCode(cause) !== undefined || cause instanceof FileFault;
  return (error.kind === 'output' && isRefused) || error.kind === 'config';
}
