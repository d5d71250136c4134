import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { describe } from 'vitest';
import { listen } from '../support/ports.ts';
import { createGate, expect, test } from '../support/program.ts';

/** A service, or a network before it, that gets to a request only when its sender has gone. A reset takes the request back. */
function collectLate(carriedOut: string[]) {
  return (socket: Socket) => {
    let received = '';
    socket
      .on('error', () => {})
      .on('data', (chunk) => {
        received += chunk;
      });
    socket.on('end', () => carriedOut.push(received));
  };
}

describe.concurrent('a write that timed out', { tags: ['openssl'] }, () => {
  test.for(['http', 'https'])(
    'is not carried out later: over %s',
    async (scheme, { authority, petstore }) => {
      const carriedOut: string[] = [];
      const collect = collectLate(carriedOut);
      const certificate = authority.certify(['IP:127.0.0.1']);
      const server =
        scheme === 'http' ? createServer(collect) : createTlsServer(certificate, collect);
      const closed = new Promise<void>((resolve) =>
        server.on('connection', (socket: Socket) => socket.on('close', () => resolve())),
      );
      const env = {
        PETSTORE_BASE_URL: `${scheme}://127.0.0.1:${await listen(server)}/v1`,
        PETSTORE_API_KEY: 'test-key-0123456789',
        NODE_EXTRA_CA_CERTS: authority.path,
      };

      const argv = ['api', 'POST', '/categories', '--data', '{"name":"emu"}', '--timeout', '1s'];
      const { code, stderr } = await petstore(argv, { env });
      await closed;
      server.close();

      expect(code, stderr).toBe(6);
      expect(carriedOut).toEqual([]);
    },
  );
});

test('a request with --timeout inf waits for its response', async ({ serve, start }) => {
  const gate = createGate();
  const service = await serve({ react: () => gate.opened.then(() => 'respond' as const) });

  const { ended } = start(['categories', 'list', '--timeout', 'inf'], { env: service.env });
  await service.arrived(1);
  gate.open();

  expect((await ended).code).toBe(0);
});
