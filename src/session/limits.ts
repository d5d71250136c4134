import type { Context } from '../context.ts';
import { notice, type Report } from '../events.ts';
import { inBatches } from '../pacing/batch.ts';
import { createFailoverLog } from '../pacing/failover.ts';
import type { SharedLog } from '../pacing/log.ts';
import { noticeOfMove } from '../pacing/log-folder-fault.ts';
import { logFoldersFor } from '../pacing/log-folders.ts';
import { isLoopback, type LimitStore, parseLimitStore } from '../settings/addresses.ts';
import { stateFolder } from '../settings/folders.ts';
import { sandboxProfile } from '../settings/values.ts';
import type { Account } from './connect.ts';
import { type Invocation, resolveSetting } from './resolve.ts';

/** Opens the limits of a service and key: in the store if one is set, else on this machine. */
export async function openLimits(
  invocation: Invocation,
  account: Account,
  report: Report,
): Promise<SharedLog> {
  const { context, options } = invocation;
  const store = chooseLimitStore(invocation);
  const { address, secret } = account;
  const name = address === sandboxProfile ? address : `${address}\0${secret}`;
  const folders = logFoldersFor(context, stateFolder(context), name);
  const log = createFailoverLog(context, folders, (...move) =>
    notice(report, noticeOfMove(context, ...move)),
  );
  const alone = inBatches(log, context);
  if (!store) return alone;
  if (options.verbose) {
    notice(report, `the rate limit is shared through ${store.name}`);
    const risk = describePasswordRisk(store);
    if (risk) notice(report, `${store.name}: ${risk}`);
  }
  return openStoreLog(context, store, account, alone, report);
}

/** Opens the limits in a store. While it does not respond, those of `alone` count. */
async function openStoreLog(
  context: Context,
  store: LimitStore,
  { address, secret }: Account,
  alone: SharedLog,
  report: Report,
): Promise<SharedLog> {
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

/** Returns the store through which machines share the limit, undefined if none is set and for the sandbox. No output shows its password. */
export function chooseLimitStore(invocation: Invocation): LimitStore | undefined {
  const given = resolveSetting('limit-store', invocation);
  if (!given || invocation.profile.name === sandboxProfile) return undefined;
  const store = parseLimitStore(given.text, given.source);
  for (const secret of store.secrets) invocation.sink.hide(secret);
  return store;
}

/** Returns the warning that the password of a store is sent in plain text, undefined if it is not. */
export function describePasswordRisk({ address }: LimitStore): string | undefined {
  const { tls, password, hostname } = address;
  if (tls || password === undefined || isLoopback(hostname) || hostname === '::1') return undefined;
  return 'its password is sent unencrypted; use rediss:// for TLS';
}
