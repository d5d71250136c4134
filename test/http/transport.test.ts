import { createServer, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, test } from 'vitest';
import { createTransport } from '../../src/node/transport.ts';
import { request, textOf } from '../support/wire.ts';

const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.address === '::1');

describe('the transport on a real socket', () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  async function listen(
    onConnection: Parameters<typeof createServer>[1],
    host = '127.0.0.1',
  ): Promise<URL> {
    const listening = createServer(onConnection);
    server = listening;
    await new Promise<void>((resolve) => listening.listen(0, host, resolve));
    const { port } = listening.address() as { port: number };
    return new URL(`http://${host.includes(':') ? `[${host}]` : host}:${port}/v1/categories`);
  }

  test('tells that the first byte has left only when a connection stands', async () => {
    const send = createTransport();
    const calls: string[] = [];
    const url = await listen((socket) => socket.once('data', () => socket.destroy()));
    const closed = new URL('http://127.0.0.1:1/v1/categories');

    const [cut, refused] = await Promise.allSettled([
      send(request({ url, onSent: () => calls.push('cut') })),
      send(request({ url: closed, onSent: () => calls.push('refused') })),
    ]);

    expect([cut.status, refused.status]).toEqual(['rejected', 'rejected']);
    expect(calls).toEqual(['cut']);
  });

  test('sends nothing when the request may no longer leave once its connection stands', async () => {
    const send = createTransport();
    let received = '';
    let ended = () => {};
    const closed = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const url = await listen((socket) => {
      socket.on('data', (bytes) => {
        received += bytes;
      });
      socket.once('close', ended);
    });
    let sent = false;
    const onSent = () => {
      sent = true;
    };

    const kept = send(
      request({ url, onSent, lastCheck: () => Promise.reject(new Error('withdrawn')) }),
    );

    await expect(kept).rejects.toThrow('withdrawn');
    await closed;
    expect({ received, sent }).toEqual({ received: '', sent: false });
  });

  test('asks again whether a request may leave when it reuses a connection', async () => {
    const send = createTransport();
    let received = '';
    let connections = 0;
    const url = await listen((socket) => {
      connections += 1;
      socket.on('data', (bytes) => {
        received += bytes;
        socket.write(whole('[]'));
      });
    });
    await textOf((await send(request({ url }))).body);
    const first = received;

    const kept = send(request({ url, lastCheck: () => Promise.reject(new Error('withdrawn')) }));

    await expect(kept).rejects.toThrow();
    expect({ received, connections }).toEqual({ received: first, connections: 1 });
  });

  test('gives a silent server up when told to', async () => {
    const send = createTransport();
    const attempt = new AbortController();
    const url = await listen((socket) =>
      socket.once('data', () => attempt.abort()).on('error', () => {}),
    );

    await expect(send(request({ url, signal: attempt.signal }))).rejects.toThrow();
  });

  test('an answer that is cut short is never a whole one', async () => {
    const send = createTransport();
    const url = await listen((socket) =>
      socket.once('data', () =>
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[{"id":1'),
      ),
    );

    const answer = await send(request({ url }));

    await expect(textOf(answer.body)).rejects.toThrow();
  });

  test('eight requests at once arrive at once, each over a connection of its own', async () => {
    const send = createTransport();
    const asked = new Set<Socket>();
    const url = await listen((socket) =>
      socket.once('data', () => {
        asked.add(socket);
        // None is answered before all are there.
        if (asked.size === 8) for (const each of asked) each.write(whole('[]'));
      }),
    );

    const texts = Array.from({ length: 8 }, async () =>
      textOf((await send(request({ url }))).body),
    );

    expect(await Promise.all(texts)).toEqual(Array.from({ length: 8 }, () => '[]'));
  });

  test.skipIf(!hasIpv6)('reaches an IPv6 address', async () => {
    const send = createTransport();
    let received = '';
    const url = await listen((socket) => {
      socket.on('data', (bytes) => {
        received += bytes;
        socket.write(whole('[]'));
      });
    }, '::1');

    expect(await textOf((await send(request({ url }))).body)).toBe('[]');
    expect(received).toMatch(new RegExp(`^host: \\[::1\\]:${url.port}\r$`, 'im'));
  });

  test('HEAD has no body, whatever length is told', async () => {
    const send = createTransport();
    const [head = ''] = whole('[]').split('[]');
    const url = await listen((socket) => socket.on('data', () => socket.write(head)));

    expect(await textOf((await send(request({ url, method: 'HEAD' }))).body)).toBe('');
  });

  test('sends a body in UTF-8, with its length in bytes', async () => {
    const send = createTransport();
    const body = '{"name":"K\u00f6ter \u72ac \u{1f415}"}';
    let received = '';
    const url = await listen((socket) => {
      socket.setEncoding('utf8').on('data', (text) => {
        received += text;
        if (received.endsWith('}')) socket.write(whole('{}'));
      });
    });

    await textOf((await send(request({ url, method: 'POST', body }))).body);

    expect(received.split('\r\n\r\n')[1]).toBe(body);
    expect(received).toMatch(new RegExp(`^content-length: ${Buffer.byteLength(body)}\r$`, 'im'));
  });

  test('requests one after another share a connection', async () => {
    const send = createTransport();
    let connections = 0;
    const url = await listen((socket) => {
      connections += 1;
      socket.on('data', () => socket.write(whole('[]')));
    });

    for (let n = 0; n < 5; n += 1) await textOf((await send(request({ url }))).body);

    expect(connections).toBe(1);
  });

  test.for(['GET', 'POST'])(
    'a %s whose connection breaks once it has left is not sent again',
    async (method) => {
      const send = createTransport();
      let received = 0;
      const url = await listen((socket) =>
        socket.on('data', () => {
          received += 1;
          if (received === 1) socket.write(whole('[]'));
          else socket.destroy();
        }),
      );
      await textOf((await send(request({ url }))).body);

      await expect(send(request({ url, method }))).rejects.toThrow();

      expect(received).toBe(2);
    },
  );

  test('a connection that is closed while it is idle is replaced before anything is sent', async () => {
    const send = createTransport();
    const connections: Socket[] = [];
    let received = 0;
    const url = await listen((socket) => {
      connections.push(socket);
      socket.on('data', () => {
        received += 1;
        socket.write(whole('[]'));
      });
    });
    await textOf((await send(request({ url }))).body);
    let sent = 0;
    const onSent = () => {
      sent += 1;
    };
    const lastCheck = async () => {
      const [first] = connections;
      if (connections.length > 1 || !first) return;
      first.end();
      await new Promise((resolve) => first.once('close', resolve));
    };

    const answer = await send(request({ url, method: 'POST', onSent, lastCheck }));

    expect(await textOf(answer.body)).toBe('[]');
    expect({ connections: connections.length, received, sent }).toEqual({
      connections: 2,
      received: 2,
      sent: 1,
    });
  });

  test('a new connection that is closed at once is not replaced', async () => {
    const send = createTransport();
    let connections = 0;
    let sent = false;
    let ended = () => {};
    const closed = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const url = await listen((socket) => {
      connections += 1;
      socket.once('close', ended).end();
    });
    const onSent = () => {
      sent = true;
    };
    const lastCheck = () => closed;

    await expect(send(request({ url, onSent, lastCheck }))).rejects.toThrow();

    expect({ connections, sent }).toEqual({ connections: 1, sent: false });
  });

  test('is given up while it waits for the last look, and no byte of it leaves', async () => {
    const send = createTransport();
    const attempt = new AbortController();
    let received = '';
    let ended = () => {};
    const closed = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const url = await listen((socket) => {
      socket.once('close', ended).on('data', (bytes) => {
        received += bytes;
      });
    });
    const lastCheck = () => {
      attempt.abort(new Error('enough'));
      return new Promise<void>(() => {});
    };

    const given = send(request({ url, signal: attempt.signal, lastCheck }));

    await expect(given).rejects.toThrow('enough');
    await closed;
    expect(received).toBe('');
  });

  test.for([
    ['30 KB', 30_000],
    ['80 KB', 80_000],
  ] as const)(
    'a body of %s without a length whose connection ends before it is read is whole',
    async ([, length]) => {
      const send = createTransport();
      let ended: Promise<unknown> = Promise.resolve();
      const url = await listen((socket) =>
        socket.once('data', () => {
          ended = new Promise<void>((resolve) =>
            socket.end(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(length)}`, resolve),
          );
        }),
      );

      const { body } = await send(request({ url }));
      await ended;
      for (let turns = 0; turns < 100; turns += 1) await new Promise(setImmediate);

      expect(await textOf(body)).toHaveLength(length);
    },
  );

  test('a body whose connection is reset before it is read is not whole', async () => {
    const send = createTransport();
    let reset = () => {};
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 4000000\r\n\r\n';
    const url = await listen((socket) => {
      reset = () => socket.resetAndDestroy();
      socket.once('data', () => socket.write(head + 'x'.repeat(3_000_000)));
    });

    const { body } = await send(request({ url }));
    reset();
    for (let turns = 0; turns < 100; turns += 1) await new Promise(setImmediate);

    await expect(textOf(body)).rejects.toThrow();
  });

  test('a reader that stops before the end gives the connection up', async () => {
    const send = createTransport();
    let ended = () => {};
    const closed = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const url = await listen((socket) =>
      socket
        .on('error', () => {})
        .once('close', ended)
        .once('data', () => socket.write(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(4_000_000)}`)),
    );

    const { body } = await send(request({ url }));
    for await (const _ of body) break;

    await closed;
  });

  test('an answer that is still being read keeps its connection for itself', async () => {
    const send = createTransport();
    let finish = () => {};
    let connections = 0;
    const url = await listen((socket) => {
      connections += 1;
      const [first, rest] = connections === 1 ? [whole('[]').slice(0, -1), ']'] : [whole('[]'), ''];
      socket.on('data', () => socket.write(first));
      if (connections === 1) finish = () => socket.write(rest);
    });
    const slow = await send(request({ url }));

    const quick = await textOf((await send(request({ url }))).body);

    expect(quick).toBe('[]');
    finish();
    expect(await textOf(slow.body)).toBe('[]');
    expect(connections).toBe(2);
  });
});

function whole(body: string): string {
  return `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}
