import { notice } from '../events.ts';
import type { Limit } from '../limit/limit.ts';
import { nameLimit, openOwnLimit } from '../limit/open.ts';
import type { SharedStore } from '../settings/addresses.ts';
import { stateFolder } from '../settings/folders.ts';
import { describeStoreError, type Store } from '../store/store-cell.ts';
import type { Setup } from './settings.ts';

/** The owner of a rate limit and of imports: an address and a key. */
export type Account = { readonly address: string; readonly secret: string };

export async function openLimits(setup: Setup, { address, secret }: Account): Promise<Limit> {
  const { context, options, report } = setup;
  const store = chooseSharedStore(setup);
  const name = nameLimit(address, secret);
  const own = openOwnLimit(context, stateFolder(context), name, (text) => notice(report, text));
  if (!store) return own;
  if (options.verbose) notice(report, `the rate limit is shared through ${store.name}`);
  const { openStoreLimit, shareThrough } = await import('../limit/shared-limit.ts');
  const limit = openStoreLimit(await context.openEngine(store.address), name, context);
  return shareThrough(limit, own, context, (error) =>
    notice(
      report,
      `the shared store ${store.name}: ${describeStoreError(error)}; until it answers, this machine counts alone and uses at most three quarters of the limit`,
    ),
  );
}

/** Opens the store that is set, over a connection of its own. */
export async function openStore(setup: Setup): Promise<Store | undefined> {
  const store = chooseSharedStore(setup);
  return store && { engine: await setup.context.openEngine(store.address), name: store.name };
}

/** Returns the store that is set, undefined for the sandbox. From now on no output shows its password. */
export function chooseSharedStore(setup: Setup): SharedStore | undefined {
  const given = setup.settings.get('shared-store');
  for (const secret of given?.value.secrets ?? []) setup.sink.hide(secret);
  return given?.value;
}
