import { describe } from 'vitest';
import { expect, reply, test } from '../support/petstore.ts';

const service = 'https://pets.example/v1';

describe('NO_PROXY', () => {
  const exempt = [
    ['pets.example', 'pets.example'],
    ['pets.example.', 'pets.example'],
    ['pets.example', 'pets.example.'],
    ['example', 'pets.example'],
    ['.example', 'pets.example'],
    ['*.example', 'pets.example'],
    ['one.example,pets.example', 'pets.example'],
    ['one.example  pets.example', 'pets.example'],
    ['*', 'pets.example'],
    ['pets.example:443', 'pets.example'],
    ['pets.example:8443', 'pets.example:8443'],
    ['10.1.2.3', '10.1.2.3'],
    ['fd00::1', '[fd00:0:0::1]'],
    ['[fd00::1]:443', '[fd00::1]'],
  ];
  const others = [
    ['ts.example', 'pets.example'],
    ['api.pets.example', 'pets.example'],
    [', .', 'pets.example'],
    ['pets.example:8443', 'pets.example'],
    ['2.3', '10.1.2.3'],
    ['10.0.0.0/8', '10.1.2.3'],
    ['[fd00::1]:8443', '[fd00::1]'],
    ['fd00::1', '[fd00::2]'],
  ];

  test.for([
    ['exempts', true, exempt],
    ['does not exempt', false, others],
  ] as const)('%s', async ([, isExempt, rows], { petstore, sandbox }) => {
    for (const [noProxy, host] of rows) {
      sandbox.reactions.push(reply(200, []));
      const base = `https://${host}/v1`;
      const env = { PETSTORE_BASE_URL: base, HTTPS_PROXY: 'one:3128', NO_PROXY: noProxy };

      expect(await petstore('categories list', { env })).toMatchObject({ exitCode: 0 });
      const proxy = sandbox.requests.at(-1)?.proxy?.name;
      expect(proxy, `"${noProxy}" and ${host}`).toBe(isExempt ? undefined : 'one:3128');
    }
  });
});

describe('the proxy of a request', () => {
  const proxyOf = { name: 'one:3128', source: 'HTTPS_PROXY', credentials: undefined };

  test.for([
    [{ HTTPS_PROXY: 'http://one:3128' }, proxyOf],
    [{ HTTPS_PROXY: 'one:3128' }, { ...proxyOf, origin: 'http://one:3128' }],
    [{ HTTPS_PROXY: 'https://one' }, { name: 'one:443', origin: 'https://one' }],
    [{ HTTPS_PROXY: 'http://[::1]:3128' }, { name: '[::1]:3128', origin: 'http://[::1]:3128' }],
    [{ HTTPS_PROXY: 'http://me:p%40ss@one:3128' }, { ...proxyOf, credentials: 'me:p@ss' }],
    [{ HTTPS_PROXY: 'http://me@one:3128' }, { ...proxyOf, credentials: 'me:' }],
    [{ https_proxy: 'low:1', HTTPS_PROXY: 'up:1' }, { name: 'low:1' }],
    [{ https_proxy: '', HTTPS_PROXY: 'up:1' }, { name: 'up:1' }],
    [{ ALL_PROXY: 'all:1' }, { name: 'all:1', source: 'ALL_PROXY' }],
    [{ ALL_PROXY: 'all:1', HTTPS_PROXY: 'up:1' }, { name: 'up:1' }],
    [{ HTTP_PROXY: 'http:1', http_proxy: 'http:1' }, undefined],
    [{ HTTPS_PROXY: 'one:3128', NO_PROXY: 'pets.example' }, undefined],
    [{ HTTPS_PROXY: 'one:3128', NO_PROXY: 'pets.example', no_proxy: 'other' }, proxyOf],
    [{ HTTPS_PROXY: 'nonsense%%%', NO_PROXY: '*' }, undefined],
    // This machine needs no proxy.
    [{ PETSTORE_BASE_URL: 'http://127.0.0.1:4010/v1', ALL_PROXY: 'nonsense%%%' }, undefined],
    [{ PETSTORE_BASE_URL: 'https://localhost:1/v1', HTTPS_PROXY: 'one:3128' }, undefined],
    [{ PETSTORE_BASE_URL: 'https://[::1]:1/v1', HTTPS_PROXY: 'one:3128' }, undefined],
  ] as const)('with %j', async ([given, proxy], { petstore, sandbox }) => {
    sandbox.reactions.push(reply(200, []));
    const env = { PETSTORE_BASE_URL: service, ...given };

    expect((await petstore('categories list', { env })).exitCode).toBe(0);

    if (proxy) expect(sandbox.requests[0]?.proxy).toMatchObject(proxy);
    else expect(sandbox.requests[0]?.proxy).toBeUndefined();
  });

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

    const first = await petstore('categories list -v', { env });
    const second = await petstore('categories list -v --json', { env });

    const said = 'using proxy one:3128 for pets.example (HTTPS_PROXY)';
    expect(first.stderr).toContain(`petstore: ${said}\n`);
    expect(second.events()).toContainEqual({ event: 'notice', message: said });
    const all = first.stdout + first.stderr + second.stdout + second.stderr;
    expect(all).not.toMatch(/open.{1,3}sesame|bWU6b3Blbi/);
    expect(first.stdout).toContain('[key]');
  });
});
