import { isIP } from 'node:net';
import { Redis } from 'iovalkey';
import type { Engine, EngineAddress } from '../context.ts';
import { storeScript } from '../store/store-cell.ts';

type Server = Redis & {
  readonly swap: (key: string, ...args: readonly string[]) => Promise<unknown>;
};
type Connection = { readonly server: Server; readonly isReady: Promise<void>; fault?: unknown };

const connectTimeout = 1_000;
const commandTimeout = 500;

export function openEngine(address: EngineAddress): Engine {
  let current: Connection | undefined;
  return {
    async swap(key, args) {
      current ??= connect(address);
      const connection = current;
      try {
        await connection.isReady;
        const reply = await connection.server.swap(key, ...args);
        // Without the database that is set, the client would go on in the first one.
        if (connection.fault !== undefined) throw connection.fault;
        return reply;
      } catch (error) {
        // A silent connection may stay silent for many minutes, although the server is back.
        connection.server.disconnect();
        if (current === connection) current = undefined;
        // What fails because of that says only that the connection is closed.
        throw connection.fault ?? error;
      }
    },
  };
}

function connect({ hostname, port, tls, user, password, database }: EngineAddress): Connection {
  const server = new Redis({
    host: hostname,
    port,
    family: 0,
    ...(user !== undefined && { username: user }),
    ...(password !== undefined && { password }),
    db: database,
    ...(tls && { tls: { servername: isIP(hostname) ? '' : hostname, rejectUnauthorized: true } }),
    scripts: { swap: { numberOfKeys: 1, lua: storeScript } },
    lazyConnect: true,
    enableReadyCheck: false,
    connectTimeout,
    commandTimeout,
    disconnectTimeout: 0,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  }) as Server;
  const connection: Connection = { server, isReady: server.connect() };
  server.on('error', (error) => {
    connection.fault ??= error;
  });
  return connection;
}
