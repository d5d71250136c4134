import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, vi } from 'vitest';
import { type ConnectProxy, type reactions, startProxy } from '../support/connect-proxy.ts';
import { type Authority, type Certificate, makeAuthority } from '../support/own-authority.ts';
import { cleanEnvironment, expect, launcher, test } from '../support/program.ts';
import { startTlsService, type TlsService } from '../support/tls-service.ts';

const key = 'a-key-that-no-proxy-sees';

/** The built program, a proxy and a service behind real TLS. pets.example is a name that only the proxy can reach. */
describe('through a proxy (needs openssl)', { tags: ['openssl'] }, () => {
  let authority: Authority;
  let certified: Certificate;
  let service: TlsService;
  let folder: string;
  let proxy: ConnectProxy | undefined;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'petstore-tls-'));
    const names = ['DNS:pets.example', 'DNS:localhost', 'IP:127.0.0.1', 'IP:0.0.0.0'];
    authority = makeAuthority(folder);
    certified = authority.certify(names);
    service = await startTlsService(certified, 150);
  });
  afterEach(() => proxy?.close());
  afterAll(() => {
    service.close();
    rmSync(folder, { recursive: true });
  });

  async function start(...args: Parameters<typeof startProxy>): Promise<ConnectProxy> {
    proxy = await startProxy(...args);
    return proxy;
  }

  const environment = (proxyUrl: string, host = 'pets.example') => ({
    PETSTORE_BASE_URL: `https://${host}:${service.port}/v1`,
    PETSTORE_API_KEY: key,
    NODE_EXTRA_CA_CERTS: authority.path,
    HTTPS_PROXY: proxyUrl,
  });

  test('lists through one tunnel; the proxy gets the password, and the service the key', async ({
    petstore,
  }) => {
    const { port, asked, seen } = await start('good', service.port);
    const env = environment(`http://me:open%20sesame@127.0.0.1:${port}`);
    service.keys.length = 0;

    const result = await petstore(['categories', 'list', '-o', 'ndjson', '-v'], { env });

    expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining('"name":"dog"') });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatch(new RegExp(`^CONNECT pets\\.example:${service.port} HTTP/1\\.1\r\n`));
    expect(asked[0]).toMatch(/^proxy-authorization: Basic bWU6b3BlbiBzZXNhbWU=\r$/im);
    expect(service.keys).toEqual([`Bearer ${key}`]);
    expect(seen().toString('latin1')).not.toMatch(/a-key-that|\r\nauthorization:/i);
    expect(result.stderr).toMatch(
      new RegExp(`using proxy 127\\.0\\.0\\.1:${port} for \\S+ \\(HTTPS_PROXY\\)`),
    );
    expect(result.stderr).not.toMatch(/sesame|bWU6/);
  });

  test('creates through one tunnel, once', async ({ petstore }) => {
    const { port, asked } = await start('good', service.port);
    const before = service.categories.length;

    const result = await petstore(['categories', 'create', 'rabbit', '--json'], {
      env: environment(`http://127.0.0.1:${port}`),
    });

    expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining('"rabbit"') });
    expect(asked).toHaveLength(1);
    expect(service.categories.length).toBe(before + 1);
  });

  test('imports eight at a time, each request in a tunnel of its own', async ({
    petstore,
    folder,
  }) => {
    const { port, asked, open } = await start('good', service.port);
    const names = Array.from({ length: 24 }, (_, n) => `species ${n}`);
    writeFileSync(join(folder, 'pets.csv'), ['name', ...names].join('\n'));

    const { code } = await petstore(['categories', 'import', 'pets.csv', '--yes', '-q'], {
      env: environment(`http://127.0.0.1:${port}`),
    });

    expect(code).toBe(0);
    expect(service.categories.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    expect(service.mostAtOnce()).toBe(8);
    expect(asked).toHaveLength(8);
    await vi.waitFor(() => expect(open()).toBe(0));
  });

  test('reaches a proxy that speaks TLS itself, and checks its certificate', async ({
    petstore,
  }) => {
    const { port, asked, seen } = await start('good', service.port, { certified });
    const env = environment(`https://127.0.0.1:${port}`);
    const { NODE_EXTRA_CA_CERTS: _, ...unknown } = env;

    const trusted = await petstore(['categories', 'list', '-q'], { env });
    const refused = await petstore(['categories', 'list', '-q'], {
      env: { ...unknown, NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    });

    expect(trusted).toMatchObject({ code: 0, stderr: '' });
    expect(refused).toMatchObject({ code: 5, stdout: '' });
    expect(refused.stderr).toContain(
      `cannot verify the certificate of the proxy 127.0.0.1:${port}: unknown certificate authority`,
    );
    expect(asked).toHaveLength(1);
    expect(seen().toString('latin1')).not.toContain(key);
  });

  test.for([
    ['0.0.0.0', '10.0.0.0/8, 0.0.0.0', 0],
    ['0.0.0.0', '10.0.0.0/8', 1],
    ['127.0.0.1', '', 0],
    ['localhost', '', 0],
  ] as const)(
    '%s with NO_PROXY=%j asks the proxy %i times',
    async ([host, noProxy, times], { petstore }) => {
      const { port, asked } = await start('good', service.port);
      const env = { ...environment(`http://127.0.0.1:${port}`, host), NO_PROXY: noProxy };

      expect((await petstore(['categories', 'list', '-q'], { env })).code).toBe(0);

      expect(asked).toHaveLength(times);
    },
  );

  test.for<[react: keyof typeof reactions, says: RegExp]>([
    ['asksForPassword', /^the proxy \S+ rejected the password in HTTPS_PROXY \(407\)$/],
    ['forbids', /^the proxy \S+ refused to connect to pets\.example:\d+ \(403\)$/],
    ['closes', /^the proxy \S+ closed the connection$/],
    ['resets', /^the proxy \S+ closed the connection$/],
    ['closesInTunnel', /^the proxy \S+ closed the connection to pets\.example:\d+$/],
    ['garbage', /^the response from the proxy \S+ is not valid HTTP$/],
    ['hugeHeader', /^the response from the proxy \S+ is not valid HTTP$/],
    ['plainText', /^TLS handshake with pets\.example:\d+ failed$/],
  ])('%s: a create is not sent, and the proxy asked once', async ([react, says], { petstore }) => {
    const { port, asked } = await start(react);

    const result = await petstore(['categories', 'create', 'rabbit', '--json'], {
      env: environment(`http://me:open-sesame@127.0.0.1:${port}`),
    });

    expect(result).toMatchObject({ code: 5, stdout: '' });
    expect(JSON.parse(result.stderr)).toMatchObject({
      kind: 'network',
      outcome: 'not_sent',
      message: expect.stringMatching(says),
    });
    expect(result.stderr).not.toMatch(/sesame|NO_PROXY=pets\.example:/);
    expect(asked).toHaveLength(1);
  });

  test.for<[react: keyof typeof reactions, says: string]>([
    ['hangs', 'the proxy 127.0.0.1:PORT timed out after 10s'],
    ['hangsInTunnel', 'through the proxy 127.0.0.1:PORT timed out after 10s'],
  ])(
    '%s: it is given up after ten seconds',
    { concurrent: true },
    async ([react, says], { petstore, expect }) => {
      const silent = await startProxy(react);
      const start = Date.now();

      const result = await petstore(['categories', 'create', 'rabbit'], {
        env: environment(`http://127.0.0.1:${silent.port}`),
      });

      expect(result).toMatchObject({ code: 5, stdout: '' });
      expect(result.stderr).toContain(says.replace('PORT', String(silent.port)));
      expect(result.stderr).toContain('Nothing was sent.');
      expect(silent.asked).toHaveLength(1);
      expect(Date.now() - start).toBeGreaterThan(9_000);
      silent.close();
    },
  );

  test('Ctrl-C ends the wait for a proxy at once', async ({ folder }) => {
    const { port, asked } = await start('hangs');
    const env = { ...cleanEnvironment(folder), ...environment(`http://127.0.0.1:${port}`) };
    const child = spawn(process.execPath, [launcher, 'categories', 'create', 'x'], { env });
    const ended = new Promise((resolve) => child.once('close', resolve));
    await vi.waitFor(() => expect(asked).toHaveLength(1), { timeout: 10_000 });
    const sent = Date.now();

    child.kill('SIGINT');

    expect(await ended).toBe(130);
    // It would give up by itself after ten.
    expect(Date.now() - sent).toBeLessThan(9_000);
  });

  test('nothing about proxies is loaded where none is set', async ({ execute, folder }) => {
    const { port } = await start('good', service.port);
    const hook = join(folder, 'loaded.cjs');
    writeFileSync(
      hook,
      `process.on('exit', () => require('fs').writeSync(2, Object.keys(require.cache).join('\\n')))`,
    );
    const list = ['-r', hook, launcher, 'categories', 'list', '-q'];
    const { HTTPS_PROXY, ...direct } = environment(`http://127.0.0.1:${port}`, '0.0.0.0');

    const without = await execute(process.execPath, list, { env: direct });
    const through = await execute(process.execPath, list, { env: { ...direct, HTTPS_PROXY } });

    expect([without.code, through.code]).toEqual([0, 0]);
    expect(without.stderr).toMatch(/chunks.transport-/);
    expect(without.stderr).not.toMatch(/chunks.(proxy|tunnel)-/);
    expect(through.stderr).toMatch(/chunks.tunnel-/);
  });

  test('works with tinyproxy (needs it installed)', { tags: ['tinyproxy'] }, async ({
    petstore,
    folder,
  }) => {
    const port = await freePort();
    const settings = [
      `Port ${port}`,
      'Listen 127.0.0.1',
      'BasicAuth me sesame',
      `LogFile "${folder}/log"`,
    ];
    writeFileSync(join(folder, 'tinyproxy.conf'), settings.join('\n'));
    const tinyproxy = spawn('tinyproxy', ['-d', '-c', join(folder, 'tinyproxy.conf')]);
    const ended = new Promise((resolve) => tinyproxy.once('close', resolve));
    const through = (user: string, command: string[]) =>
      petstore(command, { env: environment(`http://${user}127.0.0.1:${port}`, '0.0.0.0') });
    await vi.waitFor(
      async () => expect((await through('', ['categories', 'list'])).stderr).toContain('(407)'),
      { timeout: 10_000 },
    );

    const created = await through('me:sesame@', ['categories', 'create', 'newt', '--json']);
    const wrong = await through('me:other@', ['categories', 'list']);
    const dead = await petstore(['categories', 'list'], {
      env: {
        ...environment(`http://me:sesame@127.0.0.1:${port}`),
        PETSTORE_BASE_URL: 'https://0.0.0.0:1',
      },
    });
    tinyproxy.kill();
    await ended;

    expect(created).toMatchObject({ code: 0, stdout: expect.stringContaining('"newt"') });
    expect(wrong.stderr).toContain('rejected the password in HTTPS_PROXY (401)');
    expect(dead.stderr).toMatch(/could not connect to 0\.0\.0\.0:1 \(5\d\d\)/);
  });

  describe('a certificate authority of one’s own', () => {
    test.for(['direct', 'through a proxy'])(
      '%s: is refused with the reason and the way out',
      async (way, { petstore }) => {
        const { port, asked } = await start('good', service.port);
        const host = way === 'direct' ? '127.0.0.1' : 'pets.example';
        const { NODE_EXTRA_CA_CERTS: _, ...env } = environment(`http://127.0.0.1:${port}`, host);

        const result = await petstore(['categories', 'create', 'rabbit'], {
          env: { ...env, NODE_TLS_REJECT_UNAUTHORIZED: '0' },
        });

        expect(result).toMatchObject({ code: 5, stdout: '' });
        expect(result.stderr).toMatch(
          /cannot verify the certificate of \S+: unknown certificate authority \(CA\)\nNothing was sent\.\n.*NODE_EXTRA_CA_CERTS=/,
        );
        expect(asked).toHaveLength(way === 'direct' ? 0 : 1);
      },
    );

    test('a certificate for another host is refused through a proxy as well', async ({
      petstore,
    }) => {
      const { port, asked } = await start('good', service.port);
      const env = environment(`http://127.0.0.1:${port}`, 'other.example');
      service.keys.length = 0;

      const result = await petstore(['categories', 'list'], { env });

      expect(result).toMatchObject({ code: 5, stdout: '' });
      expect(result.stderr).toMatch(
        /cannot verify the certificate of other\.example:\d+: issued for /,
      );
      expect(asked).toHaveLength(1);
      expect(service.keys).toEqual([]);
    });
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
