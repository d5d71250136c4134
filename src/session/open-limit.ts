import { notice, type Report } from '../events.ts';
import type { Limit } from '../limit/limit.ts';
import { nameLimit, openOwnLimit } from '../limit/open.ts';
import type { SharedStore } from '../settings/addresses.ts';
import { stateFolder } from '../settings/folders.ts';
import { describeStoreError, type Store } from '../store/store-cell.ts';
import type { Account } from './connect.ts';
import { getSetting, type Invocation } from './resolve.ts';

export async function openLimits(
  invocation: Invocation,
  { address, secret }: Account,
  report: Report,
): Promise<Limit> {
  const { context, options } = invocation;
  const store = chooseSharedStore(invocation);
  const name = nameLimit(address, secret);
  const own = openOwnLimit(context, stateFolder(context), name, (text) => notice(report, text));
  if (!store) return own;
  if (options.verbose) notice(report, `the rate limit is shared through ${store.name}`);
  const { openStoreLimit, shareThrough } = await import('../limit/shared-limit.ts');
  const limit = openStoreLimit(await context.openEngine(store.address), name, context);
  return shareThrough(limit, own, context, (error) =>
    notice(
      report,
      `the shared store ${store.name}: ${describeStoreError(error)}; counting requests on this machine alone, leaving a quarter of the limit to others`,
    ),
  );
}

/** Opens the store that is set, over a connection of its own. */
export async function openStore(invocation: Invocation): Promise<Store | undefined> {
  const store = chooseSharedStore(invocation);
  return store && { engine: await invocation.context.openEngine(store.address), name: store.name };
}

/** Returns the store that is set, undefined for the sandbox. From now on no output shows its password. */
export function chooseSharedStore(invocation: Invocation): SharedStore | undefined {
  const given = getSetting('shared-store', invocation);
  for (const secret of given?.value.secrets ?? []) invocation.sink.hide(secret);
  return given?.value;
}
