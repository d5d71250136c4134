import { notice, type Report } from '../events.ts';
import { type Limit, openLimit } from '../limit/limit.ts';
import { nameLimit, openOwnLimit } from '../limit/open.ts';
import { isLoopback, type LimitStore, parseLimitStore } from '../settings/addresses.ts';
import { stateFolder } from '../settings/folders.ts';
import type { Account } from './connect.ts';
import { type Invocation, resolveSetting } from './resolve.ts';

export async function openLimits(
  invocation: Invocation,
  { address, secret }: Account,
  report: Report,
): Promise<Limit> {
  const { context, options } = invocation;
  const store = chooseLimitStore(invocation);
  const names = nameLimit(address, secret);
  const own = openOwnLimit(context, stateFolder(context), names, (text) => notice(report, text));
  if (!store) return own;
  if (options.verbose) {
    notice(report, `the rate limit is shared through ${store.name}`);
    const risk = describePasswordRisk(store);
    if (risk) notice(report, `${store.name}: ${risk}`);
  }
  const [{ shareThrough }, { storeCell }, { describeStoreError }] = await Promise.all([
    import('../limit/shared.ts'),
    import('../limit/store-cell.ts'),
    import('../limit/store-error.ts'),
  ]);
  const cell = storeCell(
    await context.openEngine(store.address),
    `petstore:lim:${names.name}`,
    context,
  );
  return shareThrough(openLimit(cell, context.turn), own, context, (error) =>
    notice(
      report,
      `the limit store ${store.name} ${describeStoreError(error)}; continuing on this machine alone, leaving a quarter of the limit to others`,
    ),
  );
}

/** Returns the store that is set, undefined for the sandbox. From now on no output shows its password. */
export function chooseLimitStore(invocation: Invocation): LimitStore | undefined {
  const given = resolveSetting('limit-store', invocation);
  if (!given) return undefined;
  const store = parseLimitStore(given.text, given.source);
  for (const secret of store.secrets) invocation.sink.hide(secret);
  return store;
}

export function describePasswordRisk({ address }: LimitStore): string | undefined {
  const { tls, password, hostname } = address;
  if (tls || password === undefined || isLoopback(hostname) || hostname === '::1') return undefined;
  return 'its password is sent unencrypted; use rediss:// for TLS';
}
