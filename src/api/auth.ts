import { unsentFailure } from '../errors.ts';
import type { Exchange } from './exchange.ts';

export type ApiKey = {
  readonly value: string;
  /** Where it came from, for messages: "PETSTORE_API_KEY". */
  readonly source: string;
  /** The command that puts another one in its place; undefined where none does. */
  readonly renew?: string;
};

/**
 * Adds the bearer key (interface document, section 5), in this one place, and only towards `origin`.
 * @throws Failure (internal) before a key could travel anywhere else.
 */
export function auth(next: Exchange, key: ApiKey, origin: string): Exchange {
  return async (request) => {
    if (request.url.origin !== origin) {
      throw unsentFailure(
        'internal',
        'unexpected internal error: the API key would have gone to another host',
      );
    }
    return next({
      ...request,
      headers: { ...request.headers, authorization: `Bearer ${key.value}` },
    });
  };
}

/** What may be shown of a key: its last four characters, of a long one only. */
export function keyEnding(key: string): string | undefined {
  return key.length >= 16 ? key.slice(-4) : undefined;
}

/** Where a key came from, in a sentence. */
export function whichKey({ value, source }: ApiKey): string {
  const ending = keyEnding(value);
  return `The key comes from ${source}${ending ? ` and ends in ${ending}` : ''}.`;
}
