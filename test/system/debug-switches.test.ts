import { expect, test } from '../support/program.ts';
import { startService } from '../support/service.ts';

/** Variables that make Node or a library say more. */
const switches = [
  { NODE_DEBUG: '*', DEBUG: '*' },
  { NODE_DEBUG_NATIVE: 'HTTP2SESSION,CRYPTO,TLS,ASYNC_WRAP' },
  { NODE_OPTIONS: '--trace-warnings --trace-uncaught --trace-exit' },
];

test.for(switches)('%j does not show the key', async (variables, { petstore }) => {
  const { url, key, requests } = await startService();
  const env = { ...variables, PETSTORE_BASE_URL: url, PETSTORE_API_KEY: key };

  const result = await petstore(['categories', 'create', 'rabbit', '-v'], { env });

  expect(result.code, result.stderr).toBe(0);
  expect(requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${key}`]);
  expectNoKey(result, key);
});

/** Looks for the key as it is, in Base64, and as a dump has it: 706c61696e or 70 6c 61 69 6e. */
function expectNoKey({ stdout, stderr }: { stdout: string; stderr: string }, key: string): void {
  const dumped = (stdout + stderr).replace(/[\s:]/g, '').toLowerCase();
  for (const encoding of ['utf8', 'base64', 'hex'] as const) {
    const form = Buffer.from(key).toString(encoding);
    expect(dumped).not.toContain(form.slice(0, 16).toLowerCase());
  }
}
