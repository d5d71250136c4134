import { isIP } from 'node:net';
import type { EngineAddress, Environment, HttpProxy } from '../context.ts';
import { withoutUrlSecrets } from '../text/secret.ts';
import { invalid } from './values.ts';

/** Parses the base URL of the service. The key travels with every request, so http is for this machine alone. */
export function parseBaseUrl(text: string, source?: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const reason = url ? baseUrlFault(url) : 'start with https://';
  if (url && reason === undefined) return url;
  const hint = `It must ${reason}. Write https://HOST/v1 (http only for localhost).`;
  throw invalid('base URL', unlessSecret(text), source, hint);
}

export function isBaseUrl(text: string): boolean {
  return URL.canParse(text) && baseUrlFault(new URL(text)) === undefined;
}

/** Returns a URL that may be named in an error: one without a password, a query or a fragment. */
function unlessSecret(url: string): string | undefined {
  return withoutUrlSecrets(url) === url ? url : undefined;
}

function baseUrlFault({ protocol, hostname, username, password, href }: URL): string | undefined {
  if (protocol !== 'https:' && protocol !== 'http:') return 'start with https://';
  if (protocol === 'http:' && !isLoopback(hostname)) {
    return 'start with https://, since http would send the API key unencrypted';
  }
  if (username || password) return 'not contain a user name or password';
  return /[?#]/.test(href) ? 'not have a query or a fragment' : undefined;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

export type SharedStore = {
  readonly address: EngineAddress;
  readonly name: string;
  readonly secrets: readonly string[];
};

const noStore = 'none';

/** Returns undefined for `none`, which leaves out the store that is saved. */
export function parseSharedStore(text: string, source?: string): SharedStore | undefined {
  const store = readSharedStore(text);
  if (store || text === noStore) return store;
  const hint =
    'Expected redis://HOST:PORT or rediss://USER:PASSWORD@HOST:PORT (write @ in the password as %40).';
  throw invalid('shared store URL', unlessSecret(text), source, hint);
}

export function redactStoreUrl(text: string): string {
  return readSharedStore(text)?.name ?? (text === noStore ? text : '[invalid URL]');
}

function readSharedStore(text: string): SharedStore | undefined {
  const parsed = parseServer(text);
  if (!parsed) return undefined;
  const { url, user, password } = parsed;
  if (!/^rediss?:$/.test(url.protocol) || !url.hostname || !/^\/?\d{0,5}$/.test(url.pathname)) {
    return undefined;
  }
  const port = url.port || '6379';
  const database = url.pathname.replace('/', '');
  return {
    address: {
      tls: url.protocol === 'rediss:',
      hostname: withoutBrackets(url.hostname),
      port: Number(port),
      user: user || undefined,
      password: password || undefined,
      database: Number(database),
    },
    name: `${url.protocol}//${url.hostname}:${port}${database && `/${database}`}`,
    secrets: [password, url.password],
  };
}

type ProxySetting = {
  readonly proxy: HttpProxy;
  readonly secrets: readonly string[];
};

/** HTTP_PROXY is not among them: in a CGI program a stranger's request sets it. */
const proxyVariables = ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'];

export function readProxy(url: URL, env: Environment): ProxySetting | undefined {
  const source = proxyVariables.find((name) => env[name]);
  if (source === undefined || isLoopback(url.hostname)) return undefined;
  if (isExempt(url, env.no_proxy || env.NO_PROXY || '')) return undefined;
  return parseProxy(env[source] ?? '', source);
}

/** Returns true if `noProxy` names the host or a domain above it, with or without the port, or is `*`. */
function isExempt({ hostname, port }: URL, noProxy: string): boolean {
  const host = hostname.replace(/\.$/, '');
  const hosts = [host, `${host}:${port || 443}`, withoutBrackets(host)];
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === '*') return true;
      const domain = entry.replace(/^\*?\./, '').replace(/\.$/, '');
      if (domain === '') return false;
      return hosts.some((own) => own === domain || (!isIP(host) && own.endsWith(`.${domain}`)));
    });
}

function parseProxy(text: string, source: string): ProxySetting {
  const hasScheme = /^\s*[a-z][a-z\d+.-]*:\/\//i.test(text);
  const parsed = parseServer(hasScheme ? text : `http://${text.trim()}`);
  if (!parsed || !/^https?:$/.test(parsed.url.protocol) || parsed.url.pathname !== '/') {
    const hint =
      'Expected http://HOST:PORT or http://USER:PASSWORD@HOST:PORT (write @ in the password as %40). SOCKS is not supported.';
    throw invalid('proxy URL', undefined, source, hint);
  }
  const { url, user, password } = parsed;
  const credentials = user || password ? `${user}:${password}` : undefined;
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return {
    proxy: { origin: url.origin, name: `${url.hostname}:${port}`, credentials, source },
    secrets: credentials === undefined ? [] : [password, url.password, credentials],
  };
}

function parseServer(text: string) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // A query or a fragment is most likely the rest of a password with an unescaped character in it.
  if (!url || /[?#]/.test(url.href) || url.port === '0') return undefined;
  try {
    const user = decodeURIComponent(url.username);
    return { url, user, password: decodeURIComponent(url.password) };
  } catch {
    return undefined;
  }
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
