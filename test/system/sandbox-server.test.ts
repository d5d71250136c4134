import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { describe } from 'vitest';
import { test as base, cleanEnvironment, expect, launcher } from '../support/program.ts';

const MiB = 1024 * 1024;
/** What may wait in the buffers of the system, on both ends of a connection. */
const buffered = 32 * MiB;

type Server = {
  readonly port: number;
  readonly key: string;
  /** What it said besides its address and key, once it has ended. */
  readonly end: () => Promise<string>;
};

const test = base.extend<{ server: Server }>({
  server: async ({ folder }, use) => {
    const child = spawn(process.execPath, [launcher, 'sandbox', '--json', '--quiet'], {
      env: cleanEnvironment(folder),
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
    const result = await new Promise<Record<string, string>>((resolve) => {
      let text = '';
      child.stdout.setEncoding('utf8').on('data', (part) => {
        text += part;
        if (text.endsWith('}\n')) resolve(JSON.parse(text));
      });
    });
    child.stdout.on('data', (part) => {
      said += part;
    });
    const end = async () => {
      child.kill('SIGTERM');
      await ended;
      return said;
    };
    await use({
      port: Number(new URL(result.PETSTORE_BASE_URL ?? '').port),
      key: result.PETSTORE_API_KEY ?? '',
      end,
    });
    await end();
  },
});

type Sent = {
  /** All that came back until the server closed the connection, or `until` was there. */
  readonly text: string;
  /** Bytes of the body that the system took. */
  readonly taken: number;
};

/** Sends a head, then pieces of 1 MiB as long as the server takes them, and reads meanwhile. */
function send(
  port: number,
  head: readonly string[],
  { body = 0, chunked = false, until = undefined as RegExp | undefined } = {},
): Promise<Sent> {
  const piece = Buffer.alloc(MiB, 0x20);
  return new Promise((resolve) => {
    let text = '';
    let taken = 0;
    const socket = connect(port, '127.0.0.1');
    const finish = () => {
      socket.destroy();
      resolve({ text, taken });
    };
    const write = () => {
      if (taken >= body || socket.destroyed) return;
      if (chunked) socket.write(`${MiB.toString(16)}\r\n`);
      socket.write(piece, (error) => {
        if (error) return;
        taken += MiB;
        write();
      });
      if (chunked) socket.write('\r\n');
    };
    socket.setEncoding('latin1').on('data', (part) => {
      text += part;
      if (until?.test(text)) finish();
    });
    // Broken off by the server: what came before is what counts.
    socket.on('error', () => {});
    socket.once('close', finish);
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    write();
  });
}

const post = (key: string, ...fields: string[]) => [
  'POST /v1/categories HTTP/1.1',
  'Host: 127.0.0.1',
  'Content-Type: application/json',
  ...(key ? [`Authorization: Bearer ${key}`] : []),
  ...fields,
];

describe('the sandbox lets a client send no more than it wants to read', () => {
  test.for([
    ['without the key', 'of a length that it tells', 401],
    ['without the key', 'in chunks', 401],
    ['with the key', 'of a length that it tells', 413],
    ['with the key', 'in chunks', 413],
  ] as const)('%s: of 200 MiB %s', async ([, framing, status], { server }) => {
    const chunked = framing === 'in chunks';
    const body = 200 * MiB;
    const field = chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body}`;
    const head = post(status === 413 ? server.key : '', field);

    const { text, taken } = await send(server.port, head, { body, chunked });

    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).toMatchObject({ status });
    expect(taken).toBeLessThan(buffered);
    expect(await server.end()).toBe('');
  });

  test('not even where none belongs', async ({ server }) => {
    const body = 200 * MiB;
    const head = ['GET /v1/categories HTTP/1.1', 'Host: 127.0.0.1', `Content-Length: ${body}`];

    const { text, taken } = await send(server.port, head, { body });

    expect(text).toMatch(/^HTTP\/1.1 401 /);
    expect(taken).toBeLessThan(buffered);
  });

  test('nor under a name that is none', async ({ server }) => {
    const body = 200 * MiB;
    const head = ['POST /v1/categories HTTP/1.1', 'Host: a b', `Content-Length: ${body}`];

    const { text, taken } = await send(server.port, head, { body });

    expect(text).toMatch(/^HTTP\/1.1 400 /);
    expect(taken).toBeLessThan(buffered);
  });
});

describe('the sandbox', () => {
  test('invites a body only once it knows the key', async ({ server }) => {
    const json = '{"name":"fish"}';
    const fields = ['Expect: 100-continue', `Content-Length: ${json.length}`];

    const refused = await send(server.port, post('', ...fields), { until: /\}$/ });
    const invited = await send(server.port, post(server.key, ...fields), { until: /\r\n\r\n/ });

    expect(refused.text).toMatch(/^HTTP\/1.1 401 /);
    expect(invited.text).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  });

  test('uses a connection again after it refused a short body', async ({ server }) => {
    const json = '{"name":"fish"}';
    const length = `Content-Length: ${json.length}`;
    const requests = [...post('', length), '', json + post(server.key, length).join('\r\n')];

    const { text } = await send(server.port, [...requests, '', json], { until: /\}.*\}$/s });

    expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 201']);
  });

  test.for(['TRACE', 'OPTIONS', 'PROPFIND'])(
    'wants the key for %s too',
    async (method, { server }) => {
      const head = [`${method} /v1/categories HTTP/1.1`, 'Host: 127.0.0.1'];

      expect((await send(server.port, head, { until: /\}$/ })).text).toMatch(/^HTTP\/1.1 401 /);
    },
  );

  test('is no proxy', async ({ server }) => {
    const head = ['CONNECT 127.0.0.1:80 HTTP/1.1', 'Host: 127.0.0.1'];

    expect((await send(server.port, head)).text).toBe('');
  });

  test('upgrades to nothing', async ({ server }) => {
    const fields = ['Host: 127.0.0.1', 'Connection: Upgrade', 'Upgrade: websocket'];
    const head = ['GET /v1/categories HTTP/1.1', ...fields];

    expect((await send(server.port, head, { until: /\}$/ })).text).toMatch(/^HTTP\/1.1 401 /);
  });
});
