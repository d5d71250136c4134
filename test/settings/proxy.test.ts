import { describe } from 'vitest';
import { isExempt } from '../../src/settings/no-proxy.ts';
import { expect, reply, test } from '../support/petstore.ts';

const service = 'https://pets.example/v1';

describe('NO_PROXY', () => {
  test.for([
    ['pets.example', 'https://pets.example', true],
    ['PETS.Example', 'https://pets.example', true],
    ['pets.example.', 'https://pets.example', true],
    ['pets.example', 'https://pets.example.', true],
    ['example', 'https://pets.example', true],
    ['.example', 'https://pets.example', true],
    ['*.example', 'https://pets.example', true],
    ['.pets.example', 'https://pets.example', true],
    ['ts.example', 'https://pets.example', false],
    ['api.pets.example', 'https://pets.example', false],
    ['one.example,pets.example', 'https://pets.example', true],
    ['one.example  pets.example', 'https://pets.example', true],
    ['*', 'https://pets.example', true],
    ['', 'https://pets.example', false],
    [', .', 'https://pets.example', false],
    ['pets.example:443', 'https://pets.example', true],
    ['pets.example:8443', 'https://pets.example', false],
    ['pets.example:8443', 'https://pets.example:8443', true],
    ['10.1.2.3', 'https://10.1.2.3', true],
    ['10.1.2.3', 'https://10.1.2.4', false],
    ['2.3', 'https://10.1.2.3', false],
    ['10.0.0.0/8', 'https://10.1.2.3', true],
    ['10.0.0.0/8', 'https://11.1.2.3', false],
    ['10.0.0.0/33', 'https://10.0.0.0', false],
    ['10.0.0.0/', 'https://10.0.0.0', false],
    ['10.0.0.0/8', 'https://pets.example', false],
    ['fd00::1', 'https://[fd00:0:0::1]', true],
    ['[fd00::1]', 'https://[fd00::1]', true],
    ['[fd00::1]:8443', 'https://[fd00::1]', false],
    ['[fd00::1]:443', 'https://[fd00::1]', true],
    ['fd00::/8', 'https://[fd12::1]', true],
    ['fd00::/8', 'https://[fe80::1]', false],
    ['::ffff:10.1.2.3', 'https://10.1.2.3', true],
  ] as const)('"%s" and %s: exempt is %s', ([noProxy, url, exempt]) => {
    expect(isExempt(new URL(url), noProxy)).toBe(exempt);
  });
});

