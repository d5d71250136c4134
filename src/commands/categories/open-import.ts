import { join } from 'node:path';
import { Ledger } from '../../import/ledger.ts';
import { Turn, type TurnOptions } from '../../import/turn.ts';
import { nameFor, openStore } from '../../session/connect.ts';
import type { Session } from '../../session/session.ts';
import { requireStateFolder, stateFolder } from '../../settings/folders.ts';

/** Opens the ledger of the session's account. That of the sandbox lies in its folder, so that both are deleted together. */
export async function openLedger({ context, profile, account }: Session): Promise<Ledger> {
  const place = profile.isSandbox ? 'sandbox/ledger' : 'ledger';
  const name = nameFor(await account(), 'ledger 1');
  const folder = stateFolder(context);
  return new Ledger(context, folder && join(folder, place, name));
}

export async function openTurn(
  session: Session,
  options: Pick<TurnOptions, 'doing' | 'isSettled' | 'settleAfterKillMs'>,
): Promise<Turn> {
  const { context, report } = session;
  const account = await session.account();
  const { address } = account;
  const hashName = (name: string) => nameFor(account, `created ${name}`).slice(0, 16);
  const folder = requireStateFolder(context);
  const store = await openStore(session);
  const maxWaitMs = session.settings.get('max-wait').value;
  return new Turn(context, { folder, address, store, maxWaitMs, report, hashName, ...options });
}
