import type { HttpProxy } from '../context.ts';
import { configFailure, usageFailure } from '../errors.ts';
import { notice, type Report } from '../events.ts';
import { deliver, maxRetries } from '../limit/deliver.ts';
import type { Limit } from '../limit/limit.ts';
import type { ApiRequest, RateLimit, SendRequest } from '../request/exchange.ts';
import { sendOnce } from '../request/send.ts';
import { showSilence } from '../request/silence.ts';
import { trace } from '../request/trace.ts';
import { type ApiKey, describeKey } from '../service/api-key.ts';
import { Client, trimSlashes } from '../service/client.ts';
import { readProxy } from '../settings/addresses.ts';
import { stateFolder } from '../settings/folders.ts';
import { sandboxProfile } from '../settings/values.ts';
import { shortKeyNotice } from '../text/secret.ts';
import { canPrompt } from './app.ts';
import { profileFlag } from './chosen-profile.ts';
import { type FoundKey, findKey, noKey } from './find-key.ts';
import { openLimits } from './open-limit.ts';
import type { CommonOptions } from './options.ts';
import { getSetting, type Invocation, resolveTimeout } from './resolve.ts';

/** What a command needs to reach the service. Each part is made once, when it is first asked for. */
export type Connection = {
  readonly key: () => Promise<FoundKey | undefined>;
  /** Returns the account that categories and limit belong to, without a request. */
  readonly account: () => Promise<Account>;
  readonly limits: () => Promise<Limit>;
  readonly client: () => Promise<Client>;
};

/** The owner of a rate limit and of imports: an address and a key. */
export type Account = { readonly address: string; readonly secret: string };

/** The account of every sandbox: its address and key are new each time. */
const sandboxAccount: Account = { address: sandboxProfile, secret: sandboxProfile };

export type Service = { readonly baseUrl: URL; readonly key: ApiKey };

type Options = {
  readonly report: Report;
  readonly onRateLimit: (rateLimit: RateLimit) => void;
  /** The service that a login tries. A failed request is not sent again. */
  readonly login?: Service;
};

export function createConnection(invocation: Invocation, options: Options): Connection {
  const { report, login } = options;
  const { isSandbox } = invocation.profile;
  const key = once(() => findKey(invocation));
  const service = once(async () => {
    if (login) return login;
    return isSandbox ? startSandbox(invocation, report) : findService(invocation, key, report);
  });
  const account = async () => {
    // Reading the limit must not start the sandbox.
    if (isSandbox) return sandboxAccount;
    const { baseUrl, key } = await service();
    return { address: trimSlashes(baseUrl), secret: key.value };
  };
  const limits = once(async () => openLimits(invocation, await account(), report));
  const client = once(() => connect(invocation, service, limits, options));
  return { key, account, limits, client };
}

function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

async function startSandbox({ context, options }: Invocation, report: Report): Promise<Service> {
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

async function findService(
  invocation: Invocation,
  findKey: Connection['key'],
  report: Report,
): Promise<Service> {
  const baseUrl = requireBaseUrl(invocation);
  const found = await findKey();
  if (!found) throw noKey(invocation.profile);
  // The key command runs only now that there is a base URL.
  const key = 'run' in found ? await found.run() : found;
  const short = shortKeyNotice(key.value);
  if (short) notice(report, short);
  return { baseUrl, key };
}

export function requireBaseUrl(
  invocation: Invocation,
  otherwise = ' (or add --profile sandbox to try it without an account)',
): URL {
  const baseUrl = getSetting('base-url', invocation);
  if (baseUrl) return baseUrl.value;
  const { context, options, profile } = invocation;
  const next = canPrompt(context, options)
    ? 'petstore auth login'
    : 'petstore config set base-url https://HOST/v1';
  throw configFailure(
    `no base URL set for profile ${profile.name}`,
    `Run: ${next}${profileFlag(profile)}${otherwise}`,
  );
}

async function connect(
  invocation: Invocation,
  service: () => Promise<Service>,
  limits: Connection['limits'],
  { report, onRateLimit, login }: Options,
): Promise<Client> {
  const { context, options, profile } = invocation;
  // These fail before the key command runs.
  const maxWaitMs = getSetting('max-wait', invocation).value;
  const timeoutMs = resolveTimeout(invocation);
  const limitOfPlan = getSetting('plan', invocation)?.value.quotas.minute;
  const { baseUrl, key } = await service();
  if (context.env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    notice(report, 'NODE_TLS_REJECT_UNAUTHORIZED is ignored: certificates are always verified');
  }
  const logVerbose = (message: string) => options.verbose && notice(report, message);
  logVerbose(`profile ${profile.name}: ${baseUrl.href}`);
  logVerbose(describeKey(key));
  const proxy = chooseProxy(invocation, baseUrl);
  if (proxy) logVerbose(`using proxy ${proxy.name} for ${baseUrl.host} (${proxy.source})`);

  const sendQuietly = (request: ApiRequest, onGrace?: (graceMs: number) => void) =>
    sendOnce(request, context, { timeoutMs, proxy, onGrace });
  const sendPlain = context.stderr.isTTY ? showSilence(sendQuietly, context, report) : sendQuietly;
  const sendTraced = options.verbose ? trace(sendPlain, context, report) : sendPlain;
  const sendListened: SendRequest = async (request) => {
    const response = await sendTraced(request);
    if (response.limits.rateLimit) onRateLimit(response.limits.rateLimit);
    return response;
  };
  const shared = { limit: await limits(), limitOfPlan, report, timeoutMs };
  const send = deliver(sendListened, context, shared, login ? 0 : maxRetries);
  return new Client({ context, send, baseUrl, key, maxWaitMs, report });
}

/** Returns the proxy on the way to the service, if the environment names one. From now on no output shows its password. */
export function chooseProxy({ context, sink }: Invocation, baseUrl: URL): HttpProxy | undefined {
  const found = readProxy(baseUrl, context.env);
  for (const secret of found?.secrets ?? []) sink.hide(secret);
  return found?.proxy;
}
