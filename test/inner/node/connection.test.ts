import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Connection, closedBefore } from '../../../src/node/connection.ts';
import { createConnector } from '../../../src/node/connector.ts';

import { networkError } from '../../support/petstore.ts';
import { request, textOf } from '../../support/wire.ts';

describe('a request over one connection', () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  async function listen(onRequest: (socket: Socket) => void): Promise<number> {
    const listening = createServer((socket) =>
      socket.on('error', () => {}).once('data', () => onRequest(socket)),
    );
    server = listening;
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    return (listening.address() as { port: number }).port;
  }

  /** A response whose end is the end of the connection, and which is much longer than what is read ahead. */
  const floods = (socket: Socket) =>
    socket.write(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(4_000_000)}`);

  test.for<[string, (socket: Socket, close: () => void) => void]>([
    ['is reset', (socket) => socket.destroy(networkError('ECONNRESET'))],
    ['is dropped by the transport', (_, close) => close()],
  ])('a body that waits for its reader while its connection %s is not whole', async ([, end]) => {
    const port = await listen(floods);
    const { connect, close } = createConnector(10_000);
    const socket = await connect({
      protocol: 'http:',
      hostname: '127.0.0.1',
      port: String(port),
    });
    const origin = `http://127.0.0.1:${port}`;
    const connection = new Connection(socket, origin);
    let free = false;

    const { body } = await connection.send(request({ url: new URL(origin) }), () => {
      free = true;
    });
    await vi.waitFor(() => expect(socket.bytesRead).toBeGreaterThan(65_536));
    end(socket, close);
    await new Promise((resolve) => socket.once('close', resolve));

    await expect(textOf(body)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(free).toBe(false);
  });

  test('a body that waits for its reader while its connection ends is whole', async () => {
    const response = `HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(80_000)}`;
    const port = await listen((socket) => socket.end(response));
    const origin = `http://127.0.0.1:${port}`;
    const socket = connect(port, '127.0.0.1');
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    const connection = new Connection(socket, origin);

    const { body } = await connection.send(request({ url: new URL(origin) }), () => {});
    await vi.waitFor(() => expect(socket.bytesRead).toBe(response.length));
    // What Node does with a connection that has ended, whether anybody reads from it or not.
    socket.push(null);
    socket.read(0);
    await new Promise(setImmediate);

    expect(await textOf(body)).toHaveLength(80_000);
  });

  test('does not leave where the connection was closed before', async () => {
    const port = await listen(() => {});
    const origin = `http://127.0.0.1:${port}`;
    const socket = connect(port, '127.0.0.1');
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    const connection = new Connection(socket, origin);
    const onSent = vi.fn();
    socket.destroy();

    const sent = connection.send(request({ url: new URL(origin), onSent }), () => {});

    await expect(sent).rejects.toBe(closedBefore);
    expect(onSent).not.toHaveBeenCalled();
  });

  test('a reader that stops before the end gives the connection up', async () => {
    let ended = () => {};
    const closed = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const port = await listen((socket) => {
      socket.once('close', ended);
      floods(socket);
    });
    const origin = `http://127.0.0.1:${port}`;
    const socket = connect(port, '127.0.0.1');
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    const connection = new Connection(socket, origin);

    const { body } = await connection.send(request({ url: new URL(origin) }), () => {});
    for await (const _ of body) break;

    await closed;
  });
});
