import { createServer } from 'node:https';
import type { Duplex } from 'node:stream';
import type { Certificate } from './own-authority.ts';

export type TlsService = {
  readonly port: number;
  /** The Authorization field of each request. */
  readonly keys: (string | undefined)[];
  readonly categories: { id: number; name: string }[];
  /** The most creates that were on their way at once. */
  readonly mostAtOnce: () => number;
  readonly close: () => void;
};

/** A service behind real TLS that lists and creates; a create takes `delay` ms. */
export async function startTlsService(certified: Certificate, delay = 0): Promise<TlsService> {
  const keys: TlsService['keys'] = [];
  const categories = [{ id: 1, name: 'dog' }];
  const sockets = new Set<Duplex>();
  let atOnce = 0;
  let most = 0;
  const server = createServer(certified, (request, response) => {
    keys.push(request.headers.authorization);
    const reply = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    if (request.method === 'GET') return reply(200, categories);
    atOnce += 1;
    most = Math.max(most, atOnce);
    let text = '';
    request.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    request.once('end', () => {
      const created = { ...JSON.parse(text), id: categories.length + 1 };
      categories.push(created);
      setTimeout(() => {
        atOnce -= 1;
        reply(201, created);
      }, delay);
    });
  });
  server.on('connection', (socket) => sockets.add(socket));
  server.on('tlsClientError', () => {});
  // On all addresses: 0.0.0.0 is this machine, and yet none of its loopback names.
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  return {
    port: (server.address() as { port: number }).port,
    keys,
    categories,
    mostAtOnce: () => most,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
