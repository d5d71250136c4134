import { writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createServer, type TlsOptions } from 'node:tls';
import { describe } from 'vitest';
import { startProxy } from '../support/connect-proxy.ts';
import { type Authority, type Certificate, selfSign } from '../support/own-authority.ts';
import { listen, openServer } from '../support/ports.ts';
import { deadlinesByFile, expect, test } from '../support/program.ts';
import type { Service } from '../support/service.ts';

const here = ['IP:127.0.0.1'];
const create = 'categories create rabbit';
const list = 'categories list -o ndjson';
/** petstore obeys this variable nowhere. */
const unchecked = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };

/** What Node decides as it starts: which authorities it knows, and whether it checks. */
describe.concurrent('a certificate (needs openssl)', { tags: ['openssl'] }, () => {
  test.for<[string, make: (own: Authority, folder: string) => Certificate, says: string]>([
    ['that has expired', (own) => own.certify(here, '2020-02-29', '2021-03-01'), 'it has expired'],
    ['not valid yet', (own) => own.certify(here, '2098-01-01', '2099-01-01'), 'it is not valid y'],
    ['for other hosts', (own) => own.certify(['DNS:pets.example']), 'it is for other hosts\n'],
    ['nobody else signed', (_, folder) => selfSign(folder), 'self-signed certificate\n'],
  ])(
    '%s is refused, also with checks switched off',
    async ([, make, says], { authority, folder, serve, petstore }) => {
      const service = await serve({ tls: make(authority, folder) });

      const { code, stdout, stderr } = await petstore(create, {
        env: { ...service.env, ...unchecked, NODE_EXTRA_CA_CERTS: authority.path },
      });

      expect([code, stdout], stderr).toEqual([5, '']);
      expect(stderr).toContain(` of 127.0.0.1:${service.port}: ${says}`);
      expect(stderr).toContain('\nNothing was sent.\n');
      expect(stderr).toContain('NODE_TLS_REJECT_UNAUTHORIZED is ignored');
      expect(service.requests).toEqual([]);
    },
  );

  const requestCert = { requestCert: true, rejectUnauthorized: true };
  const old: TlsOptions = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' };
  test.for<[what: string, options: TlsOptions, says: string]>([
    [
      'wants one of the client',
      requestCert,
      'requires a client certificate, which petstore cannot',
    ],
    [
      'wants one, with an older TLS',
      { ...requestCert, maxVersion: 'TLSv1.2' },
      'refused the TLS handshake',
    ],
    [
      'knows only versions of TLS that are not safe',
      old,
      'supports only TLS 1.1 or older, which is',
    ],
    [
      'speaks only HTTP/2',
      { ALPNProtocols: ['h2'] },
      'speaks only HTTP/2, which petstore does not',
    ],
  ])(
    'of a service that %s: it gets no request',
    async ([, options, says], { authority, petstore }) => {
      const server = createServer({ ...authority.certify(here), ...options }, (socket) => {
        socket.on('error', () => {}).resume();
      });
      const { port, close } = await openServer(server);

      const env = trusting(authority, port);
      const { code, stderr } = await petstore(`${create} --json`, { env });
      close();

      expect(code, stderr).toBe(5);
      expect(JSON.parse(stderr)).toMatchObject({
        message: expect.stringContaining(says),
        outcome: 'not_sent',
      });
    },
  );
});

test('a write over TLS that timed out is not carried out later (needs openssl)', {
  tags: ['openssl'],
}, async ({ authority, petstore, folder }) => {
  const ends: unknown[] = [];
  // It gets to a request only when its sender has gone. A reset takes the request back.
  const server = createServer(authority.certify(here), (socket) =>
    socket
      .on('error', () => {})
      .on('data', () => writeFileSync(join(folder, 'passed'), ''))
      .on('end', () => ends.push('carried out')),
  );
  const closed = new Promise<void>((resolve) =>
    server.on('connection', (socket: Socket) => socket.on('close', () => resolve())),
  );
  const env = { ...trusting(authority, await listen(server)), ...deadlinesByFile };

  const line = "api POST /categories --data '{}' --timeout 1234ms";
  const { code, stderr } = await petstore(line, { env });
  await closed;
  server.close();

  expect(code, stderr).toBe(6);
  expect(ends).toEqual([]);
});

