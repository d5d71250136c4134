import { configFailure } from '../errors.ts';

/**
 * The service's base address, version prefix included.
 * Only https, or http on this machine itself: the key travels with every request.
 * @throws Failure (config); `name` says where the address was written.
 */
export function parseBaseUrl(text: string, name: string): URL {
  if (!URL.canParse(text)) throw bad(name, 'no web address');
  const url = new URL(text);
  if (url.username || url.password) throw bad(name, 'an address with a user or password in it');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw bad(name, 'not https');
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw bad(name, 'plain http, where the key would travel unencrypted');
  }
  if (text.includes('?')) throw bad(name, 'an address with a query');
  if (text.includes('#')) throw bad(name, 'an address with a fragment');
  return url;
}

function bad(name: string, what: string) {
  return configFailure(
    `the base URL in ${name} is ${what}`,
    'It looks like https://HOST/v1 (http only for this machine itself).',
  );
}

/** Whether a host of a URL is this machine itself. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
