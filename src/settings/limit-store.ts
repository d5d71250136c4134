import type { EngineAddress } from '../context.ts';
import { configFailure } from '../errors.ts';
import { credentialsOf } from './credentials.ts';
import { from } from './values.ts';

export type LimitStore = {
  readonly address: EngineAddress;
  /** For messages: its URL without user and password. */
  readonly name: string;
  /** What must never be shown: the password, as it is and as it stands in the URL. */
  readonly secrets: readonly string[];
};

const usualPort = 6379;

/**
 * The store of a URL like redis://USER:PASSWORD@HOST:PORT/DATABASE, or rediss:// for TLS.
 * @throws Failure (config), which names `place` and shows nothing of the URL
 */
export function parseLimitStore(text: string, place?: string): LimitStore {
  const store = readStore(text);
  if (store) return store;
  throw configFailure(
    `invalid limit store URL${from(place)}`,
    'Expected redis://HOST:PORT or rediss://USER:PASSWORD@HOST:PORT (write @ in the password as %40).',
  );
}

/** A URL as it may be shown: without user and password. */
export function shownLimitStore(text: string): string {
  return readStore(text)?.name ?? '[invalid URL]';
}

const form =
  /^rediss?:\/\/(?:[^@/?#\s]*@)?(?:[a-z\d._-]+|\[[a-f\d:.]+\])(?::\d{1,5})?(?:\/\d{0,5})?$/i;

function readStore(text: string): LimitStore | undefined {
  if (!form.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const { protocol, hostname, port, pathname } = url;
  const credentials = credentialsOf(url);
  if (port === '0' || !credentials) return undefined;
  const { user, password } = credentials;
  const database = pathname.replace('/', '');
  const place = `${hostname}:${port || usualPort}`;
  return {
    address: {
      tls: protocol === 'rediss:',
      hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: Number(port || usualPort),
      user: user || undefined,
      password: password || undefined,
      database: Number(database),
    },
    name: `${protocol}//${place}${database && `/${database}`}`,
    secrets: [password, url.password],
  };
}
