import type { Context, Owner } from '../../context.ts';
import type { Ledger } from '../ledger.ts';
import type { Entry } from '../records.ts';

type Here = Pick<Context, 'owner' | 'boot'>;

/** The entry as other machines read it: whose request it is tells them the machine too. */
export function ownedAbroad(entry: Entry, here: Here): Entry {
  return entry.k === 'ask' && entry.owner ? { ...entry, owner: abroad(entry.owner, here) } : entry;
}

/** The ledger as this machine reads it: requests of its own processes are known as such. */
export function ownedAtHome(ledger: Ledger, here: Here): Ledger {
  const inFlight = Object.entries(ledger.inFlight).map(([id, lease]) => {
    return [id, { ...lease, owner: lease.owner && atHome(lease.owner, here) }];
  });
  return { ...ledger, inFlight: Object.fromEntries(inFlight) };
}

/** Machines may have the same name: a process is known by that of this start of its machine as well. */
function abroad(owner: Owner, { boot }: Here): Owner {
  return { ...owner, host: `${owner.host} ${boot}` };
}

function atHome(owner: Owner, here: Here): Owner {
  const { host } = here.owner;
  return owner.host === abroad(here.owner, here).host ? { ...owner, host } : owner;
}
