import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, saveSettings, test } from '../support/program.ts';
import { startService } from '../support/service.ts';

const list = ['categories', 'list', '--quiet'];
const create = ['categories', 'create', 'rabbit', '-v'];

/** Variables that make Node or a library say more. */
const switches = [
  [create, { NODE_DEBUG: '*', DEBUG: '*' }],
  [create, { NODE_DEBUG_NATIVE: 'HTTP2SESSION,CRYPTO,TLS,ASYNC_WRAP' }],
  [create, { NODE_OPTIONS: '--trace-warnings --trace-uncaught --trace-exit' }],
] as const;

describe('debug switches', () => {
  test.for(switches)('do not show the key: %j %j', async ([argv, variables], { petstore }) => {
    const { url, key, requests } = await startService();
    const env = { ...variables, PETSTORE_BASE_URL: url, PETSTORE_API_KEY: key };

    const result = await petstore(argv, { env });

    expect(result.code, result.stderr).toBe(0);
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${key}`]);
    expectNoKey(result, key);
  });

  test.for([
    ['standard input', ['--api-key-file', '-'], {}],
    ['an api-key-command', [], { 'api-key-command': 'cat ../../key' }],
  ] as const)(
    'do not show the key that comes from %s',
    async ([, flags, settings], { petstore, folder }) => {
      const { url, key } = await startService();
      saveSettings(folder, { 'base-url': url, ...settings });
      writeFileSync(join(folder, 'key'), `${key}\n`);
      const env = { NODE_DEBUG: '*' };

      const result = await petstore([...list, ...flags], { env, stdin: key });

      expect(result.code, result.stderr).toBe(0);
      expectNoKey(result, key);
    },
  );
});

/** Looks for the key as it is, in Base64, and as a dump has it: 706c61696e or 70 6c 61 69 6e. */
function expectNoKey({ stdout, stderr }: { stdout: string; stderr: string }, key: string): void {
  const dumped = (stdout + stderr).replace(/[\s:]/g, '').toLowerCase();
  for (const encoding of ['utf8', 'base64', 'hex'] as const) {
    const form = Buffer.from(key).toString(encoding);
    expect(dumped).not.toContain(form.slice(0, 16).toLowerCase());
  }
}
