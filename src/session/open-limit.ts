import { configFailure } from '../errors.ts';
import { notice, type Report } from '../events.ts';
import type { Limit } from '../limit/limit.ts';
import { nameLimit, openOwnLimit } from '../limit/open.ts';
import { isLoopback, type SharedStore } from '../settings/addresses.ts';
import { stateFolder } from '../settings/folders.ts';
import type { Store } from '../store/store-cell.ts';
import { profileFlag } from './chosen-profile.ts';
import type { Account } from './connect.ts';
import { getSetting, type Invocation, type Resolved } from './resolve.ts';

export async function openLimits(
  invocation: Invocation,
  { address, secret }: Account,
  report: Report,
): Promise<Limit> {
  const { context, options } = invocation;
  const store = chooseSharedStore(invocation);
  const names = nameLimit(address, secret);
  const own = openOwnLimit(context, stateFolder(context), names, (text) => notice(report, text));
  if (!store) return own;
  if (options.verbose) {
    notice(report, `the rate limit is shared through ${store.name}`);
    const risk = describePasswordRisk(store);
    if (risk) notice(report, `${store.name}: ${risk}`);
  }
  const [{ openStoreLimit, shareThrough }, { describeStoreError }] = await Promise.all([
    import('../limit/shared-limit.ts'),
    import('../store/store-error.ts'),
  ]);
  const limit = openStoreLimit(await context.openEngine(store.address), names.name, context);
  return shareThrough(limit, own, context, (error) =>
    notice(
      report,
      `the shared store ${store.name} ${describeStoreError(error)}; counting requests on this machine alone, leaving a quarter of the limit to others`,
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
  refuseOldName(invocation, given);
  for (const secret of given?.value.secrets ?? []) invocation.sink.hide(secret);
  return given?.value;
}

/** The names up to 0.2.0. A run that ignored them would use up the limit of the other machines. */
function refuseOldName({ context, profile }: Invocation, given: Resolved | undefined): void {
  if (profile.isSandbox) return;
  if (context.env.PETSTORE_LIMIT_STORE && (!given || given.file)) {
    throw configFailure(
      'PETSTORE_LIMIT_STORE has been renamed to PETSTORE_SHARED_STORE',
      'Run: export PETSTORE_SHARED_STORE="$PETSTORE_LIMIT_STORE"; unset PETSTORE_LIMIT_STORE',
    );
  }
  if (!given && profile.settings['limit-store'] !== undefined) {
    throw configFailure(
      `the setting limit-store of profile ${profile.name} has been renamed to shared-store`,
      `Run: petstore config set shared-store URL${profileFlag(profile)}`,
    );
  }
}

export function describePasswordRisk({ address }: SharedStore): string | undefined {
  const { tls, password, hostname } = address;
  if (tls || password === undefined || isLoopback(hostname) || hostname === '::1') return undefined;
  return 'its password is sent unencrypted; use rediss:// for TLS';
}
