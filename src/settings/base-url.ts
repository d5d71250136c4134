import { configFailure } from '../errors.ts';
import { from } from './values.ts';

/**
 * The service's base URL, version prefix included.
 * Only https, or http on this machine itself: the key travels with every request.
 * @throws Failure (config); `place` says where it was given.
 */
export function parseBaseUrl(text: string, place?: string): URL {
  if (text.trim() === '') throw bad(place, 'must not be blank');
  if (!URL.canParse(text)) throw bad(place, 'must be a URL that starts with https://');
  const url = new URL(text);
  if (url.username || url.password) throw bad(place, 'must not contain a user name or password');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw bad(place, 'must start with https://');
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw bad(place, 'must start with https://, since http would send the API key unencrypted');
  }
  if (text.includes('?')) throw bad(place, 'must not have a query');
  if (text.includes('#')) throw bad(place, 'must not have a fragment');
  return url;
}

function bad(place: string | undefined, reason: string) {
  return configFailure(
    `invalid base URL${from(place)}: ${reason}`,
    'Example: https://HOST/v1 (http only for localhost)',
  );
}

/** Whether a host of a URL is this machine itself. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
