import { hash } from 'node:crypto';
import { isIP, type Socket } from 'node:net';
import { Redis } from 'iovalkey';
import type { Engine, EngineAddress } from '../context.ts';

const maxReplyBytes = 1024 * 1024;

type Connection = {
  readonly server: Redis;
  /** Rejects if the server refuses the user or the database: commands would run as somebody else, or elsewhere. */
  readonly login: Promise<unknown>;
  /** The first error. Commands that fail because of it say only that the connection is closed. */
  fault?: unknown;
  hasReplied: boolean;
  receivedBytes: number;
  /** The server has them, unless somebody made it forget them. */
  readonly scripts: Set<string>;
};

export function openEngine(address: EngineAddress): Engine {
  let current: Connection | undefined;
  return {
    async run(script, key, args) {
      current ??= connect(address);
      const connection = current;
      connection.receivedBytes = 0;
      const reply = runScript(connection, script, [key, ...args]);
      try {
        const [result] = await Promise.all([reply, connection.login]);
        return result;
      } catch (error) {
        throw connection.fault ?? error;
      }
    },
    drop() {
      // TLS and the log-in at a store far away take longer than a command may take.
      if (current && !current.hasReplied && current.fault === undefined) return;
      current?.server.disconnect();
      current = undefined;
    },
  };
}

/** Sends the script with its first run over a connection, and later its hash alone. */
async function runScript(
  { server, scripts }: Connection,
  script: string,
  args: readonly string[],
): Promise<unknown> {
  const isKnown = scripts.has(script);
  scripts.add(script);
  if (!isKnown) return server.eval(script, 1, ...args);
  try {
    return await server.evalsha(hash('sha1', script), 1, ...args);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
    return server.eval(script, 1, ...args);
  }
}

/** Commands wait in the client's queue until it is connected. It never connects again by itself. */
function connect(address: EngineAddress): Connection {
  const { hostname, port, tls } = address;
  const server = new Redis({
    host: hostname,
    port,
    family: 0,
    retryStrategy: () => null,
    enableReadyCheck: false,
    disconnectTimeout: 0,
    ...(tls && { tls: { servername: isIP(hostname) ? '' : hostname, rejectUnauthorized: true } }),
  });
  const connection: Connection = {
    server,
    login: logIn(server, address),
    hasReplied: false,
    receivedBytes: 0,
    scripts: new Set(),
  };
  const fail = (error: unknown) => {
    connection.fault ??= error;
  };
  server.on('error', fail);
  server.once('connect', () => guardParser(connection, fail));
  connection.login.catch(fail);
  return connection;
}

/** The client's own log-in would print warnings to stderr. */
function logIn(server: Redis, { user, password, database }: EngineAddress): Promise<unknown> {
  const steps: Promise<unknown>[] = [];
  if (user !== undefined) steps.push(server.call('AUTH', user, password ?? ''));
  else if (password !== undefined) steps.push(server.call('AUTH', password));
  if (database > 0) steps.push(server.call('SELECT', String(database)));
  return Promise.all(steps);
}

/** The parser throws uncaught errors at impossible lengths, and keeps an endless reply until the memory is full. */
function guardParser(connection: Connection, fail: (error: unknown) => void): void {
  const stream: Socket = connection.server.stream;
  const [parse] = stream.listeners('data') as [(data: Buffer) => void];
  stream.off('data', parse).on('data', (data: Buffer) => {
    connection.hasReplied = true;
    connection.receivedBytes += data.length;
    try {
      if (connection.receivedBytes > maxReplyBytes) throw new Error('reply too long');
      parse(data);
    } catch (error) {
      fail(error);
      stream.destroy();
    }
  });
}
