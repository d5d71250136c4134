import type { Context, Owner } from '../../context.ts';
import type { Ledger } from '../ledger.ts';
import type { Entry } from '../records.ts';

type ThisMachine = Pick<Context, 'owner' | 'boot'>;

/** The entry as other machines read it: whose request it is tells them the machine too. */
export function qualifyOwner(entry: Entry, here: ThisMachine): Entry {
  return entry.k === 'ask' && entry.owner
    ? { ...entry, owner: qualified(entry.owner, here) }
    : entry;
}

/** The ledger as this machine reads it: requests of its own processes are known as such. */
export function unqualifyOwners(ledger: Ledger, here: ThisMachine): Ledger {
  const inFlight = Object.entries(ledger.inFlight).map(([id, lease]) => {
    return [id, { ...lease, owner: lease.owner && unqualified(lease.owner, here) }];
  });
  return { ...ledger, inFlight: Object.fromEntries(inFlight) };
}

/** Machines may have the same name: a process is known by that of this start of its machine as well. */
function qualified(owner: Owner, { boot }: ThisMachine): Owner {
  return { ...owner, host: `${owner.host} ${boot}` };
}

function unqualified(owner: Owner, here: ThisMachine): Owner {
  const { host } = here.owner;
  return owner.host === qualified(here.owner, here).host ? { ...owner, host } : owner;
}
