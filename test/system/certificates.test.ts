import { describe } from 'vitest';
import { type Authority, type Certificate, selfSign } from '../support/own-authority.ts';
import { expect, test } from '../support/program.ts';

const here = ['IP:127.0.0.1'];
const others = ['DNS:pets.example', 'DNS:*.pets.example'];

/** What Node decides as it starts: which authorities it knows, and whether it checks. */
describe.concurrent('a certificate (needs openssl)', { tags: ['openssl'] }, () => {
  test.for<[what: string, make: (own: Authority, folder: string) => Certificate, says: string]>([
    ['that has expired', (own) => own.certify(here, '2020-02-29', '2021-03-01'), 'expired'],
    ['not valid yet', (own) => own.certify(here, '2098-01-01', '2099-01-01'), 'not yet valid'],
    ['for other hosts', (own) => own.certify(others), 'issued for another host'],
    ['nobody else signed', (_, folder) => selfSign(folder), 'self-signed certificate'],
  ])(
    '%s is refused, also with checks switched off: exit 5, nothing was sent, and it is said why',
    async ([, make, says], { authority, folder, serve, petstore }) => {
      const service = await serve({ tls: make(authority, folder) });
      const env = { NODE_EXTRA_CA_CERTS: authority.path, NODE_TLS_REJECT_UNAUTHORIZED: '0' };

      const { code, stdout, stderr } = await petstore(['categories', 'create', 'rabbit'], {
        env: { ...service.env, ...env },
      });

      expect([code, stdout], stderr).toEqual([5, '']);
      expect(stderr).toContain(` of 127.0.0.1:${service.port}: ${says}\n`);
      expect(stderr).toContain('\nNothing was sent.\n');
      expect(stderr).toContain('NODE_TLS_REJECT_UNAUTHORIZED is ignored');
      expect(service.requests).toEqual([]);
    },
  );

  test('of an own authority is taken', async ({ authority, serve, petstore }) => {
    const service = await serve({ tls: authority.certify(here) });
    const env = { ...service.env, NODE_EXTRA_CA_CERTS: authority.path };

    const result = await petstore(['categories', 'list', '-q', '-o', 'ndjson'], { env });

    expect(result).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(service.requests).toHaveLength(1);
  });
});
