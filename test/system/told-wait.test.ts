import { createServer as createTlsServer } from 'node:https';
import { connect, createServer, type Socket } from 'node:net';
import { describe } from 'vitest';
import { makeAuthority } from '../support/own-authority.ts';
import { expect, test } from '../support/program.ts';

const told = 2_000;

describe('real processes that share a limit (needs openssl)', { tags: ['openssl'] }, () => {
  test('a request whose TLS handshake was slow leaves only after the wait that another process was told', async ({
    petstore,
    folder,
  }) => {
    const authority = makeAuthority(folder);
    const sockets = new Set<Socket>();
    let lists = 0;
    let refusedAt = 0;
    let postedAt = 0;
    const service = createTlsServer(authority.certify(['IP:127.0.0.1']), (request, response) => {
      const reset = String(Math.ceil(Date.now() / 1_000) + 50);
      const limit = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': String(59 - lists) };
      const headers = { 'content-type': 'application/json', ...limit, 'x-ratelimit-reset': reset };
      if (request.method === 'POST') {
        postedAt = performance.now();
        response.writeHead(201, headers).end('{"id":1,"name":"emu"}');
      } else if (lists === 0) {
        lists += 1;
        response.writeHead(200, headers).end('[]');
      } else {
        refusedAt = performance.now();
        response.writeHead(429, { ...headers, 'retry-after': String(told / 1_000) }).end();
      }
    });
    service.on('tlsClientError', () => {});
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    const behind = (service.address() as { port: number }).port;

    // In front of it: the second connection is accepted, and nothing is passed on until it is let through.
    let connections = 0;
    let held = () => {};
    const isHeld = new Promise<void>((resolve) => {
      held = resolve;
    });
    let letThrough = () => {};
    const front = createServer((socket) => {
      connections += 1;
      sockets.add(socket.on('error', () => {}));
      const pass = () => {
        const onward = connect(behind, '127.0.0.1').on('error', () => {});
        sockets.add(onward);
        socket.pipe(onward).pipe(socket);
      };
      if (connections !== 2) return pass();
      letThrough = pass;
      held();
    });
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    const { port } = front.address() as { port: number };
    const env = {
      PETSTORE_BASE_URL: `https://127.0.0.1:${port}/v1`,
      PETSTORE_API_KEY: 'a-key-of-the-test',
      NODE_EXTRA_CA_CERTS: authority.path,
    };

    expect(await petstore(['categories', 'list'], { env })).toMatchObject({ code: 0 });
    const creating = petstore(['categories', 'create', 'emu'], { env });
    await isHeld;
    const refused = await petstore(['categories', 'list', '--max-wait', '0'], { env });
    letThrough();
    const created = await creating;

    expect(refused.code).toBe(75);
    expect(created).toMatchObject({ code: 0 });
    expect(postedAt - refusedAt).toBeGreaterThanOrEqual(told);
    for (const socket of sockets) socket.destroy();
    front.close();
    service.close();
  });
});
