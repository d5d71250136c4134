import type { HttpProxy } from '../context.ts';
import { configFailure } from '../errors.ts';
import { isLoopback, parseBaseUrl } from '../settings/base-url.ts';
import { type Host, mayAsk } from './host.ts';
import { labelOf, profileFlag } from './profile.ts';
import { chooseSetting, type Run } from './setting.ts';

/** The service's base URL. @throws Failure (config) when none is set */
export function chooseBaseUrl(run: Run): URL {
  const baseUrl = findBaseUrl(run);
  if (baseUrl) return baseUrl;
  const { host, options, profile } = run;
  const next = mayAsk(host.context, options)
    ? 'petstore auth login'
    : 'petstore config set base-url https://HOST/v1';
  throw configFailure(
    `no base URL set for ${labelOf(profile)}`,
    `${next}${profileFlag(profile)} (to try petstore without an account: --profile sandbox)`,
  );
}

/** The same, undefined when none is set. @throws Failure (config) when it is invalid */
export function findBaseUrl(run: Run): URL | undefined {
  const given = chooseSetting('base-url', run);
  return given && parseBaseUrl(given.value, given.place);
}

/** A profile's own key travels to its `origin` and nowhere else; `move` is the command that moves it. @throws Failure (config) */
export function checkOrigin(run: Run, origin: string, move: string): void {
  const asked = findBaseUrl(run)?.origin;
  if (asked === undefined || asked === origin) return;
  throw configFailure(
    `the API key of ${labelOf(run.profile)} is for ${origin}, not for ${asked}`,
    `Check --base-url, PETSTORE_BASE_URL and petstore config list. If the service has moved: ${move}`,
  );
}

/**
 * As curl has it, the first that is set. HTTP_PROXY is not among them: it is for plain http, which petstore speaks to this
 * machine alone, and in a CGI program its value may come from a stranger's request.
 */
const variables = ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'];

/**
 * The proxy on the way to the service, if the environment names one; from here on no output shows its password.
 * This machine itself is never reached through a proxy.
 * @throws Failure (config) when the variable makes no sense
 */
export async function chooseProxy(
  { context, sink }: Host,
  baseUrl: URL,
  say: (message: string) => void,
): Promise<HttpProxy | undefined> {
  const { env } = context;
  if (isLoopback(baseUrl.hostname) || !variables.some((name) => env[name])) return undefined;
  const { readProxy } = await import('../settings/proxy.ts');
  const setting = readProxy(baseUrl, env, variables);
  if (!setting) {
    say(`no proxy for ${baseUrl.host} (NO_PROXY)`);
    return undefined;
  }
  const { proxy, secrets } = setting;
  for (const secret of secrets) sink.hide(secret);
  say(`using proxy ${proxy.name} for ${baseUrl.host} (${proxy.source})`);
  return proxy;
}
