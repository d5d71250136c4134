import { connect } from 'node:net';
import { describe } from 'vitest';
import { test as base, expect, type Running } from '../support/program.ts';

const MiB = 1024 * 1024;

type Server = { readonly program: Running; readonly port: number; readonly key: string };

const test = base.extend<{ server: Server }>({
  server: async ({ start }, use) => {
    const program = start(['sandbox', '--json', '--quiet']);
    await program.shows(/^\}$/m);
    const { PETSTORE_BASE_URL: url, PETSTORE_API_KEY: key } = JSON.parse(program.stdout());
    await use({ program, port: Number(new URL(url).port), key });
  },
});

/** Sends a head, then pieces of 1 MiB, and returns what came back by the end of the connection, or up to `until`. */
function send(
  port: number,
  head: readonly string[],
  { body = 0, chunked = false, until = undefined as RegExp | undefined } = {},
): Promise<string> {
  const piece = Buffer.alloc(MiB, 0x20);
  return new Promise((resolve) => {
    let text = '';
    let taken = 0;
    const socket = connect(port, '127.0.0.1');
    const finish = () => {
      socket.destroy();
      resolve(text);
    };
    const write = () => {
      if (taken >= body && chunked) socket.end('0\r\n\r\n');
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
    const body = 40 * MiB;
    const length = `Content-Length: ${body}`;
    const chunks = 'Transfer-Encoding: chunked';

    for (const [row, status, head] of [
      ['without the key', 401, post('', length)],
      ['without the key, in chunks', 401, post('', chunks)],
      ['with the key', 413, post(key, length)],
      ['with the key, in chunks', 413, post(key, chunks)],
      ['where no body belongs', 401, [...line('GET'), length]],
      ['under a name that is none', 400, [...line('POST', 'a b'), length]],
    ] as const) {
      const chunked = head.includes(chunks);
      const text = await send(port, head, { body, chunked, until: /\}$/ });

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
    const json = '{"name":"fish"}'.padEnd(MiB - 4);
    const expects = 'Expect: 100-continue';

    const brokenOff = await send(port, [...post(key, length, expects), '', '{'], { until: /\n$/ });
    const created = await send(port, [...post(key, length), '', json], { until: /\}$/ });

    expect(brokenOff).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    expect(created).toMatch(/^HTTP\/1.1 201 [\s\S]*\{"id":4,"name":"fish"\}$/);
  });

  test('wants the key for each method, and is no proxy', async ({ server: { port } }) => {
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket'];
    const methods = ['TRACE', 'OPTIONS', 'PROPFIND'];
    for (const head of [...methods.map((name) => line(name)), [...line('GET'), ...upgrade]]) {
      const text = await send(port, head, { until: /\}$/ });
      expect(text, head[0]).toMatch(/^HTTP\/1.1 401 /);
    }

    const connectTo = ['CONNECT 127.0.0.1:80 HTTP/1.1', 'Host: 127.0.0.1'];
    expect(await send(port, connectTo)).toBe('');
  });

  test('keeps the connection after a request that it refused', async ({
    server: { port, key },
  }) => {
    const json = '{"name":"fish"}';
    const length = `Content-Length: ${json.length}`;
    const both = [...post('', length), '', json + post(key, length).join('\r\n'), '', json];

    const text = await send(port, both, { until: /\}.*\}$/s });

    expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 201']);
  });
});
