import { join } from 'node:path';
import { Ledger, nameLedger } from '../../import/ledger.ts';
import type { Session } from '../../session/session.ts';
import { stateFolder } from '../../settings/folders.ts';

/** Opens the ledger of the session's account. That of the sandbox lies in its folder, so that both are deleted together. */
export async function openLedger({ context, profile, account }: Session): Promise<Ledger> {
  const { address, secret } = await account();
  const place = profile.isSandbox ? 'sandbox/ledger' : 'ledger';
  const folder = stateFolder(context);
  return new Ledger(context, folder && join(folder, place, nameLedger(address, secret)));
}
