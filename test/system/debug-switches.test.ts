import { describe } from 'vitest';
import { expect, test } from '../support/program.ts';
import { startService } from '../support/service.ts';

const list = ['categories', 'list', '--quiet'];
const create = ['categories', 'create', 'rabbit', '-v'];

/** Variables that make Node or a library say more. */
const switches = [
  [list, { NODE_DEBUG: '*' }],
  [create, { NODE_DEBUG: '*' }],
  [create, { NODE_DEBUG: 'undici,http,net,tls,fetch,stream', DEBUG: '*' }],
  [create, { NODE_DEBUG_NATIVE: 'HTTP2SESSION,CRYPTO,TLS,ASYNC_WRAP' }],
  [create, { NODE_OPTIONS: '--trace-warnings --trace-uncaught --trace-exit' }],
] as const;

describe('debug switches', () => {
  test.for(switches)('do not show the key: %j %j', async ([argv, variables], { petstore }) => {
    const { url, key, requests } = await startService();
    const env = { ...variables, PETSTORE_BASE_URL: url, PETSTORE_API_KEY: key };

    const { code, stdout, stderr } = await petstore(argv, { env });

    expect(code, stderr).toBe(0);
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${key}`]);
    // As it is, in Base64, and as a dump has it: 706c61696e or 70 6c 61 69 6e.
    const dumped = (stdout + stderr).replace(/[\s:]/g, '').toLowerCase();
    for (const form of [
      key,
      Buffer.from(key).toString('base64'),
      Buffer.from(key).toString('hex'),
    ]) {
      expect(dumped).not.toContain(form.slice(0, 16).toLowerCase());
    }
  });

  test('reach a program that petstore runs', async ({ petstore }) => {
    const env = { NODE_DEBUG: 'http', DEBUG: 'all' };

    const { stdout } = await petstore(['sandbox', '--', 'sh', '-c', 'echo "$NODE_DEBUG $DEBUG"'], {
      env,
    });

    expect(stdout).toBe('http all\n');
  });
});
