import { connect, createServer, type Socket } from 'node:net';
import { describe } from 'vitest';
import { listen } from '../support/ports.ts';
import { createGate, expect, test } from '../support/program.ts';

const list = ['categories', 'list', '--max-wait', '0'];

describe('a wait that one process was told', () => {
  test('is kept by another one that is in its TLS handshake meanwhile (needs openssl)', {
    tags: ['openssl'],
  }, async ({ authority, serve, start, petstore, onTestFinished }) => {
    const refusal = { status: 429, headers: { 'retry-after': '1' }, body: '' };
    const service = await serve({
      tls: authority.certify(['IP:127.0.0.1']),
      react: (_, count) => (count === 2 ? refusal : 'respond'),
    });
    const front = await startFront(service.port);
    onTestFinished(front.close);
    const env = {
      PETSTORE_BASE_URL: `https://127.0.0.1:${front.port}/v1`,
      PETSTORE_API_KEY: service.key,
      NODE_EXTRA_CA_CERTS: authority.path,
    };

    expect(await petstore(list, { env })).toMatchObject({ code: 0 });
    const creating = start(['categories', 'create', 'emu'], { env });
    await front.holds;
    const refused = await petstore(list, { env });
    front.letThrough();
    const created = await creating.ended;

    expect([refused.code, created.code], created.stderr).toEqual([75, 0]);
    const [, told, sent] = service.requests.map(({ at }) => at);
    expect((sent ?? 0) - (told ?? 0)).toBeGreaterThanOrEqual(1_000);
    expect(service.requests).toHaveLength(3);
  });
});

/** Passes connections on to `port`; the second one not before `letThrough`, though it is accepted. */
async function startFront(port: number) {
  const sockets: Socket[] = [];
  const held = createGate();
  const passed = createGate();
  const server = createServer(async (socket) => {
    const count = sockets.push(socket.on('error', () => {}));
    if (count === 2) {
      held.open();
      await passed.opened;
    }
    const onward = connect(port, '127.0.0.1').on('error', () => {});
    socket.on('close', () => onward.destroy());
    socket.pipe(onward).pipe(socket);
  });
  return {
    port: await listen(server),
    holds: held.opened,
    letThrough: passed.open,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
