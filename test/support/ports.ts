import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** Listens on a free port of this machine, and returns it. */
export async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

/** Listens on a free port until `close` is called, which ends all connections too. */
export async function openServer(server: Server) {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})));
  server.on('tlsClientError', () => {});
  return {
    port: await listen(server),
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Returns a port of this machine where nobody listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await once(server.close(), 'close');
  return port;
}
