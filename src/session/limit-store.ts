import { notice, type Report } from '../events.ts';
import type { SharedLog } from '../pacing/shared-log.ts';
import { isLoopback } from '../settings/base-url.ts';
import { type LimitStore, parseLimitStore } from '../settings/limit-store.ts';
import { unloadable } from '../text/unloadable.ts';
import { sandboxProfile } from './profile.ts';
import { chooseSetting, placeOf, type Run } from './setting.ts';

/**
 * The store through which machines share the limit, undefined where none is set and for the sandbox. From here on no output shows
 * its password.
 * @throws Failure (config)
 */
export function chooseLimitStore(run: Run): LimitStore | undefined {
  const given = chooseSetting('limit-store', run);
  if (!given || run.profile.name === sandboxProfile) return undefined;
  const store = parseLimitStore(given.value, placeOf(given, run));
  for (const secret of store.secrets) run.host.sink.hide(secret);
  return store;
}

/** Why the password of a store may be read on its way, if so. */
export function openPassword({ address }: LimitStore): string | undefined {
  const { tls, password, hostname } = address;
  if (tls || password === undefined || isLoopback(hostname) || hostname === '::1') return undefined;
  return 'its password travels unencrypted: rediss:// has TLS';
}

type Setup = Run & { readonly report: Report };
type Account = { readonly address: string; readonly secret: string };

/** The log of a service and key in that store; that of this machine while the store does not answer. */
export async function openStoreLog(
  { host: { context }, options, report }: Setup,
  store: LimitStore,
  { address, secret }: Account,
  alone: SharedLog,
): Promise<SharedLog> {
  if (options.verbose) {
    notice(report, `the limit is shared through ${store.name}`);
    const fault = openPassword(store);
    if (fault) notice(report, `${store.name}: ${fault}`);
  }
  const [{ createStoreLog }, { nameInStore }, { fallBack }, { describeStoreError }] =
    await Promise.all([
      import('../pacing/store/log.ts').catch(unloadable),
      import('../pacing/store/name.ts').catch(unloadable),
      import('../pacing/store/fall-back.ts').catch(unloadable),
      import('../pacing/store/describe-error.ts').catch(unloadable),
    ]);
  const engine = await context.openEngine(store.address);
  const log = createStoreLog(engine, nameInStore(address, secret), context);
  const { activity, drop } = engine;
  return fallBack({ ...log, activity, drop }, alone, context, {
    onFailure: (error) =>
      notice(
        report,
        `the limit store ${store.name} ${describeStoreError(error)}; this machine goes on alone, with 10 % of the limit left to others`,
      ),
  });
}
