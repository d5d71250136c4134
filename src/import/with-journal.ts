import type { Context } from '../context.ts';
import { claim } from '../disk/claim.ts';
import { cannotSave } from '../disk/files.ts';
import { securePrivateFolder } from '../disk/private-folder.ts';
import { sweep } from '../disk/temporary.ts';
import { Failure, systemCode } from '../errors.ts';
import { restoreArchived } from './archive.ts';
import { alreadyRunning, refuseConflicts } from './conflicts.ts';
import { type Journal, openJournal } from './journal.ts';
import { claimPath, type Identity, journalPath } from './journal-files.ts';
import type { NameLock } from './name-locks.ts';

/**
 * Works with the journal of an import, which no other process works on meanwhile.
 * @param lockNames takes the names of its rows, so that what is found out about them stays true until the end
 * @throws Failure (output) when another one does or there can be no journal, Failure (config) when another import is in the
 * way, and whatever the work throws
 */
export async function withJournal(
  context: Context,
  folder: string,
  identity: Identity,
  lockNames: () => Promise<NameLock>,
  work: (journal: Journal) => Promise<void>,
): Promise<void> {
  const claimFolder = claimPath(folder, identity);
  orWithoutJournal(folder, () => securePrivateFolder(folder, context.uid));
  const claimed = orWithoutJournal(claimFolder, () => claim(context, claimFolder));
  if (!claimed.mine) throw alreadyRunning(claimed, claimFolder);
  let names: NameLock | undefined;
  try {
    names = await lockNames().catch((error) => {
      throw withoutJournal(error);
    });
    // Not before: who has the names may be the rival, whose journal begins later.
    refuseConflicts(context, folder, identity);
    const path = journalPath(folder, identity);
    const journal = orWithoutJournal(path, () => {
      restoreArchived(path);
      return openJournal(context.openAppendFile, path);
    });
    try {
      await work(journal);
    } finally {
      journal.close();
      // Nothing was begun.
      if (!journal.state.header) sweep([path]);
    }
  } finally {
    names?.release();
    claimed.release();
  }
}

function orWithoutJournal<Result>(path: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw withoutJournal(cannotSave(path, error));
  }
}

/** Without a journal nothing is sent. */
function withoutJournal(error: unknown): unknown {
  if (!(error instanceof Failure) || error.kind !== 'output') return error;
  const { consequence, hint, cause } = error.details;
  return error.with({
    consequence: consequence ?? 'Nothing was sent: an import needs its journal.',
    hint: hint ?? wayOut(cause),
    outcome: 'not_sent',
  });
}

function wayOut(cause: unknown): string | undefined {
  // The failure says how to fix a permission.
  if (['EACCES', 'EPERM'].includes(systemCode(cause) ?? '')) return undefined;
  return 'Free some disk space or set another folder (PETSTORE_STATE_DIR), then run the same command again.';
}
