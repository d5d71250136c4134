import { isIP, type Socket } from 'node:net';
import { Redis } from 'iovalkey';

/** A Redis or Valkey server, and how to log in there. */
export type EngineAddress = {
  readonly tls: boolean;
  /** An IPv6 address has no brackets. */
  readonly hostname: string;
  readonly port: number;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
};

export type Engine = {
  /** Runs a Lua script with one key there. Rejects with the server's error or the system's. */
  readonly run: (script: string, key: string, args: readonly string[]) => Promise<unknown>;
  /** Gives up the connection and all that is on its way. The next call makes a new one. */
  readonly drop: () => void;
};

/** No reply to a command of ours is longer. */
const maxReplyBytes = 1024 * 1024;

type Connection = {
  readonly server: Redis;
  /** Rejects if the server refuses the user or the database; commands would run as somebody else, or elsewhere. */
  readonly login: Promise<unknown>;
  /** Why it failed. Of commands that end with it, the client says only that it is closed. */
  fault?: unknown;
  receivedBytes: number;
};

/** Returns the way to a server over one connection, which is made when it is first used and after each failure. */
export function openEngine(address: EngineAddress): Engine {
  let current: Connection | undefined;
  return { run, drop };

  async function run(script: string, key: string, args: readonly string[]): Promise<unknown> {
    current ??= connect(address);
    const connection = current;
    connection.receivedBytes = 0;
    const reply = connection.server.eval(script, 1, key, ...args);
    try {
      const [result] = await Promise.all([reply, connection.login]);
      return result;
    } catch (error) {
      if (current === connection) drop();
      throw connection.fault ?? error;
    }
  }

  function drop(): void {
    current?.server.disconnect();
    current = undefined;
  }
}

/** Commands wait in the client's queue until it is connected. Nothing is sent again or reconnected behind our back. */
function connect(address: EngineAddress): Connection {
  const { hostname, port, tls } = address;
  const server = new Redis({
    ...{ host: hostname, port, family: 0, maxRetriesPerRequest: 0, retryStrategy: () => null },
    ...{ autoResendUnfulfilledCommands: false, enableReadyCheck: false, disconnectTimeout: 0 },
    ...(tls && { tls: { servername: isIP(hostname) ? '' : hostname, rejectUnauthorized: true } }),
  });
  const connection: Connection = { server, login: logIn(server, address), receivedBytes: 0 };
  const fail = (error: unknown) => {
    connection.fault ??= error;
  };
  server.on('error', fail);
  // By then the client has put its parser there.
  server.once('connect', () => readCarefully(connection, fail));
  // Its error says more than those of the commands behind it.
  connection.login.catch(fail);
  return connection;
}

/** By hand: the client's own log-in would warn on stderr. */
function logIn(server: Redis, { user, password, database }: EngineAddress): Promise<unknown> {
  const steps: Promise<unknown>[] = [];
  if (user !== undefined) steps.push(server.call('AUTH', user, password ?? ''));
  else if (password !== undefined) steps.push(server.call('AUTH', password));
  if (database > 0) steps.push(server.call('SELECT', String(database)));
  return Promise.all(steps);
}

/** The parser throws where nobody catches if lengths cannot be, and keeps a reply without end until the memory is full. */
function readCarefully(connection: Connection, fail: (error: unknown) => void): void {
  const stream: Socket = connection.server.stream;
  const [parse] = stream.listeners('data') as [(data: Buffer) => void];
  stream.off('data', parse).on('data', (data: Buffer) => {
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
