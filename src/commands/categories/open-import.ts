import { join } from 'node:path';
import { Ledger, nameLedger } from '../../import/ledger.ts';
import { Turn } from '../../import/turn.ts';
import type { Holder } from '../../import/turn-cell.ts';
import { openStore } from '../../session/open-limit.ts';
import type { Session } from '../../session/session.ts';
import { requireStateFolder, stateFolder } from '../../settings/folders.ts';

/** Opens the ledger of the session's account. That of the sandbox lies in its folder, so that both are deleted together. */
export async function openLedger({ context, profile, account }: Session): Promise<Ledger> {
  const { address, secret } = await account();
  const place = profile.isSandbox ? 'sandbox/ledger' : 'ledger';
  const folder = stateFolder(context);
  return new Ledger(context, folder && join(folder, place, nameLedger(address, secret)));
}

export async function openTurn(session: Session, doing: Holder['doing']): Promise<Turn> {
  const { context, report } = session;
  const { address } = await session.account();
  const folder = requireStateFolder(context);
  const store = await openStore(session);
  const maxWaitMs = session.settings.get('max-wait').value;
  return new Turn(context, { folder, address, store, doing, maxWaitMs, report });
}
