import type { Context } from '../context.ts';
import { claim } from '../disk/claim.ts';
import { cannotSave } from '../disk/files.ts';
import { securePrivateFolder } from '../disk/private-folder.ts';
import { sweep } from '../disk/temporary.ts';
import { Failure, systemCode } from '../errors.ts';
import { allowMoreFiles, isOutOfFiles } from '../text/too-many-files.ts';
import { bringBack } from './finished.ts';
import type { Held } from './held-names.ts';
import { type Journal, openJournal } from './journal.ts';
import { claimPath, type Identity, journalPath } from './journals.ts';
import { refuseRivals, taken } from './rivals.ts';

/**
 * Works with the journal of an import, which no other process works on meanwhile.
 * @param holdNames takes the names of its rows, so that what is found out about them stays true until the end
 * @throws Failure (output) when another one does or there can be no journal, Failure (config) when another import is in the
 * way, and whatever the work throws
 */
export async function withJournal(
  context: Context,
  folder: string,
  identity: Identity,
  holdNames: () => Promise<Held>,
  work: (journal: Journal) => Promise<void>,
): Promise<void> {
  const place = claimPath(folder, identity);
  needed(folder, () => securePrivateFolder(folder, context.uid));
  const held = needed(place, () => claim(context, place));
  if (!held.mine) throw taken(held, place);
  let names: Held | undefined;
  try {
    names = await holdNames().catch((error) => {
      throw withoutJournal(error);
    });
    // Not before: who has the names may be the rival, whose journal begins later.
    refuseRivals(context, folder, identity);
    const path = journalPath(folder, identity);
    const journal = needed(path, () => {
      bringBack(path);
      return openJournal(context.openAppendFile, path);
    });
    try {
      await work(journal);
    } finally {
      journal.close();
      // Nothing was begun.
      if (!journal.standing.header) sweep([path]);
    }
  } finally {
    names?.release();
    held.release();
  }
}

function needed<Result>(path: string, action: () => Result): Result {
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
  return new Failure('output', error.message, {
    ...error.details,
    consequence: consequence ?? 'Nothing was sent: an import needs its journal.',
    hint: hint ?? wayOut(cause),
    outcome: 'not_sent',
  });
}

function wayOut(cause: unknown): string | undefined {
  if (isOutOfFiles(cause)) return allowMoreFiles;
  // Whose it is will be said where access is denied.
  if (['EACCES', 'EPERM'].includes(systemCode(cause) ?? '')) return undefined;
  return 'Make room or give it another folder (PETSTORE_STATE_DIR), and run the same command again.';
}