const proxied = test.extend<{ tls: Certificate; service: Service; throughProxy: ThroughProxy }>({
  tls: ({ authority }, use) => use(authority.certify(['DNS:pets.example', 'IP:127.0.0.1'])),
  /** pets.example is a name that only a proxy can reach. */
  service: async ({ serve, tls }, use) => use(await serve({ tls })),
  throughProxy: ({ authority, service: { key, port } }, use) =>
    use((proxy) => ({
      PETSTORE_BASE_URL: `https://pets.example:${port}/v1`,
      PETSTORE_API_KEY: key,
      NODE_EXTRA_CA_CERTS: authority.path,
      HTTPS_PROXY: proxy,
    })),
});
type ThroughProxy = (proxy: string) => Readonly<Record<string, string>>;

describe.concurrent('through a proxy (needs openssl)', { tags: ['openssl'] }, () => {
  proxied(
    'one tunnel leads to the service; the proxy gets the password, and the service the key',
    async ({ service, throughProxy, petstore, onTestFinished }) => {
      const proxy = await startProxy('good', service.port);
      onTestFinished(proxy.close);
      const env = throughProxy(`http://me:open%20sesame@127.0.0.1:${proxy.port}`);

      const trusted = await petstore(`${list} -v`, { env });
      const untrusted = await petstore(create, {
        env: { ...env, ...unchecked, NODE_EXTRA_CA_CERTS: '' },
      });

      expect(trusted.code, trusted.stderr).toBe(0);
      expect(trusted.stderr).not.toMatch(/sesame|bWU6/);
      expect(proxy.asked[0]).toContain(`CONNECT pets.example:${service.port} HTTP/1.1\r\n`);
      expect(proxy.asked[0]).toMatch(/^proxy-authorization: Basic bWU6b3BlbiBzZXNhbWU=\r$/im);
      expect(proxy.seen().toString('latin1')).not.toMatch(/\r\nauthorization:/i);
      expect(untrusted.stderr).toMatch(
        /cannot verify the certificate of \S+: unknown certificate authority \(CA\)\nNothing was sent\.\n.*NODE_EXTRA_CA_CERTS=/,
      );
      expect(proxy.asked).toHaveLength(2);
      const keys = service.requests.map(({ headers }) => headers.authorization);
      expect(keys).toEqual([`Bearer ${service.key}`]);
    },
  );

  proxied(
    'a proxy that speaks TLS itself has its certificate checked',
    async ({ tls, service, throughProxy, petstore, onTestFinished }) => {
      const proxy = await startProxy('good', service.port, tls);
      onTestFinished(proxy.close);
      const env = throughProxy(`https://127.0.0.1:${proxy.port}`);

      const trusted = await petstore(`${list} -q`, { env });
      const refused = await petstore(`${list} -q`, {
        env: { ...env, ...unchecked, NODE_EXTRA_CA_CERTS: '' },
      });

      expect(trusted).toEqual({ code: 0, stdout: '', stderr: '' });
      expect(refused).toMatchObject({ code: 5, stdout: '' });
      expect(refused.stderr).toContain(
        `cannot verify the certificate of the proxy 127.0.0.1:${proxy.port} (HTTPS_PROXY): unknown certificate authority`,
      );
      expect(proxy.asked).toHaveLength(1);
    },
  );
});

/** Leads a program to a service of that port, whose authority it trusts. */
function trusting(authority: Authority, port: number) {
  return {
    PETSTORE_BASE_URL: `https://127.0.0.1:${port}/v1`,
    PETSTORE_API_KEY: 'test-key-0123456789',
    NODE_EXTRA_CA_CERTS: authority.path,
  };
}
