import { connect } from 'node:net';
import { describe } from 'vitest';
import { test as base, expect, type Running } from '../support/program.ts';

const MiB = 1024 * 1024;
/** May wait in the buffers of the system, on both ends of a connection. */
const buffered = 32 * MiB;

type Server = { readonly program: Running; readonly port: number; readonly key: string };

const test = base.extend<{ server: Server }>({
  server: async ({ start }, use) => {
    const program = start(['sandbox', '--json', '--quiet']);
    await program.shows(/^\}$/m);
    const { PETSTORE_BASE_URL: url, PETSTORE_API_KEY: key } = JSON.parse(program.stdout());
    await use({ program, port: Number(new URL(url).port), key });
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
  test('lets a client send no more than it wants to read, and says nothing of it', async ({
    server: { program, port, key },
  }) => {
    const body = 200 * MiB;
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
      const { text, taken } = await send(port, head, { body, chunked });

      expect(text, row).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(taken, row).toBeLessThan(buffered);
      if (status === 400) continue;
      expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n'))), row).toMatchObject({ status });
    }
    const { length: said } = program.stdout();
    program.child.kill('SIGTERM');
    const { stdout, stderr } = await program.ended;
    expect([stdout.slice(said), stderr]).toEqual(['', '']);
  });

  test('wants the key for each method, and is no proxy', async ({ server: { port } }) => {
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket'];
    const methods = ['TRACE', 'OPTIONS', 'PROPFIND'];
    for (const head of [...methods.map((name) => line(name)), [...line('GET'), ...upgrade]]) {
      const { text } = await send(port, head, { until: /\}$/ });
      expect(text, head[0]).toMatch(/^HTTP\/1.1 401 /);
    }

    const connectTo = ['CONNECT 127.0.0.1:80 HTTP/1.1', 'Host: 127.0.0.1'];
    expect((await send(port, connectTo)).text).toBe('');
  });

  test('invites a body only once it knows the key, and goes on after one that it refused', async ({
    server: { port, key },
  }) => {
    const json = '{"name":"fish"}';
    const length = `Content-Length: ${json.length}`;
    const expects = ['Expect: 100-continue', length];
    const both = [...post('', length), '', json + post(key, length).join('\r\n'), '', json];

    const refused = await send(port, post('', ...expects), { until: /\}$/ });
    const invited = await send(port, post(key, ...expects), { until: /\r\n\r\n/ });
    const { text } = await send(port, both, { until: /\}.*\}$/s });

    expect(refused.text).toMatch(/^HTTP\/1.1 401 /);
    expect(invited.text).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 201']);
  });
});
