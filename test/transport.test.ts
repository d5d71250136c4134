import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createTransport } from '../src/api/transport.ts';
import { request, textOf } from './wire.ts';

describe('the transport on a real socket', () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  async function listen(onConnection: Parameters<typeof createServer>[1]): Promise<URL> {
    const listening = createServer(onConnection);
    server = listening;
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    const address = listening.address() as { port: number };
    return new URL(`http://127.0.0.1:${address.port}/v1/categories`);
  }

  test('tells that the first byte has left only when a connection stands', async () => {
    const { send, close } = createTransport();
    const calls: string[] = [];
    const url = await listen((socket) => socket.once('data', () => socket.destroy()));
    const closed = new URL('http://127.0.0.1:1/v1/categories');

    const [cut, refused] = await Promise.allSettled([
      send(request({ url, onSent: () => calls.push('cut') })),
      send(request({ url: closed, onSent: () => calls.push('refused') })),
    ]);

    expect(cut).toMatchObject({
      reason: { code: expect.stringMatching(/ECONNRESET|UND_ERR_SOCKET/) },
    });
    expect(refused).toMatchObject({ reason: { code: 'ECONNREFUSED' } });
    expect(calls).toEqual(['cut']);
    close();
  });

  test('gives a silent server up when told to', async () => {
    const { send, close } = createTransport();
    const attempt = new AbortController();
    const url = await listen((socket) =>
      socket.once('data', () => attempt.abort()).on('error', () => {}),
    );

    await expect(send(request({ url, signal: attempt.signal }))).rejects.toThrow();
    close();
  });

  test('an answer that is cut short is never a whole one', async () => {
    const { send, close } = createTransport();
    const url = await listen((socket) =>
      socket.once('data', () =>
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[{"id":1'),
      ),
    );

    const answer = await send(request({ url }));

    await expect(textOf(answer.body)).rejects.toThrow();
    close();
  });
});
