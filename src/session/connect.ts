import { createHmac } from 'node:crypto';
import type { HttpProxy } from '../context.ts';
import { configFailure, usageFailure } from '../errors.ts';
import { notice } from '../events.ts';
import { deliver } from '../limit/deliver.ts';
import type { Limit } from '../limit/limit.ts';
import { openOwnLimit, openStoreLimit } from '../limit/open.ts';
import type { ApiRequest, RateLimit, SendRequest } from '../request/exchange.ts';
import { sendOnce } from '../request/send.ts';
import { readServiceError } from '../request/service-error.ts';
import { showSilence } from '../request/silence.ts';
import { trace } from '../request/trace.ts';
import { type ApiKey, describeKey } from '../service/api-key.ts';
import { Client, trimSlashes } from '../service/client.ts';
import { readProxy, type SharedStore } from '../settings/addresses.ts';
import { stateFolder } from '../settings/folders.ts';
import { invalid, parseDuration, sandboxProfile } from '../settings/values.ts';
import type { Store } from '../store/store-cell.ts';
import { type FoundKey, findKey, noKey } from './find-key.ts';
import type { CommonOptions } from './options.ts';
import type { Setup } from './settings.ts';

/** What a command needs to reach the service. Each part is made once, when it is first asked for. */
export type Connection = {
  readonly key: () => Promise<FoundKey | undefined>;
  /** Returns the account that categories and limit belong to, without a request. */
  readonly account: () => Promise<Account>;
  readonly limits: () => Promise<Limit>;
  readonly client: () => Promise<Client>;
  /** Returns the client of another service than that of the settings: of one that a login tries. */
  readonly clientOf: (service: Service) => Promise<Client>;
};

/** The owner of a rate limit and of imports: an address and a key. */
type Account = { readonly address: string; readonly secret: string };

/** The account of every sandbox: its address and key are new each time. */
const sandboxAccount: Account = { address: sandboxProfile, secret: sandboxProfile };

type Service = { readonly baseUrl: URL; readonly key: ApiKey };

type OnRateLimit = (rateLimit: RateLimit) => void;

export function createConnection(setup: Setup, onRateLimit: OnRateLimit): Connection {
  const { isSandbox } = setup.profile;
  const key = once(() => findKey(setup));
  const service = once(() => (isSandbox ? startSandbox(setup) : findService(setup, key)));
  // Reading the limit must not start the sandbox.
  const account = async () => (isSandbox ? sandboxAccount : accountOf(await service()));
  const limits = once(async () => openLimits(setup, await account()));
  const client = once(() => connect(setup, service, limits, onRateLimit));
  const clientOf = (other: Service) => {
    const openLimit = async () => openLimits(setup, accountOf(other));
    return connect(setup, async () => other, openLimit, onRateLimit);
  };
  return { key, account, limits, client, clientOf };
}

/** Returns a function that makes its result once, when it is first asked for. */
export function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function accountOf({ baseUrl, key }: Service): Account {
  return { address: trimSlashes(baseUrl), secret: key.value };
}

async function startSandbox({ context, options, report }: Setup): Promise<Service> {
  refuseForSandbox(options);
  const { serveSharedSandbox } = await import('../sandbox/shared-sandbox.ts');
  const notify = (message: string) => notice(report, message);
  const { baseUrl, key } = await serveSharedSandbox(context, stateFolder(context), notify);
  return { baseUrl, key: { value: key, source: 'the sandbox' } };
}

export function refuseForSandbox({ baseUrl, apiKeyFile }: CommonOptions): void {
  const flag = baseUrl !== undefined ? '--base-url' : apiKeyFile && '--api-key-file';
  if (!flag) return;
  throw usageFailure(`${flag} cannot be used with the sandbox profile`, 'Remove one of the two.');
}

async function findService(setup: Setup, findKey: Connection['key']): Promise<Service> {
  const baseUrl = requireBaseUrl(setup);
  const found = await findKey();
  if (!found) throw noKey(setup);
  // The key command runs only now that there is a base URL.
  return { baseUrl, key: 'run' in found ? await found.run() : found };
}

