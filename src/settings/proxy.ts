import type { Environment, HttpProxy } from '../context.ts';
import { configFailure, type Failure } from '../errors.ts';
import { credentialsOf } from './credentials.ts';
import { isExempt } from './no-proxy.ts';

export type ProxySetting = {
  readonly proxy: HttpProxy;
  /** What must never be shown: the password, in every form it travels in. */
  readonly secrets: readonly string[];
};

/**
 * The proxy that the first set one of `variables` names, or undefined where NO_PROXY exempts the host of `url`.
 * @throws Failure (config), which names the variable and shows nothing of its value
 */
export function readProxy(
  url: URL,
  env: Environment,
  variables: readonly string[],
): ProxySetting | undefined {
  const source = variables.find((name) => env[name]);
  if (source === undefined || isExempt(url, env.no_proxy || env.NO_PROXY || '')) return undefined;
  return parseProxy(env[source] ?? '', source);
}

function parseProxy(text: string, source: string): ProxySetting {
  const url = parseAddress(text.trim());
  if (!url) throw invalidProxy(source);
  const { protocol, hostname, host } = url;
  if (protocol.startsWith('socks')) {
    throw configFailure(
      `SOCKS proxies are not supported (${source})`,
      'Use an http or https proxy: http://HOST:PORT',
    );
  }
  const credentials = credentialsOf(url);
  if ((protocol !== 'http:' && protocol !== 'https:') || !credentials || hasRest(url)) {
    throw invalidProxy(source);
  }
  const { user, password } = credentials;
  const pair = user || password ? `${user}:${password}` : undefined;
  const port = url.port || (protocol === 'https:' ? '443' : '80');
  return {
    proxy: {
      protocol,
      hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
      port,
      name: url.port ? host : `${host}:${port}`,
      credentials: pair,
      source,
    },
    secrets: pair === undefined ? [] : [password, url.password, pair],
  };
}

function invalidProxy(source: string): Failure {
  return configFailure(
    `invalid proxy URL in ${source}`,
    'Expected http://HOST:PORT or http://USER:PASSWORD@HOST:PORT (write @ in the password as %40).',
  );
}

/** As curl reads it: what has no scheme is an http proxy. */
function parseAddress(text: string): URL | undefined {
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  return URL.canParse(address) ? new URL(address) : undefined;
}

/** More than an address has: most likely the rest of a password with an unescaped character in it. */
function hasRest({ pathname, search, hash, port }: URL): boolean {
  return pathname !== '/' || search !== '' || hash !== '' || port === '0';
}
