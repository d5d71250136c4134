import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe } from 'vitest';
import { test as base, expect, type Running, saveProfile } from '../support/program.ts';

const MiB = 1024 * 1024;

type Server = { readonly program: Running; readonly port: number; readonly key: string };

const test = base.extend<{ server: Server }>({
  server: async ({ start }, use) => {
    await use(await announced(start('sandbox --json --quiet')));
  },
});

/** Waits for the address and the key that a sandbox prints. */
async function announced(program: Running): Promise<Server> {
  await program.shows(/^\}$/m);
  const { PETSTORE_BASE_URL: url, PETSTORE_API_KEY: key } = JSON.parse(program.stdout());
  return { program, port: Number(new URL(url).port), key };
}

/** Sends a head and a body, and returns what came back up to `until`, or by the end of the connection. */
function send(
  port: number,
  head: readonly string[],
  { body = '' as string | Buffer, until = /\}$/ } = {},
): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1');
    socket.setEncoding('latin1').on('data', (part) => {
      text += part;
      if (until.test(text)) socket.destroy();
    });
    // Broken off by the server: what came before is what counts.
    socket.on('error', () => {});
    socket.once('close', () => resolve(text));
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    socket.write(body);
  });
}

const line = (method: string, host = '127.0.0.1') => [
  `${method} /v1/categories HTTP/1.1`,
  `Host: ${host}`,
];
const post = (key: string, ...fields: string[]) => [
  ...line('POST'),
  'Content-Type: application/json',
  ...(key ? [`Authorization: Bearer ${key}`] : []),
  ...fields,
];

describe('the sandbox', () => {
  test('responds to a long body, with or without the key', async ({
    server: { program, port, key },
  }) => {
    const body = Buffer.alloc(40 * MiB, ' ');
    const size = Buffer.from(`${body.length.toString(16)}\r\n`);
    const chunk = Buffer.concat([size, body, Buffer.from('\r\n0\r\n\r\n')]);
    const length = `Content-Length: ${body.length}`;
    const chunks = 'Transfer-Encoding: chunked';

    for (const [row, status, head] of [
      ['without the key', 401, post('', length)],
      ['without the key, in chunks', 401, post('', chunks)],
      ['with the key', 413, post(key, length)],
      ['with the key, in chunks', 413, post(key, chunks)],
      ['under a name that is none', 400, [...line('POST', 'a b'), length]],
    ] as const) {
      const text = await send(port, head, { body: head.includes(chunks) ? chunk : body });

      expect(text, row).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(text, row).toMatch(/^x-ratelimit-remaining: \d+\r$/m);
      expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n'))), row).toMatchObject({ status });
    }
    const { length: said } = program.stdout();
    program.child.kill('SIGTERM');
    const { stdout, stderr } = await program.ended;
    expect([stdout.slice(said), stderr]).toEqual(['', '']);
  });

  test('creates from a body of exactly 1 MiB, and outlives a client that breaks off', async ({
    server: { port, key },
  }) => {
    const length = `Content-Length: ${MiB}`;
    const json = '{"name":"fish"}'.padEnd(MiB);
    const expects = 'Expect: 100-continue';

    const brokenOff = await send(port, post(key, length, expects), { body: '{', until: /\n$/ });
    const created = await send(port, post(key, length), { body: json });

    expect(brokenOff).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    expect(created).toMatch(/^HTTP\/1.1 201 [\s\S]*\{"id":4,"name":"fish"\}$/);
  });

  test('wants the key for each method, and is no proxy', async ({ server: { port } }) => {
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket'];
    const methods = ['TRACE', 'OPTIONS', 'PROPFIND'];
    for (const head of [...methods.map((name) => line(name)), [...line('GET'), ...upgrade]]) {
      const text = await send(port, head);
      expect(text, head[0]).toMatch(/^HTTP\/1.1 401 /);
    }

    const connectTo = ['CONNECT 127.0.0.1:80 HTTP/1.1', 'Host: 127.0.0.1'];
    expect(await send(port, connectTo)).toBe('');
  });

  // Linux answers for all of 127.0.0.0/8.
  test.runIf(process.platform === 'linux')('listens on 127.0.0.1 alone', async ({ server }) => {
    const connected = once(connect(server.port, '127.0.0.2'), 'connect');

    await expect(connected).rejects.toThrow('ECONNREFUSED');
  });
});

