import { type AddressInfo, createServer, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text as textOf } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { createTransport } from '../../src/node/transport.ts';
import { startProxy } from '../support/connect-proxy.ts';
import type { WireRequest } from '../support/values.ts';

test.for([
  ['is refused', () => Promise.reject(new Error('withdrawn')), 'withdrawn'],
  ['waits, and the request is given up', () => new Promise<never>(() => {}), 'enough'],
] as const)(
  'sends nothing when the last check of a new connection %s',
  async ([, lastCheck, reason]) => {
    const { send, sent } = client();
    const { url, closed, received } = await listen(answer);
    const attempt = new AbortController();
    const check = () => {
      if (reason === 'enough') attempt.abort(new Error('enough'));
      return lastCheck();
    };

    const gone = send({ url, signal: attempt.signal, lastCheck: check });

    await expect(gone).rejects.toThrow(reason);
    await closed;
    expect({ received: received(), sent: sent() }).toEqual({ received: '', sent: 0 });
  },
);

test('a name of this machine that leads to another one gets nothing over http', async ({
  skip,
}) => {
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  const outside = addresses.find(({ internal, family }) => !internal && family === 'IPv4');
  skip(!outside, 'this machine has no address but those of itself');
  const { send, sent } = client();
  const { url, received } = await listen(answer, () => {}, '0.0.0.0');
  // What a hosts file would make of localhost.
  url.hostname = outside?.address ?? '';

  await expect(send({ url })).rejects.toMatchObject({ code: 'ENOTLOCAL' });

  expect(sent()).toBe(0);
  expect(received()).toBe('');
});

test('checks again whether a request may leave when it reuses a connection', async () => {
  const { send, read } = client();
  const { url, sockets, received } = await listen(answer);
  await read({ url });
  const first = received();

  const refused = send({ url, lastCheck: () => Promise.reject(new Error('withdrawn')) });

  await expect(refused).rejects.toThrow();
  expect([received(), sockets.length]).toEqual([first, 1]);
});

test.for(['GET', 'POST'])(
  'a %s whose connection breaks once it has left is not sent again',
  async (method) => {
    const { read, send } = client();
    let requests = 0;
    const { url } = await listen((socket) => {
      requests += 1;
      if (requests === 1) answer(socket);
      else socket.destroy();
    });
    await read({ url });

    await expect(send({ url, method })).rejects.toThrow();

    expect(requests).toBe(2);
  },
);

test('a connection that is closed while it is idle is replaced before anything is sent', async () => {
  const { read, sent } = client();
  const { url, sockets, closed, received } = await listen(answer);
  await read({ url });
  const lastCheck = async () => {
    if (sockets.length > 1) return;
    sockets[0]?.end();
    await closed;
  };

  expect(await read({ url, method: 'POST', lastCheck })).toBe('[]');
  expect(received().match(/HTTP\/1\.1/g)).toHaveLength(2);
  expect([sockets.length, sent()]).toEqual([2, 2]);
});

test('a new connection that is closed at once is not replaced', async () => {
  const { send, sent } = client();
  const { url, sockets, closed } = await listen(answer, (socket) => socket.end());

  await expect(send({ url, lastCheck: () => closed })).rejects.toThrow();

  expect([sockets.length, sent()]).toEqual([1, 0]);
});

