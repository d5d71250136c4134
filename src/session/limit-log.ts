import { notice } from '../events.ts';
import { inBatches } from '../pacing/batch.ts';
import { createFailoverLog } from '../pacing/failover.ts';
import type { SharedLog } from '../pacing/log.ts';
import { noticeOfMove } from '../pacing/log-folder-fault.ts';
import { logFoldersFor } from '../pacing/log-folders.ts';
import { isLoopback } from '../settings/base-url.ts';
import { stateFolder } from '../settings/folders.ts';
import { type LimitStore, parseLimitStore } from '../settings/limit-store.ts';
import type { Identity } from './account.ts';
import { sandboxProfile } from './profile.ts';
import { chooseSetting, type Run, type Setup } from './setting.ts';

/**
 * The store through which machines share the limit, undefined where none is set and for the sandbox. From here on no output shows
 * its password.
 * @throws Failure (config)
 */
export function chooseLimitStore(run: Run): LimitStore | undefined {
  const given = chooseSetting('limit-store', run);
  if (!given || run.profile.name === sandboxProfile) return undefined;
  const store = parseLimitStore(given.value, given.place);
  for (const secret of store.secrets) run.host.sink.hide(secret);
  return store;
}

/** Why the password of a store may be read on its way, if so. */
export function openPassword({ address }: LimitStore): string | undefined {
  const { tls, password, hostname } = address;
  if (tls || password === undefined || isLoopback(hostname) || hostname === '::1') return undefined;
  return 'its password is sent unencrypted; use rediss:// for TLS';
}

/** The log of a service and key: in the store if one is set, else on this machine. @throws as chooseLimitStore and `identify` */
export async function openLimitLog(
  setup: Setup,
  identify: () => Promise<Identity>,
): Promise<SharedLog> {
  const { host, profile, report } = setup;
  const { context } = host;
  const store = chooseLimitStore(setup);
  const identity = await identify();
  const { address, secret } = identity;
  const name = profile.name === sandboxProfile ? sandboxProfile : `${address}\0${secret}`;
  const folders = logFoldersFor(context, stateFolder(context), name);
  const log = createFailoverLog(context, folders, (...move) =>
    notice(report, noticeOfMove(context, ...move)),
  );
  const alone = inBatches(log, context);
  return store ? openStoreLog(setup, store, identity, alone) : alone;
}

/** The log in that store; `alone` while the store does not answer. */
async function openStoreLog(
  { host: { context }, options, report }: Setup,
  store: LimitStore,
  { address, secret }: Identity,
  alone: SharedLog,
): Promise<SharedLog> {
  if (options.verbose) {
    notice(report, `the rate limit is shared through ${store.name}`);
    const fault = openPassword(store);
    if (fault) notice(report, `${store.name}: ${fault}`);
  }
  const [{ createStoreLog }, { nameInStore }, { fallBack }, { describeStoreError }] =
    await Promise.all([
      import('../pacing/store/log.ts'),
      import('../pacing/store/script.ts'),
      import('../pacing/store/fall-back.ts'),
      import('../pacing/store/describe-error.ts'),
    ]);
  const engine = await context.openEngine(store.address);
  const log = createStoreLog(engine, nameInStore(address, secret), context);
  const { activity, drop } = engine;
  return fallBack({ ...log, activity, drop }, alone, context, {
    onFailure: (error) =>
      notice(
        report,
        `the limit store ${store.name} ${describeStoreError(error)}; continuing on this machine alone, with 10 % of the limit left to others`,
      ),
  });
}
