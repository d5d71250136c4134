import { createHmac } from 'node:crypto';
import { type ApiKey, auth, whichKey } from '../api/auth.ts';
import { type Client, createClient } from '../api/client.ts';
import { deliver } from '../api/deliver.ts';
import type { Exchange } from '../api/exchange.ts';
import { type RateLimit, readRateLimit } from '../api/rate-limit.ts';
import { retry } from '../api/retry.ts';
import { trace } from '../api/trace.ts';
import { notice, type Report } from '../events.ts';
import { inBatches } from '../pacing/batch.ts';
import { createFailoverLog } from '../pacing/failover.ts';
import { gate } from '../pacing/gate.ts';
import { noticeOfMove } from '../pacing/log-folder-fault.ts';
import { logFoldersFor } from '../pacing/log-folders.ts';
import type { SharedLog } from '../pacing/shared-log.ts';
import { parseDuration } from '../settings/duration.ts';
import { stateFolder } from '../settings/folders.ts';
import { noticeOfShortKey } from '../text/secret.ts';
import { unloadable } from '../text/unloadable.ts';
import { version } from '../version.ts';
import { chooseBaseUrl } from './base-url.ts';
import { type FoundKey, findKey, noKey } from './key.ts';
import { chooseLimitStore, openStoreLog } from './limit-store.ts';
import { labelOf, refuseForSandbox, sandboxProfile } from './profile.ts';
import { chooseProxy } from './proxy.ts';
import { chooseSetting, type Run } from './setting.ts';

type Setup = Run & { readonly report: Report };

type Service = { readonly baseUrl: URL; readonly key: ApiKey };

/** Where requests go and on whose account, for what must be told apart later. */
export type Account = {
  /** The same for one service, however its address is written. */
  readonly address: string;
  /** Tells one key from another and gives none away: a keyed hash in hexadecimal digits. */
  readonly fingerprint: (salt: string) => string;
};

/** What a session chooses when it is first needed, once: a key on standard input can be read only once. */
type Chosen = { readonly service: () => Promise<Service>; readonly log: () => Promise<SharedLog> };

/** The ways to the service and to what this machine knows of its limit; `onRateLimit` as in openClient. */
export function createAccess(setup: Setup, onRateLimit: (rateLimit: RateLimit) => void) {
  const sandbox = setup.profile.name === sandboxProfile;
  const key = once(() => findKey(setup));
  const service = once(() => (sandbox ? embedSandbox(setup) : chooseService(setup, key)));
  // No sandbox has to run for a look at its limit; its address and key are new each time.
  const account = async () =>
    sandbox ? { address: sandboxProfile, secret: sandboxProfile } : accountOf(await service());
  const log = once(async () => {
    const store = chooseLimitStore(setup);
    const { address, secret } = await account();
    const alone = openLedger(setup, sandbox ? sandboxProfile : `${address}\0${secret}`);
    return store ? openStoreLog(setup, store, { address, secret }, alone) : alone;
  });
  return {
    key,
    connect: () => openClient(setup, { service, log }, onRateLimit),
    limit: log,
    async account(): Promise<Account> {
      const { address, secret } = await account();
      const fingerprint = (salt: string) => createHmac('sha256', salt).update(secret).digest('hex');
      return { address, fingerprint };
    },
  };
}

function accountOf({ baseUrl, key }: Service): { address: string; secret: string } {
  return { address: baseUrl.href.replace(/(?<!\/)\/+$/, ''), secret: key.value };
}

function once<Made>(make: () => Made): () => Made {
  let made: { readonly it: Made } | undefined;
  return () => {
    made ??= { it: make() };
    return made.it;
  };
}

/**
 * The client for the profile's service; `onRateLimit` hears what each answer says about the limit.
 * @throws Failure when no address or key is set
 */
async function openClient(
  setup: Setup,
  { service, log }: Chosen,
  onRateLimit: (rateLimit: RateLimit) => void,
): Promise<Client> {
  const { host, options, report } = setup;
  const { context } = host;
  const maxWait = chooseMaxWait(setup);
  const timeout = parseDuration(options.timeout ?? '30s', '--timeout');
  const { baseUrl, key } = await service();

  if (context.env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    notice(report, 'NODE_TLS_REJECT_UNAUTHORIZED is ignored: certificates are always checked');
  }
  if (options.verbose) {
    notice(report, `${labelOf(setup.profile)}: ${baseUrl.href}`);
    notice(report, whichKey(key));
  }
  const proxy = await chooseProxy(
    host,
    baseUrl,
    options.verbose ? (message) => notice(report, message) : undefined,
  );
  const delivered = deliver(context, timeout, proxy);
  const traced = options.verbose ? trace(delivered, context, report, host.sink.redact) : delivered;
  const authorized = auth(traced, key, baseUrl.origin);
  const limit = { log: await log(), report, timeout };
  const paced = gate(listen(authorized, onRateLimit), context, limit);
  const exchange = retry(paced, context, report);

  const userAgent = `petstore/${version}`;
  return createClient({ context, exchange, baseUrl, key, maxWait, userAgent, report });
}

function openLedger({ host: { context }, report }: Setup, identity: string): SharedLog {
  const folders = logFoldersFor(context, stateFolder(context), identity);
  const log = createFailoverLog(context, folders, (...move) =>
    notice(report, noticeOfMove(context, ...move)),
  );
  return inBatches(log, context);
}

async function chooseService(
  setup: Setup,
  findKey: () => Promise<FoundKey | undefined>,
): Promise<Service> {
  const baseUrl = chooseBaseUrl(setup);
  const found = await findKey();
  if (!found) throw noKey(setup.profile);
  const key = 'print' in found ? await found.print() : found;
  const short = noticeOfShortKey(key.value);
  if (short) notice(setup.report, short);
  return { baseUrl, key };
}

/** The sandbox runs inside this very command, behind a real port of this machine. */
async function embedSandbox({ host, options, report }: Setup): Promise<Service> {
  refuseForSandbox(options);
  const { startPersistentSandbox } = await import('../sandbox/persistent.ts').catch(unloadable);
  const say = (message: string) => notice(report, message);
  const { baseUrl, key } = await startPersistentSandbox(
    host.context,
    stateFolder(host.context),
    say,
  );
  return { baseUrl, key: { value: key, source: 'the sandbox' } };
}

/** Longest wait for the rate limit, in ms. @throws Failure (usage) */
export function chooseMaxWait(run: Run): number {
  const { value, source } = chooseSetting('max-wait', run);
  const { name, file } = run.profile;
  return parseDuration(value, source === file ? `max-wait of profile ${name}` : source);
}

function listen(next: Exchange, onRateLimit: (rateLimit: RateLimit) => void): Exchange {
  return async (request) => {
    const answer = await next(request);
    const rateLimit = readRateLimit(answer.headers, answer.receivedAt);
    if (rateLimit) onRateLimit(rateLimit);
    return answer;
  };
}