test.for([30_000, 80_000])(
  'a body of %i bytes without a length whose connection ends before it is read is whole',
  async (length) => {
    let ended: Promise<unknown> = Promise.resolve();
    const { url } = await listen((socket) => {
      ended = new Promise<void>((resolve) =>
        socket.end(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(length)}`, resolve),
      );
    });

    const { body } = await client().send({ url });
    await ended;
    await turns(100);

    expect(await textOf(body)).toHaveLength(length);
  },
);

test.for([
  ['Content-Length: 4000000\r\n\r\n', 3_000_000],
  ['\r\n', 2],
] as const)('a body of %j whose connection is reset is not whole', async ([end, length]) => {
  const { url, sockets } = await listen((socket) =>
    socket.write(`HTTP/1.1 200 OK\r\n${end}${'x'.repeat(length)}`),
  );

  const { body } = await client().send({ url });
  sockets[0]?.resetAndDestroy();
  await turns(100);

  await expect(textOf(body)).rejects.toThrow();
});

test('what nobody reads yet stays on the way, not in memory', async () => {
  const bytes = 'x'.repeat(1_000_000);
  let written = 0;
  const { url } = await listen((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    const write = () => {
      while (written < 100 && socket.write(bytes)) written += 1;
    };
    socket.on('drain', () => {
      written += 1;
      write();
    });
    write();
  });
  const abort = new AbortController();

  await client().send({ url, signal: abort.signal });
  await turns(2_000);
  abort.abort();

  expect(written).toBeLessThan(50);
});

test('a request that is given up while a name is looked up says so', async () => {
  const attempt = new AbortController();
  const url = new URL('https://nowhere.invalid/v1');
  const gone = client().send({ url, signal: attempt.signal });
  attempt.abort(new Error('enough'));

  await expect(gone).rejects.toMatchObject({ code: 'ETIMEOUT' });
});

test.for(['before its response', 'in the body of its response'])(
  'a request that is given up %s is taken back with a reset',
  async (when) => {
    const ends: unknown[] = [];
    const attempt = new AbortController();
    const { url, closed } = await listen(
      (socket) => {
        if (when === 'before its response') attempt.abort(new Error('enough'));
        else socket.write('HTTP/1.1 201 Created\r\n\r\n{');
      },
      (socket) => {
        socket.on('end', () => ends.push('an end'));
        socket.on('error', (error) => ends.push((error as NodeJS.ErrnoException).code));
      },
    );

    const given = client().send({ url, method: 'POST', body: '{}', signal: attempt.signal });
    await given.then(async ({ body }) => {
      for await (const _ of body) break;
    }, String);

    await closed;
    expect(ends).toEqual(['ECONNRESET']);
  },
);

test('reads and drops each interim response, in one piece or byte by byte', async () => {
  const statuses = ['102 Processing', '100 Continue', '103 Early Hints\r\nLink: </a>', '199 Other'];
  const interim = statuses.map((status) => `HTTP/1.1 ${status}\r\n\r\n`).join('');
  for (const pieces of [[interim + whole('[]')], [...interim, ...whole('[]')]]) {
    const { url } = await listen(async (socket) => {
      socket.setNoDelay();
      for (const piece of pieces) {
        socket.write(piece);
        await new Promise(setImmediate);
      }
    });
    const { read } = client();

    expect(await read({ url })).toBe('[]');
    expect(await read({ url, method: 'POST', body: '{}' })).toBe('[]');
  }
});

test('an answer that is still being read keeps its connection for itself', async () => {
  const { send, read } = client();
  const { url, sockets } = await listen((socket) =>
    sockets.length === 1 ? socket.write(whole('[]').slice(0, -1)) : answer(socket),
  );
  const slow = await send({ url });

  expect(await read({ url })).toBe('[]');

  sockets[0]?.write(']');
  expect(await textOf(slow.body)).toBe('[]');
  expect(sockets).toHaveLength(2);
});

test.for([
  ['a name', 'https://pets.example/v1', 'pets.example:443'],
  ['a port', 'https://pets.example:8443/v1', 'pets.example:8443'],
  ['an IPv6 address', 'https://[2001:db8::1]/v1', '[2001:db8::1]:443'],
] as const)(
  'the proxy is told %s and the password, and nothing of the request',
  async ([, url, address]) => {
    const proxy = await startProxy('forbids');
    onTestFinished(proxy.close);
    const name = `127.0.0.1:${proxy.port}`;
    const credentials = 'me:open sesame';

    const way = { origin: `http://${name}`, name, source: 'HTTPS_PROXY', credentials };
    const gone = client().send({ url: new URL(url), proxy: way });

    await expect(gone).rejects.toThrow();
    const [asked = ''] = proxy.asked;
    expect(asked.split('\r\n')[0]).toBe(`CONNECT ${address} HTTP/1.1`);
    expect(asked).toMatch(/^proxy-authorization: Basic bWU6b3BlbiBzZXNhbWU=\r$/im);
    expect(asked).not.toMatch(/^authorization:/im);
    expect(proxy.seen().toString('latin1')).not.toContain('the-key');
  },
);

/** Listens, and keeps the connections and what they bring. `onData` is called for each piece of a request. */
async function listen(
  onData: (socket: Socket, received: string) => void,
  onConnection = (_: Socket) => {},
  host = '127.0.0.1',
) {
  const sockets: Socket[] = [];
  let received = '';
  let onClose = () => {};
  const closed = new Promise<void>((resolve) => {
    onClose = resolve;
  });
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {}).once('close', () => onClose());
    socket.on('data', (bytes) => {
      received += bytes;
      onData(socket, received);
    });
    onConnection(socket);
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  const url = new URL(`http://127.0.0.1:${port}/v1/categories`);
  return { url, sockets, closed, received: () => received };
}

/** Sends requests over one transport, and counts those of which a byte has left. */
function client() {
  const transport = createTransport();
  let sent = 0;
  const send = (fields: Partial<WireRequest>) =>
    transport({
      method: 'GET',
      url: new URL('https://pets.example/v1/categories'),
      headers: { authorization: 'Bearer the-key', accept: 'application/json' },
      body: undefined,
      signal: new AbortController().signal,
      onSent() {
        sent += 1;
      },
      ...fields,
    });
  const read = async (fields: Partial<WireRequest>) => textOf((await send(fields)).body);
  return { send, read, sent: () => sent };
}

/** Lets the event loop turn so many times. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
}

function whole(body: string): string {
  return `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

const answer = (socket: Socket) => socket.write(whole('[]'));
