import { createServer, type TlsOptions } from 'node:tls';
import { describe } from 'vitest';
import { type Authority, type Certificate, selfSign } from '../support/own-authority.ts';
import { listen } from '../support/ports.ts';
import { expect, test } from '../support/program.ts';

const here = ['IP:127.0.0.1'];
const others = ['DNS:pets.example', 'DNS:*.pets.example'];

/** What Node decides as it starts: which authorities it knows, and whether it checks. */
describe.concurrent('a certificate (needs openssl)', { tags: ['openssl'] }, () => {
  test.for<[what: string, make: (own: Authority, folder: string) => Certificate, says: string]>([
    ['that has expired', (own) => own.certify(here, '2020-02-29', '2021-03-01'), 'it has expired'],
    [
      'not valid yet',
      (own) => own.certify(here, '2098-01-01', '2099-01-01'),
      'it is not valid yet',
    ],
    ['for other hosts', (own) => own.certify(others), 'it is for other hosts'],
    ['nobody else signed', (_, folder) => selfSign(folder), 'self-signed certificate'],
  ])(
    '%s is refused, also with checks switched off: exit 5, nothing was sent, and it is said why',
    async ([, make, says], { authority, folder, serve, petstore }) => {
      const service = await serve({ tls: make(authority, folder) });
      const env = { NODE_EXTRA_CA_CERTS: authority.path, NODE_TLS_REJECT_UNAUTHORIZED: '0' };

      const { code, stdout, stderr } = await petstore('categories create rabbit', {
        env: { ...service.env, ...env },
      });

      expect([code, stdout], stderr).toEqual([5, '']);
      expect(stderr).toContain(` of 127.0.0.1:${service.port}: ${says}\n`);
      expect(stderr).toContain('\nNothing was sent.\n');
      expect(stderr).toContain('NODE_TLS_REJECT_UNAUTHORIZED is ignored');
      expect(service.requests).toEqual([]);
    },
  );

  test.for<[what: string, options: TlsOptions, says: string]>([
    [
      'wants a certificate of the client',
      { requestCert: true, rejectUnauthorized: true },
      'requires a client certificate, which petstore cannot present',
    ],
    [
      'wants one, with an older TLS',
      { requestCert: true, rejectUnauthorized: true, maxVersion: 'TLSv1.2' },
      'refused the TLS handshake',
    ],
    [
      'knows only versions of TLS that are not safe',
      { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
      'supports only TLS 1.1 or older, which is not safe',
    ],
    [
      'speaks only HTTP/2',
      { ALPNProtocols: ['h2'] },
      'speaks only HTTP/2, which petstore does not',
    ],
  ])(
    'a service that %s gets no request: exit 5, and it is said why',
    async ([, options, says], { authority, petstore }) => {
      const server = createServer({ ...authority.certify(here), ...options }, (socket) => {
        socket.on('error', () => {}).resume();
      });
      server.on('tlsClientError', () => {});
      const env = {
        PETSTORE_BASE_URL: `https://127.0.0.1:${await listen(server)}/v1`,
        PETSTORE_API_KEY: 'test-key-0123456789',
        NODE_EXTRA_CA_CERTS: authority.path,
      };

      const { code, stderr } = await petstore('categories create rabbit --json', {
        env,
      });
      server.close();

      expect(code, stderr).toBe(5);
      const { message, outcome } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
      expect([message, outcome]).toEqual([expect.stringContaining(says), 'not_sent']);
    },
  );

  test('of an own authority is taken', async ({ authority, serve, petstore }) => {
    const service = await serve({ tls: authority.certify(here) });
    const env = { ...service.env, NODE_EXTRA_CA_CERTS: authority.path };

    const result = await petstore('categories list -q -o ndjson', { env });

    expect(result).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(service.requests).toHaveLength(1);
  });
});