describe('the proxy of a request', () => {
  const proxyOf = { name: 'one:3128', source: 'HTTPS_PROXY', credentials: undefined };

  test.for([
    [{ HTTPS_PROXY: 'http://one:3128' }, proxyOf],
    [{ HTTPS_PROXY: 'one:3128' }, { ...proxyOf, protocol: 'http:' }],
    [{ HTTPS_PROXY: 'https://one' }, { name: 'one:443', protocol: 'https:', port: '443' }],
    [{ HTTPS_PROXY: 'http://one/' }, { name: 'one:80', port: '80' }],
    [{ HTTPS_PROXY: 'http://[::1]:3128' }, { name: '[::1]:3128', hostname: '::1' }],
    [{ HTTPS_PROXY: 'http://me:p%40ss@one:3128' }, { ...proxyOf, credentials: 'me:p@ss' }],
    [{ HTTPS_PROXY: 'http://me@one:3128' }, { ...proxyOf, credentials: 'me:' }],
    [
      { https_proxy: 'low:1', HTTPS_PROXY: 'up:1' },
      { name: 'low:1', source: 'https_proxy' },
    ],
    [
      { https_proxy: '', HTTPS_PROXY: 'up:1' },
      { name: 'up:1', source: 'HTTPS_PROXY' },
    ],
    [{ ALL_PROXY: 'all:1' }, { name: 'all:1', source: 'ALL_PROXY' }],
    [{ ALL_PROXY: 'all:1', HTTPS_PROXY: 'up:1' }, { name: 'up:1' }],
    [{ HTTP_PROXY: 'http:1', http_proxy: 'http:1' }, undefined],
    [{ HTTPS_PROXY: 'one:3128', NO_PROXY: 'pets.example' }, undefined],
    [{ HTTPS_PROXY: 'one:3128', NO_PROXY: 'pets.example', no_proxy: 'other' }, proxyOf],
    [{ HTTPS_PROXY: 'nonsense%%%', NO_PROXY: '*' }, undefined],
  ] as const)('of %j is %j', async ([env, proxy], { petstore, sandbox }) => {
    sandbox.reactions.push(reply(200, []));

    const { exitCode } = await petstore(['categories', 'list'], {
      env: { PETSTORE_BASE_URL: service, ...env },
    });

    expect(exitCode).toBe(0);
    if (proxy) expect(sandbox.requests[0]?.proxy).toMatchObject(proxy);
    else expect(sandbox.requests[0]?.proxy).toBeUndefined();
  });

  test.for(['http://127.0.0.1:4010/v1', 'https://localhost:1/v1', 'https://[::1]:1/v1'])(
    'to %s is none: this machine needs no proxy',
    async (url, { petstore, sandbox }) => {
      sandbox.reactions.push(reply(200, []));
      const env = { PETSTORE_BASE_URL: url, HTTPS_PROXY: 'one:3128', ALL_PROXY: 'nonsense%%%' };

      expect((await petstore(['categories', 'list'], { env })).exitCode).toBe(0);

      expect(sandbox.requests).toMatchObject([{ url: { origin: new URL(url).origin } }]);
      expect(sandbox.requests[0]?.proxy).toBeUndefined();
    },
  );

  test.for([
    ['http://me:open-sesame@one:port', 'invalid proxy URL in HTTPS_PROXY'],
    ['http://me:open#sesame@one:3128', 'invalid proxy URL in HTTPS_PROXY'],
    ['http://me:3128/open-sesame@one:3128', 'invalid proxy URL in HTTPS_PROXY'],
    ['http://me:open-sesame%@one:3128', 'invalid proxy URL in HTTPS_PROXY'],
    ['http://me:open-sesame@one:0', 'invalid proxy URL in HTTPS_PROXY'],
    ['http://me:open-sesame@one:3128/?x', 'invalid proxy URL in HTTPS_PROXY'],
    ['ftp://me:open-sesame@one:3128', 'invalid proxy URL in HTTPS_PROXY'],
    ['socks5h://me:open-sesame@one:1080', 'SOCKS proxies are not supported (HTTPS_PROXY)'],
  ] as const)(
    '%s is refused before anything is sent, and not shown',
    async ([value, message], { petstore, sandbox }) => {
      const result = await petstore(['categories', 'create', 'rabbit', '-v', '--json'], {
        env: { PETSTORE_BASE_URL: service, HTTPS_PROXY: value },
      });

      expect(result.exitCode).toBe(2);
      expect(result.events().at(-1)).toMatchObject({
        kind: 'config',
        outcome: 'not_sent',
        message: expect.stringContaining(message),
      });
      expect(result.stderr).not.toMatch(/sesame|one:/);
      expect(sandbox.requests).toHaveLength(0);
    },
  );

  test('--verbose names it, and its password stands nowhere', async ({ petstore, sandbox }) => {
    const password = 'open sesame';
    sandbox.reactions.push(
      reply(200, [{ id: 1, name: password }]),
      reply(200, [{ id: 1, name: Buffer.from(`me:${password}`).toString('base64') }]),
    );
    const env = {
      PETSTORE_BASE_URL: service,
      HTTPS_PROXY: `http://me:${encodeURIComponent(password)}@one:3128`,
    };

    const first = await petstore(['categories', 'list', '-v'], { env });
    const second = await petstore(['categories', 'list', '-v', '--json'], { env });

    const said = 'using proxy one:3128 for pets.example (HTTPS_PROXY)';
    expect(first.stderr).toContain(`petstore: ${said}\n`);
    expect(second.events()).toContainEqual({ event: 'notice', message: said });
    const all = first.stdout + first.stderr + second.stdout + second.stderr;
    expect(all).not.toMatch(/open.{1,3}sesame|bWU6b3Blbi/);
    expect(first.stdout).toContain('[key]');
  });

  test('--verbose says when NO_PROXY is why there is none', async ({ petstore, sandbox }) => {
    sandbox.reactions.push(reply(200, []));
    const env = { PETSTORE_BASE_URL: service, HTTPS_PROXY: 'one:3128', NO_PROXY: '.example' };

    const { stderr } = await petstore(['categories', 'list', '-v'], { env });

    expect(stderr).toContain('petstore: no proxy for pets.example (NO_PROXY)\n');
  });
});
