import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe } from 'vitest';
import { systemCode } from '../../src/errors.ts';
import { test as base, expect, type Running, saveProfile } from '../support/program.ts';

const MiB = 1024 * 1024;

const test = base.extend<{ server: Awaited<ReturnType<typeof announced>> }>({
  server: async ({ start }, use) => use(await announced(start('sandbox --json --quiet'))),
});

describe('the sandbox', () => {
  test('answers whatever arrives, says nothing of it, and creates all the same', async ({
    server: { program, port, key },
  }) => {
    const long = Buffer.alloc(16 * MiB, ' ');
    const chunk = [`${long.length.toString(16)}\r\n`, long, '\r\n0\r\n\r\n'].map(Buffer.from);
    const length = `Content-Length: ${long.length}`;
    const chunks = 'Transfer-Encoding: chunked';

    for (const [head, body, answer] of [
      [post('', length), long, /^HTTP\/1.1 401 .*^x-ratelimit-remaining: \d+\r$.*"status":401/ms],
      [post(key, length), long, /^HTTP\/1.1 413 .*^x-ratelimit-remaining: \d+\r$.*"status":413/ms],
      [post(key, chunks), Buffer.concat(chunk), /^HTTP\/1.1 413 .*"status":413/s],
      [[...line('POST', 'a b'), length], long, /^HTTP\/1.1 403 .*"status":403/s],
      // This client breaks off.
      [post(key, 'Content-Length: 99', 'Expect: 100-continue'), '{', /^HTTP\/1.1 100 \S+\r\n\r\n$/],
      [line('OPTIONS'), '', /^HTTP\/1.1 401 /],
      [[...line('GET'), 'Connection: Upgrade', 'Upgrade: websocket'], '', /^HTTP\/1.1 401 /],
      [['CONNECT 127.0.0.1:80 HTTP/1.1', 'Host: 127.0.0.1'], '', /^$/],
      [
        post(key, `Content-Length: ${MiB}`),
        '{"name":"fish"}'.padEnd(MiB),
        /^HTTP\/1.1 201 .*fish/s,
      ],
    ] as const) {
      expect(await send(port, head, body), head[0]).toMatch(answer);
    }

    program.child.kill('SIGTERM');
    const { stdout, stderr } = await program.ended;
    expect(stdout).toMatch(/^\{[^}]*\}\n$/);
    expect(stderr).toBe('');
  });

  // Linux answers for all of 127.0.0.0/8.
  test.runIf(process.platform === 'linux')(
    'listens on 127.0.0.1 alone, where no other can have its port',
    async ({ server: { port }, petstore }) => {
      const other = once(connect(port, '127.0.0.2'), 'connect').then(() => 'is there', systemCode);
      expect(await other, 'who listens on 127.0.0.2').toBe('ECONNREFUSED');

      const second = await petstore(`sandbox --port ${port} -- true`);

      expect(second).toMatchObject({ code: 2, stdout: '' });
      expect(second.stderr).toMatch(new RegExp(`^petstore: .*${port}.*in use`));
    },
  );

  test('serves what --plan and --data say', async ({ start, folder }) => {
    const data = '{"categories":[{"id":9007199254740993,"name":"newt"}]}';
    writeFileSync(join(folder, 'data.json'), data);

    const { port, key } = await announced(start('sandbox --json --plan pro --data data.json'));
    const headers = { authorization: `Bearer ${key}` };
    const listed = await fetch(`http://127.0.0.1:${port}/v1/categories`, { headers });
    const pet = await fetch(`http://127.0.0.1:${port}/v1/pets/1`, { headers });

    expect(await listed.text()).toBe('[{"id":9007199254740993,"name":"newt"}]');
    expect(listed.headers.get('x-ratelimit-limit')).toBe('300');
    // What the file leaves out has sample data.
    expect(pet.status).toBe(200);
  });
});

describe('a program in a sandbox', () => {
  test('is not given the key, settings and state of the user, but may name a profile', async ({
    petstore,
    folder,
  }) => {
    saveProfile(folder, { output: 'json' });
    await petstore('config set output json -p mine');
    const settings = join(folder, '.config', 'petstore', 'settings.json');
    const before = readFileSync(settings, 'utf8');
    const script = `
      echo "store \${PETSTORE_SHARED_STORE-none}, profile $(petstore config get profile), key \${PETSTORE_API_KEY%%-*}"
      petstore categories list -p mine --columns name -q
      petstore config set output csv -q
      petstore categories list --columns name -q
      echo; env; tr '\\0' ' ' < /proc/$PPID/cmdline`;
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
    expect(result.stdout).not.toContain(env.PETSTORE_API_KEY);
    expect(readFileSync(settings, 'utf8')).toBe(before);
    expect(existsSync(join(folder, '.local'))).toBe(false);
  });

  test.for([
    ["sh -c 'exit 3'", 3],
    ["sh -c 'kill -9 $$'", 137],
    ['./nowhere', 2],
  ] as const)('that is %s leaves nothing behind: exit %i', async (row, { petstore, folder }) => {
    const [program, code] = row;

    expect(await petstore(`sandbox -- ${program}`, { env: { TMPDIR: folder } })).toMatchObject({
      code,
    });

    expect(readdirSync(folder).filter((name) => name.startsWith('petstore-'))).toEqual([]);
  });
});

/** Waits for the address and the key that a sandbox prints. */
async function announced(program: Running) {
  await program.shows(/^\}$/m);
  const { PETSTORE_BASE_URL: url, PETSTORE_API_KEY: key } = JSON.parse(program.stdout());
  return { program, port: Number(new URL(url).port), key: String(key) };
}

/** Sends a head and a body, and returns what came back up to an end of JSON or of a 100, or by the end of the connection. */
function send(port: number, head: readonly string[], body: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1');
    socket.setEncoding('latin1').on('data', (part) => {
      text += part;
      if (/\}$|^HTTP\/1.1 100 \S+\r\n\r\n$/.test(text)) socket.destroy();
    });
    // Broken off by the server, or silent: what came before is what counts.
    socket.on('error', () => {});
    socket.setTimeout(30_000, () => socket.destroy());
    socket.once('close', () => resolve(text));
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    socket.write(body);
  });
}

function line(method: string, host = '127.0.0.1'): string[] {
  return [`${method} /v1/categories HTTP/1.1`, `Host: ${host}`];
}

function post(key: string, ...fields: readonly string[]): string[] {
  const authorization = key ? [`Authorization: Bearer ${key}`] : [];
  return [...line('POST'), 'Content-Type: application/json', ...authorization, ...fields];
}
