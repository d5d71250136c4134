import { createServer } from 'node:net';
import { openServer } from '../support/ports.ts';
import { expect, test } from '../support/program.ts';

test.for(['HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n', '+OK\r\n'])(
  'a shared store that is no Redis and says %j: nothing is sent',
  async (answer, { serve, petstore, onTestFinished }) => {
    const service = await serve();
    const store = createServer((socket) => socket.on('data', () => socket.write(answer)));
    const { port, close } = await openServer(store);
    onTestFinished(close);
    const url = `redis://ci:p4ss-w0rd@127.0.0.1:${port}`;
    const env = { ...service.env, PETSTORE_SHARED_STORE: url };

    const { code, stdout, stderr } = await petstore('categories list --json', { env });

    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).not.toContain('p4ss');
    expect(service.requests).toHaveLength(0);
  },
);
