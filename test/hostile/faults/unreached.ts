import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Environment } from '../../../src/context.ts';
import { type reactions, startProxy } from '../../support/connect-proxy.ts';
import { type Certificate, makeAuthority, selfSign } from '../../support/own-authority.ts';
import { freePort } from '../../support/ports.ts';
import type { CommandName } from '../commands.ts';

/** An address, and what stands in the way to it. */
type Obstacle = {
  readonly url: string;
  readonly env?: Environment;
  /** How often a proxy was asked for the way. */
  readonly asked?: () => number;
  /** Every byte that a proxy got. */
  readonly seen?: () => Buffer;
  readonly close?: () => void;
};

/** A way to the service that ends before anything of a request has left. */
export type Unreached = {
  readonly fault: string;
  readonly open: () => Obstacle | Promise<Obstacle>;
  readonly says: RegExp;
  /** Of each request, in ms. */
  readonly timeout?: number;
  /** The commands that meet it; all when undefined. */
  readonly only?: readonly CommandName[];
};

const closed = /127\.0\.0\.1:\d+ closed the connection/;
const tooSlow = /the request to \S+ timed out after 0\.6s/;

const addresses: readonly (readonly [Unreached['fault'], Unreached['open'], Unreached['says']])[] =
  [
    [
      'a host that nobody knows',
      () => ({ url: 'https://nowhere.invalid/v1' }),
      /cannot resolve nowhere\.invalid/,
    ],
    [
      'a port where nobody listens',
      async () => ({ url: `https://127.0.0.1:${await freePort()}/v1` }),
      /127\.0\.0\.1:\d+ refused the connection/,
    ],
    [
      // To many hosts at once no connection can be made, whatever the network is like.
      'an address that no connection leads to',
      () => ({ url: 'https://224.0.0.1/v1' }),
      /224\.0\.0\.1 is unreachable/,
    ],
    ['silence where TLS belongs', () => plain(() => {}), tooSlow],
    ['an end where TLS belongs', () => plain((socket) => socket.end()), closed],
    ['a reset where TLS belongs', () => plain((socket) => socket.resetAndDestroy()), closed],
    [
      'plain HTTP where TLS belongs',
      () => plain((socket) => socket.write('HTTP/1.1 400 No\r\n\r\n')),
      /TLS handshake with \S+ failed\n.*plain http/s,
    ],
  ];

/** Ends after ten seconds, and is not tried again. */
const slowest = (fault: string, open: Unreached['open'], says: RegExp): Unreached => ({
  fault: `${fault}, and a deadline far away`,
  open,
  says,
  timeout: 30_000,
  only: ['create'],
});

const proxyThat = (did: string) => new RegExp(`the proxy \\S+ \\(HTTPS_PROXY\\) ${did}\\n`);
const noAnswer = proxyThat('does not answer');
const proxySays: readonly [react: keyof typeof reactions, says: RegExp][] = [
  ['asksForPassword', proxyThat('did not accept the user name and password \\(407\\)')],
  ['asksOtherwise', proxyThat('did not accept the user name and password \\(407\\)')],
  ['forbids', proxyThat('refused to connect \\(403\\)')],
  ['fails', proxyThat('refused to connect \\(502\\)')],
  ['closes', proxyThat('closed the connection')],
  ['resets', proxyThat('closed the connection')],
  ['hangs', noAnswer],
  ['tricklesHeaders', noAnswer],
  ['hangsInTunnel', tooSlow],
  ['closesInTunnel', /pets\.example closed the connection\n(.*\n)?Check HTTPS_PROXY, or bypass/],
  ['garbage', /the response from the proxy \S+ \(HTTPS_PROXY\) is not valid HTTP/],
  ['hugeHeader', /the response from the proxy \S+ \(HTTPS_PROXY\) is not valid HTTP/],
  ['plainTextAtOnce', /TLS handshake with pets\.example failed/],
  ['plainText', /TLS handshake with pets\.example failed/],
];
const throughProxy = (host: string) => ({
  url: 'https://pets.example/v1',
  env: { HTTPS_PROXY: `http://me:open-sesame@${host}` },
});
const openProxy = (react: keyof typeof reactions) => async () => {
  const { port, asked, seen, close } = await startProxy(react);
  return { ...throughProxy(`127.0.0.1:${port}`), asked: () => asked.length, seen, close };
};
const proxies: typeof addresses = [
  ...proxySays.map(([react, says]) => [`a proxy that ${react}`, openProxy(react), says] as const),
  [
    'a proxy that is not there',
    async () => throughProxy(`127.0.0.1:${await freePort()}`),
    /the proxy 127\.0\.0\.1:\d+ \(HTTPS_PROXY\) refused the connection/,
  ],
  [
    'a proxy that nobody knows',
    () => throughProxy('nowhere.invalid:3128'),
    /cannot resolve the proxy nowhere\.invalid:3128 \(HTTPS_PROXY\)/,
  ],
];

export const unreachedFaults: readonly Unreached[] = [
  ...[...addresses, ...proxies].map(([fault, open, says]) => ({
    fault,
    open,
    says,
    ...([tooSlow, noAnswer].includes(says) && { timeout: 600 }),
  })),
  slowest(
    'a proxy that hangs in the tunnel',
    openProxy('hangsInTunnel'),
    /connecting to pets\.example timed out after 10s\nCheck HTTPS_PROXY, or bypass/,
  ),
];

/** Certificates are made in `folder`, by openssl. */
export function certificateFaults(folder: string): readonly Unreached[] {
  return [
    {
      fault: 'a certificate that nobody else has signed',
      open: () => secure(selfSign(folder)),
      says: /self-signed certificate\n.*NODE_EXTRA_CA_CERTS/s,
    },
    {
      fault: 'a certificate of an authority that this machine does not know',
      open: () => secure(makeAuthority(folder).certify(['IP:127.0.0.1'])),
      says: /unknown certificate authority \(CA\)\n.*NODE_EXTRA_CA_CERTS/s,
    },
  ];
}

const plain = (react: (socket: Socket) => void) =>
  listen(createServer((socket) => socket.once('data', () => react(socket))));

const secure = (certificate: Certificate) =>
  listen(createTlsServer(certificate, (socket) => socket.end()).on('tlsClientError', () => {}));

async function listen(server: Server): Promise<{ url: string; close: () => void }> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `https://127.0.0.1:${port}/v1`,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
