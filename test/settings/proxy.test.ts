import { describe } from 'vitest';
import { expect, reply, test } from '../support/petstore.ts';

const list = 'categories list';

describe('NO_PROXY', () => {
  /** A host, and what NO_PROXY may be. */
  const exempt = [
    ['pets.example', 'pets.example | pets.example. | pets.example:443 | example | .example'],
    ['pets.example', '*.example | one.example,pets.example | one.example  pets.example | *'],
    ['pets.example.', 'pets.example'],
    ['pets.example:8443', 'pets.example:8443'],
    ['10.1.2.3', '10.1.2.3'],
    ['[fd00:0:0::1]', 'fd00::1 | [fd00::1]:443'],
  ] as const;
  const others = [
    ['pets.example', 'ts.example | api.pets.example | , . | pets.example:8443'],
    ['10.1.2.3', '2.3 | 10.0.0.0/8'],
    ['[fd00::1]', '[fd00::1]:8443 | fd00::2'],
  ] as const;

  test.for([
    ['exempts', undefined, exempt],
    ['does not exempt', 'one:3128', others],
  ] as const)('%s', async ([, proxy, rows], { petstore, sandbox }) => {
    for (const [host, texts] of rows) {
      for (const NO_PROXY of texts.split(' | ')) {
        sandbox.reactions.push(reply(200, []));
        const PETSTORE_BASE_URL = `https://${host}/v1`;

        await petstore(list, { env: { PETSTORE_BASE_URL, HTTPS_PROXY: 'one:3128', NO_PROXY } });

        expect(sandbox.requests.at(-1)?.proxy?.name, `"${NO_PROXY}" and ${host}`).toBe(proxy);
      }
    }
  });
});

const PETSTORE_BASE_URL = 'https://pets.example/v1';
const one = { name: 'one:3128', source: 'HTTPS_PROXY', credentials: undefined };

test.for([
  [{ HTTPS_PROXY: 'http://one:3128' }, one],
  [{ HTTPS_PROXY: 'one:3128' }, { ...one, origin: 'http://one:3128' }],
  [{ HTTPS_PROXY: 'https://one' }, { name: 'one:443', origin: 'https://one' }],
  [{ HTTPS_PROXY: 'http://[::1]:3128' }, { name: '[::1]:3128', origin: 'http://[::1]:3128' }],
  [{ HTTPS_PROXY: 'http://me:p%40ss@one:3128' }, { ...one, credentials: 'me:p@ss' }],
  [{ HTTPS_PROXY: 'http://me@one:3128' }, { ...one, credentials: 'me:' }],
  [{ https_proxy: 'low:1', HTTPS_PROXY: 'up:1' }, { name: 'low:1' }],
  [{ https_proxy: '', HTTPS_PROXY: 'up:1' }, { name: 'up:1' }],
  [{ ALL_PROXY: 'all:1' }, { name: 'all:1', source: 'ALL_PROXY' }],
  [{ ALL_PROXY: 'all:1', HTTPS_PROXY: 'up:1' }, { name: 'up:1' }],
  [{ HTTP_PROXY: 'http:1', http_proxy: 'http:1' }, undefined],
  [{ HTTPS_PROXY: 'one:3128', NO_PROXY: 'pets.example', no_proxy: 'other' }, one],
  [{ HTTPS_PROXY: 'nonsense%%%', NO_PROXY: '*' }, undefined],
  // This machine needs no proxy.
  [{ PETSTORE_BASE_URL: 'http://127.0.0.1:4010/v1', ALL_PROXY: 'nonsense%%%' }, undefined],
  [{ PETSTORE_BASE_URL: 'https://localhost:1/v1', HTTPS_PROXY: 'one:3128' }, undefined],
  [{ PETSTORE_BASE_URL: 'https://[::1]:1/v1', HTTPS_PROXY: 'one:3128' }, undefined],
] as const)('with %j the proxy is %j', async ([given, proxy], { petstore, sandbox }) => {
  sandbox.reactions.push(reply(200, []));

  expect(await petstore(list, { env: { PETSTORE_BASE_URL, ...given } })).toMatchObject({
    exitCode: 0,
  });

  if (proxy) expect(sandbox.requests[0]?.proxy).toMatchObject(proxy);
  else expect(sandbox.requests[0]?.proxy).toBeUndefined();
});

test('--verbose names the proxy, and its password stands nowhere', async ({
  petstore,
  sandbox,
}) => {
  const password = 'open sesame';
  const credentials = Buffer.from(`me:${password}`).toString('base64');
  sandbox.reactions.push(reply(200, [{ id: 1, name: password, description: credentials }]));
  const HTTPS_PROXY = `http://me:${encodeURIComponent(password)}@one:3128`;

  const { stdout, stderr } = await petstore(`${list} -v`, {
    env: { PETSTORE_BASE_URL, HTTPS_PROXY },
    secrets: [password],
  });

  expect(stderr).toContain('petstore: using proxy one:3128 for pets.example (HTTPS_PROXY)\n');
  expect(stdout).toContain('[key]');
  expect(stdout + stderr).not.toMatch(/open.{1,3}sesame|bWU6b3Blbi/);
});
