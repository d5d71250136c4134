import type { HttpProxy } from '../context.ts';
import { isLoopback } from '../settings/base-url.ts';
import { unloadable } from '../text/unloadable.ts';
import type { Host } from './host.ts';

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
  say: (message: string) => void = () => {},
): Promise<HttpProxy | undefined> {
  const { env } = context;
  if (isLoopback(baseUrl.hostname) || !variables.some((name) => env[name])) return undefined;
  const { readProxy } = await import('../settings/proxy.ts').catch(unloadable);
  const setting = readProxy(baseUrl, env, variables);
  if (!setting) {
    say(`NO_PROXY: no proxy on the way to ${baseUrl.host}`);
    return undefined;
  }
  const { proxy, secrets } = setting;
  for (const secret of secrets) sink.hide(secret);
  const message = `${baseUrl.host} is reached through the proxy ${proxy.name} (${proxy.source})`;
  say(message);
  return proxy;
}
