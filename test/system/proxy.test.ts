import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, vi } from 'vitest';
import { type ConnectProxy, startProxy } from '../support/connect-proxy.ts';
import type { Certificate } from '../support/own-authority.ts';
import { freePort } from '../support/ports.ts';
import { test as base, expect } from '../support/program.ts';
import type { Service } from '../support/service.ts';

const create = ['categories', 'create', 'rabbit', '--json'];
const list = ['categories', 'list'];

type ProxyFixtures = {
  tls: Certificate;
  /** A service behind real TLS. pets.example is a name that only a proxy can reach. */
  service: Service;
  /** Starts a proxy to the service. */
  openProxy: (certified?: Certificate) => Promise<ConnectProxy>;
  environment: (proxy: string, host?: string) => Record<string, string>;
};

const test = base.extend<ProxyFixtures>({
  tls: ({ authority }, use) =>
    use(authority.certify(['DNS:pets.example', 'IP:127.0.0.1', 'IP:0.0.0.0'])),

  service: async ({ serve, tls }, use) => use(await serve({ tls })),

  openProxy: async ({ service }, use) => {
    const proxies: ConnectProxy[] = [];
    await use(async (certified) => {
      const proxy = await startProxy('good', service.port, certified);
      proxies.push(proxy);
      return proxy;
    });
    for (const { close } of proxies) close();
  },

  environment: ({ authority, service: { key, port } }, use) =>
    use((proxy, host = 'pets.example') => ({
      PETSTORE_BASE_URL: `https://${host}:${port}/v1`,
      PETSTORE_API_KEY: key,
      NODE_EXTRA_CA_CERTS: authority.path,
      HTTPS_PROXY: proxy,
    })),
});

describe.concurrent('through a proxy (needs openssl)', { tags: ['openssl'] }, () => {
  test('lists through one tunnel; the proxy gets the password, and the service the key', async ({
    service,
    openProxy,
    environment,
    petstore,
  }) => {
    const { port, asked, seen } = await openProxy();
    const env = environment(`http://me:open%20sesame@127.0.0.1:${port}`);

    const { code, stderr } = await petstore([...list, '-o', 'ndjson', '-v'], { env });

    expect(code).toBe(0);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatch(new RegExp(`^CONNECT pets\\.example:${service.port} HTTP/1\\.1\r\n`));
    expect(asked[0]).toMatch(/^proxy-authorization: Basic bWU6b3BlbiBzZXNhbWU=\r$/im);
    expect(service.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${service.key}`,
    ]);
    const bytes = seen().toString('latin1');
    expect(bytes).not.toContain(service.key);
    expect(bytes).not.toMatch(/\r\nauthorization:/i);
    expect(stderr).toContain(`using proxy 127.0.0.1:${port} for `);
    expect(stderr).toContain(' (HTTPS_PROXY)');
    expect(stderr).not.toMatch(/sesame|bWU6/);
  });

  test('reaches a proxy that speaks TLS itself, and checks its certificate', async ({
    tls,
    service,
    openProxy,
    environment,
    petstore,
  }) => {
    const { port, asked, seen } = await openProxy(tls);
    const { NODE_EXTRA_CA_CERTS, ...env } = environment(`https://127.0.0.1:${port}`);

    const trusted = await petstore([...list, '-q'], { env: { ...env, NODE_EXTRA_CA_CERTS } });
    const refused = await petstore([...list, '-q'], {
      env: { ...env, NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    });

    expect(trusted).toMatchObject({ code: 0, stderr: '' });
    expect(refused).toMatchObject({ code: 5, stdout: '' });
    expect(refused.stderr).toContain(
      `cannot verify the certificate of the proxy 127.0.0.1:${port} (HTTPS_PROXY): unknown certificate authority`,
    );
    expect(asked).toHaveLength(1);
    expect(seen().toString('latin1')).not.toContain(service.key);
  });

  test('the certificate of the service is checked as without a proxy', async ({
    service,
    openProxy,
    environment,
    petstore,
  }) => {
    const { port, asked } = await openProxy();
    const proxy = `http://127.0.0.1:${port}`;
    const { NODE_EXTRA_CA_CERTS: _, ...unknown } = environment(proxy);

    const ofNobody = await petstore('categories create rabbit', {
      env: { ...unknown, NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    });
    const ofOthers = await petstore(list, { env: environment(proxy, 'other.example') });

    expect([ofNobody.code, ofOthers.code]).toEqual([5, 5]);
    expect(ofNobody.stderr).toMatch(
      /cannot verify the certificate of \S+: unknown certificate authority \(CA\)\nNothing was sent\.\n.*NODE_EXTRA_CA_CERTS=/,
    );
    expect(ofOthers.stderr).toMatch(/certificate of other\.example:\d+: it is for other hosts/);
    expect(asked).toHaveLength(2);
    expect(service.requests).toEqual([]);
  });

  test('works with tinyproxy (needs it installed)', { tags: ['tinyproxy'] }, async ({
    environment,
    spawn,
    petstore,
    folder,
  }) => {
    const port = await freePort();
    const settings = [`Port ${port}`, 'Listen 127.0.0.1', 'BasicAuth me sesame'];
    const path = join(folder, 'tinyproxy.conf');
    writeFileSync(path, [...settings, `LogFile "${folder}/log"`].join('\n'));
    spawn('tinyproxy', ['-d', '-c', path]);
    const through = (user: string, argv: string[], more = {}) => {
      const env = environment(`http://${user}127.0.0.1:${port}`, '0.0.0.0');
      return petstore(argv, { env: { ...env, ...more } });
    };
    await vi.waitFor(async () => expect((await through('', list)).stderr).toContain('(407)'), {
      timeout: 10_000,
    });

    const created = await through('me:sesame@', create);
    const wrong = await through('me:other@', list);
    const dead = await through('me:sesame@', list, { PETSTORE_BASE_URL: 'https://0.0.0.0:1' });

    expect(created).toMatchObject({ code: 0, stdout: expect.stringContaining('"rabbit"') });
    expect(wrong.stderr).toContain('(HTTPS_PROXY) refused to connect (401)');
    expect(dead.stderr).toMatch(/\(HTTPS_PROXY\) refused to connect \(5\d\d\)/);
  });
});
