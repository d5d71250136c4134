import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openEngine } from '../../../src/node/engine.ts';

const login = { user: 'ci', password: 'p4ss-w0rd', database: 2 };

/** An engine whose server does that with the commands as they arrive. */
async function connectTo(serve: (socket: Socket, received: string) => void) {
  const server = createServer((socket) => {
    let received = '';
    socket.on('error', () => {});
    socket.on('data', (data) => {
      received += data;
      serve(socket, received);
    });
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const engine = openEngine({ tls: false, hostname: '127.0.0.1', port, ...login });
  onTestFinished(engine.drop);
  return engine;
}

test('the log-in and the first command leave together', async () => {
  const engine = await connectTo((socket, received) => {
    // The log-in alone gets no answer.
    if (/AUTH.*SELECT.*EVALSHA.*argument/is.test(received))
      socket.write('+OK\r\n+OK\r\n$3\r\nyes\r\n');
  });

  expect(await engine.run('return 1', 'key', ['argument'])).toBe('yes');
});

test('a log-in that fails is the error, and the connection is not used again', async () => {
  let connections = 0;
  const engine = await connectTo((socket, received) => {
    if (!received.includes('argument')) return;
    connections += 1;
    socket.write('-WRONGPASS invalid\r\n-NOAUTH required\r\n-NOAUTH required\r\n');
  });

  for (const attempt of [1, 2]) {
    await expect(engine.run('return 1', 'key', ['argument'])).rejects.toThrow('WRONGPASS');
    expect(connections).toBe(attempt);
  }
});
