import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { json } from '../hostile/answers.ts';
import { type HostileServer, type Reaction, startHostileServer } from '../hostile/server.ts';
import { nodes } from '../support/nodes.ts';
import { expect, launcher, test } from '../support/program.ts';

const well: Reaction = (socket, { status, good }) => socket.write(json(status, good));

let server: HostileServer;
beforeAll(async () => {
  server = await startHostileServer();
});
afterAll(() => server.close());

const key = 'plain-canary-0123456789';

/** What makes Node or a library say more. */
const switches: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'NODE_DEBUG=http': { NODE_DEBUG: 'http' },
  'NODE_DEBUG with all that a request passes': { NODE_DEBUG: 'undici,http,net,tls,fetch,stream' },
  'NODE_DEBUG=*': { NODE_DEBUG: '*' },
  'DEBUG=*': { DEBUG: '*' },
  'NODE_DEBUG_NATIVE with all': { NODE_DEBUG_NATIVE: 'HTTP2SESSION,CRYPTO,TLS,ASYNC_WRAP' },
  'NODE_OPTIONS that trace': { NODE_OPTIONS: '--trace-warnings --trace-uncaught --trace-exit' },
};

/** The key as it is, in Base64, and as a dump has it: 706c61696e or 70 6c 61 69 6e. */
function shows(text: string): boolean {
  const forms = [
    key,
    ...(['base64', 'hex'] as const).map((form) => Buffer.from(key).toString(form)),
  ];
  const dumped = text.replace(/[\s:]/g, '').toLowerCase();
  return forms.some(
    (form) => text.includes(form.slice(0, 16)) || dumped.includes(form.slice(0, 16)),
  );
}

describe.each(nodes)('no debug switch shows the key on %s:', (node) => {
  test.for(Object.keys(switches))('%s', async (name, { execute, folder, expect }) => {
    const { url, seen } = server.play(well);
    const env = {
      ...switches[name],
      PETSTORE_BASE_URL: url,
      PETSTORE_API_KEY: key,
      TMPDIR: folder,
    };

    for (const argv of [
      ['categories', 'list', '--quiet'],
      ['categories', 'create', 'rabbit', '-v'],
    ]) {
      const { code, stdout, stderr } = await execute(node, [launcher, ...argv], { env });

      expect(code, stderr).toBe(0);
      expect(shows(stdout + stderr), stderr).toBe(false);
    }
    for (const { head } of seen) expect(head).toContain(`authorization: Bearer ${key}`);
  });

  test('a program that petstore runs has the switches of the user', async ({ execute }) => {
    const env = { NODE_DEBUG: 'http', DEBUG: 'all' };
    const argv = [launcher, 'sandbox', '--', 'sh', '-c', 'echo "$NODE_DEBUG $DEBUG"'];

    const { stdout } = await execute(node, argv, { env });

    expect(stdout).toBe('http all\n');
  });
});

test('what a library writes to the stream of errors by itself goes nowhere', async ({
  petstore,
  folder,
}) => {
  const preload = join(folder, 'preload.cjs');
  writeFileSync(
    preload,
    "setImmediate(() => { console.error('stray'); process.stderr.write('stray'); });",
  );
  const { url } = server.play(well);
  const env = {
    PETSTORE_BASE_URL: url,
    PETSTORE_API_KEY: key,
    NODE_OPTIONS: `--require ${preload}`,
  };

  const { code, stdout, stderr } = await petstore(['categories', 'list', '--quiet'], { env });

  expect([code, stdout === '', stderr]).toEqual([0, false, '']);
});
