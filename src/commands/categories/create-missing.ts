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

/**
 * The category of exactly this name, created only where there is none. No other process of this machine creates one between
 * the look and the end.
 */
export async function createMissing(
  session: Session,
  client: Client,
  name: string,
  create: () => Promise<Category>,
): Promise<Found> {
  const held = await holdName(session, name);
  try {
    const list = await readCategories(client);
    const find = (wanted: string) => list.find((category) => category.name === wanted);
    const there = find(name);
    if (there) {
      notice(session.report, `"${name}" already exists`);
      return { category: there, wasThere: true };
    }
    const category = await create();
    const original = find(category.name);
    if (original) {
      const message = `"${category.name}" already exists with id ${original.id}: this one is a duplicate`;
      warn(session.report, message);
    }
    return { category, wasThere: false };
  } finally {
    held?.release();
  }
}

/** Undefined where there is no place to say so: one category is worth less than an import's journal. */
async function holdName(session: Session, name: string): Promise<NameLock | undefined> {
  const { address } = await session.account();
  try {
    return await lockNames(session, { address, names: [name], doing: 'creating' });
  } catch (error) {
    if (!isWithoutPlace(error)) throw error;
    const fault = faultOfAccess(error.details.cause, session.context.uid);
    const owner = fault && !error.message.includes(fault.message) ? ` (${fault.message})` : '';
    const why = fault ? `${owner}. Fix: ${fault.fix}` : '';
    const message = `${error.message}; another petstore process could create the same name at the same time${why}`;
    warn(session.report, message);
    return undefined;
  }
}

function isWithoutPlace(error: unknown): error is Failure {
  if (!(error instanceof Failure)) return false;
  const { cause } = error.details;
  const unsaved = systemCode(cause) !== undefined || cause instanceof FileFault;
  return (error.kind === 'output' && unsaved) || error.kind === 'config';
}
