import { notice } from '../events.ts';
import type { Limit } from '../limit/limit.ts';
import { nameLimit, openOwnLimit, openStoreLimit } from '../limit/open.ts';
import type { SharedStore } from '../settings/addresses.ts';
import { stateFolder } from '../settings/folders.ts';
import type { Store } from '../store/store-cell.ts';
import type { Setup } from './settings.ts';

/** The owner of a rate limit and of imports: an address and a key. */
export type Account = { readonly address: string; readonly secret: string };

export async function openLimits(setup: Setup, { address, secret }: Account): Promise<Limit> {
  const { context, options, report } = setup;
  const store = await openStore(setup);
  const name = nameLimit(address, secret);
  const say = (text: string) => notice(report, text);
  if (!store) return openOwnLimit(context, stateFolder(context), name, say);
  if (options.verbose) say(`the rate limit is shared through ${store.name}`);
  return openStoreLimit(store, name, context);
}

/** Opens the store that is set, over a connection of its own. */
export async function openStore(setup: Setup): Promise<Store | undefined> {
  const store = chooseSharedStore(setup);
  return store && { engine: await setup.context.openEngine(store.address), name: store.name };
}

/** Returns the store that is set, undefined for `none` and the sandbox. From now on no output shows its password. */
export function chooseSharedStore(setup: Setup): SharedStore | undefined {
  const given = setup.settings.get('shared-store');
  for (const secret of given?.value?.secrets ?? []) setup.sink.hide(secret);
  return given?.value;
}