export function requireBaseUrl(
  { context, options, profile, settings }: Setup,
  isLogin = false,
): URL {
  const baseUrl = settings.get('base-url');
  if (baseUrl) return baseUrl.value;
  if (settings.file.unreachable) throw settings.file.unreachable;
  const hasKey = context.env.PETSTORE_API_KEY || options.apiKeyFile !== undefined;
  const next =
    hasKey && !isLogin ? 'petstore config set base-url https://HOST/v1' : settings.loginCommand();
  const otherwise = isLogin ? '' : ' (or add --profile sandbox to try it without an account)';
  throw configFailure(`no base URL set for profile ${profile.name}`, `Run: ${next}${otherwise}`);
}

async function openLimits(setup: Setup, account: Account): Promise<Limit> {
  const { context, options, report } = setup;
  const store = await openStore(setup);
  const name = nameFor(account, 'limit 4');
  const say = (text: string) => notice(report, text);
  if (!store) return openOwnLimit(context, stateFolder(context), name, say);
  if (options.verbose) say(`the rate limit is shared through ${store.name}`);
  return openStoreLimit(store, name, context);
}

/** Returns the name of what an account has. It is the same on every machine, and contains neither address nor key. */
export function nameFor({ address, secret }: Account, what: string): string {
  const hmac = createHmac('sha256', secret).update(`petstore ${what}\0${address}`);
  return hmac.digest('hex').slice(0, 32);
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

async function connect(
  setup: Setup,
  findService: () => Promise<Service>,
  limits: Connection['limits'],
  onRateLimit: OnRateLimit,
): Promise<Client> {
  const { context, options, profile, report, settings, sink } = setup;
  // These fail before the key command runs.
  const maxWaitMs = settings.get('max-wait').value;
  const timeoutMs = parseTimeout(options);
  const limitOfPlan = settings.get('plan')?.value.minute;
  const { baseUrl, key } = await findService();
  if (context.env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    notice(report, 'NODE_TLS_REJECT_UNAUTHORIZED is ignored: certificates are always verified');
  }
  const logVerbose = (message: string) => options.verbose && notice(report, message);
  logVerbose(`profile ${profile.name}: ${baseUrl.href}`);
  logVerbose(describeKey(key));
  const proxy = chooseProxy(setup, baseUrl);
  if (proxy) logVerbose(`using proxy ${proxy.name} for ${baseUrl.host} (${proxy.source})`);

  const sendOnTime = (request: ApiRequest, onGrace?: (graceMs: number) => void) =>
    sendOnce(request, context, { timeoutMs, proxy, onGrace });
  let attempt = context.stderr.isTTY ? showSilence(sendOnTime, context, report) : sendOnTime;
  if (options.verbose) attempt = trace(attempt, context, report, sink.redact);
  const attemptAndReport: SendRequest = async (request) => {
    const response = await attempt(request);
    if (response.limits.rateLimit) onRateLimit(response.limits.rateLimit);
    const isRefusal = response.status >= 400;
    return isRefusal ? { ...response, refusal: readServiceError(response, sink.redact) } : response;
  };
  const shared = { limit: await limits(), limitOfPlan, report, timeoutMs };
  const send = deliver(attemptAndReport, context, shared);
  return new Client({ context, send, baseUrl, key, maxWaitMs, report });
}

function parseTimeout({ timeout = '30s' }: CommonOptions): number {
  const timeoutMs = parseDuration(timeout, '--timeout', '30s, 2m or inf');
  if (timeoutMs > 0) return timeoutMs;
  throw invalid('duration', timeout, '--timeout', 'Must be more than 0.');
}

/** Returns the proxy on the way to the service, if the environment names one. From now on no output shows its password. */
export function chooseProxy({ context, sink }: Setup, baseUrl: URL): HttpProxy | undefined {
  const found = readProxy(baseUrl, context.env);
  for (const secret of found?.secrets ?? []) sink.hide(secret);
  return found?.proxy;
}
