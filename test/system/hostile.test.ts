import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { type Authority, makeAuthority, selfSign } from '../support/own-authority.ts';
import { expect, test } from '../support/program.ts';

/** What Node decides as it starts: which authorities it knows, and whether it checks. */
describe.concurrent('a certificate (needs openssl)', { tags: ['openssl'] }, () => {
  let folder: string;
  let authority: Authority;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'petstore-tls-'));
    authority = makeAuthority(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const here = ['IP:127.0.0.1'];
  const others = ['DNS:pets.example', 'DNS:*.pets.example'];

  test.for([
    [
      'that has expired',
      () => authority.certify(here, '2020-02-29', '2021-03-01'),
      {},
      /of 127\.0\.0\.1:\d+: expired$/m,
    ],
    [
      'that is not valid yet',
      () => authority.certify(here, '2098-01-01', '2099-01-01'),
      {},
      /of 127\.0\.0\.1:\d+: not yet valid$/m,
    ],
    [
      'for other hosts',
      () => authority.certify(others),
      {},
      /of 127\.0\.0\.1:\d+: issued for another host$/m,
    ],
    [
      'that nobody else has signed, with checks switched off by the environment',
      () => selfSign(folder),
      { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
      /of 127\.0\.0\.1:\d+: self-signed certificate$/m,
    ],
  ] as const)(
    '%s is refused: exit 5, nothing was sent, and it is said why',
    async ([, certify, more, says], { serve, petstore }) => {
      const service = await serve({ tls: certify() });
      const env = { ...service.env, NODE_EXTRA_CA_CERTS: authority.path, ...more };

      const { code, stdout, stderr } = await petstore(['categories', 'create', 'rabbit'], { env });

      expect([code, stdout], stderr).toEqual([5, '']);
      expect(stderr).toMatch(says);
      expect(stderr).toContain('\nNothing was sent.\n');
      const notice = 'NODE_TLS_REJECT_UNAUTHORIZED is ignored';
      expect(stderr.includes(notice)).toBe('NODE_TLS_REJECT_UNAUTHORIZED' in more);
      expect(service.requests).toEqual([]);
    },
  );

  test('of an own authority is taken', async ({ serve, petstore }) => {
    const service = await serve({ tls: authority.certify(here) });
    const env = { ...service.env, NODE_EXTRA_CA_CERTS: authority.path };

    const result = await petstore(['categories', 'list', '-q', '-o', 'ndjson'], { env });

    expect(result).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(service.requests).toHaveLength(1);
  });
});