describe('the options of a sandbox', () => {
  test('--port takes that port, or exits 2 where it is in use', async ({ server, petstore }) => {
    const result = await petstore(['sandbox', '--port', String(server.port)]);

    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(new RegExp(`^petstore: .*${server.port}.*in use`));
  });

  test('--plan and --data decide what it serves, and each one has a key of its own', async ({
    server,
    start,
    folder,
  }) => {
    const data = join(folder, 'data.json');
    writeFileSync(data, '{"categories":[{"id":9007199254740993,"name":"newt"}]}');

    const flags = ['--plan', 'pro', '--data', data];
    const { port, key } = await announced(start(['sandbox', '--json', ...flags]));
    const headers = { authorization: `Bearer ${key}` };
    const url = `http://127.0.0.1:${port}/v1`;
    const listed = await fetch(`${url}/categories`, { headers });
    const pet = await fetch(`${url}/pets/1`, { headers });

    expect(await listed.text()).toBe('[{"id":9007199254740993,"name":"newt"}]');
    expect(listed.headers.get('x-ratelimit-limit')).toBe('300');
    // What the file leaves out has sample data.
    expect(pet.status).toBe(200);
    expect(key).not.toBe(server.key);
  });
});

describe('a program in a sandbox', () => {
  test('can neither read nor change settings and state of the user', async ({
    petstore,
    folder,
  }) => {
    saveProfile(folder, { output: 'json' });
    const settings = join(folder, '.config', 'petstore', 'settings.json');
    const before = readFileSync(settings, 'utf8');
    const script = `
      echo "store \${PETSTORE_SHARED_STORE-none}, profile $(petstore config get profile), key \${PETSTORE_API_KEY%%-*}"
      petstore categories list --columns name -q
      petstore config set output csv -q
      petstore config set max-wait 1s -p staging -q
      petstore categories list --columns name -q`;
    const env = {
      PETSTORE_SHARED_STORE: 'redis://127.0.0.1:1',
      PETSTORE_PROFILE: 'staging',
      PETSTORE_API_KEY: 'the-key-of-the-user',
    };

    const result = await petstore(['sandbox', '-q', '--', 'sh', '-ec', script], { env });

    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout).toMatch(/^store none, profile sandbox, key sandbox\n┌/);
    expect(result.stdout).toContain('│ dog ');
    expect(result.stdout).toMatch(/^name\ndog\ncat\nrabbit\n$/m);
    expect(readFileSync(settings, 'utf8')).toBe(before);
    expect(existsSync(join(folder, '.local'))).toBe(false);
  });

  test('serves a script that names a profile of the user', async ({ petstore }) => {
    await petstore('config set base-url https://a.example/v1 -p mine');

    const list = 'petstore categories list -p mine --query [0].name -o raw'.split(' ');
    const { code, stdout } = await petstore(['sandbox', '--', ...list]);

    expect([code, stdout]).toEqual([0, 'dog\n']);
  });

  test('leaves nothing behind, however it ends', async ({ petstore, folder }) => {
    const env = { TMPDIR: folder };

    const ends = [
      await petstore("sandbox -- sh -c 'petstore orders list -q; exit 3'", { env }),
      await petstore(['sandbox', '--', 'sh', '-c', 'kill -9 $$'], { env }),
      await petstore('sandbox -- ./nowhere', { env }),
    ];

    expect(ends.map(({ code }) => code)).toEqual([3, 137, 2]);
    expect(ends[2]?.stderr).toContain('petstore: cannot run ./nowhere: command not found\n');
    expect(readdirSync(folder).filter((name) => name.startsWith('petstore-'))).toEqual([]);
  });
});
