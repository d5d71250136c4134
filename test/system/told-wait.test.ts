import { connect, createServer, type Socket } from 'node:net';
import { describe, onTestFinished } from 'vitest';
import { makeAuthority } from '../support/own-authority.ts';
import { expect, test } from '../support/program.ts';
import { startService } from '../support/service.ts';

const toldMs = 1_000;

describe('a request that waits for its TLS handshake (needs openssl)', {
  tags: ['openssl'],
}, () => {
  test.for(['running', 'stopped'])(
    'leaves only after the wait that another process was told, its own process %s meanwhile',
    async (state, { start, petstore, folder }) => {
      const authority = makeAuthority(folder);
      const refusal = { status: 429, headers: { 'retry-after': `${toldMs / 1_000}` }, body: '' };
      const service = await startService({
        tls: authority.certify(['IP:127.0.0.1']),
        react: (_, count) => (count === 2 ? refusal : 'respond'),
      });
      const front = await startFront(service.port);
      const env = {
        PETSTORE_BASE_URL: `https://127.0.0.1:${front.port}/v1`,
        PETSTORE_API_KEY: service.key,
        NODE_EXTRA_CA_CERTS: authority.path,
      };

      expect(await petstore(['categories', 'list'], { env })).toMatchObject({ code: 0 });
      const creating = start(['categories', 'create', 'emu'], { env });
      await front.holds;
      if (state === 'stopped') creating.child.kill('SIGSTOP');
      const refused = await petstore(['categories', 'list', '--max-wait', '0'], { env });
      front.letThrough();
      creating.child.kill('SIGCONT');
      const created = await creating.ended;

      expect([refused.code, created.code], created.stderr).toEqual([75, 0]);
      const [, told, sent] = service.requests.map(({ at }) => at);
      expect((sent ?? 0) - (told ?? 0)).toBeGreaterThanOrEqual(toldMs);
      expect(service.requests).toHaveLength(3);
    },
  );
});

/** Passes connections on to `port`; the second one not before `letThrough`, though it is accepted. */
async function startFront(port: number) {
  const sockets: Socket[] = [];
  let hold = () => {};
  const holds = new Promise<void>((resolve) => {
    hold = resolve;
  });
  let letThrough = () => {};
  const isLetThrough = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  const server = createServer(async (socket) => {
    const count = sockets.push(socket.on('error', () => {}));
    if (count === 2) {
      hold();
      await isLetThrough;
    }
    const onward = connect(port, '127.0.0.1').on('error', () => {});
    socket.on('close', () => onward.destroy());
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { port: (server.address() as { port: number }).port, holds, letThrough };
}
