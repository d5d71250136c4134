import { createHash } from 'node:crypto';
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
  /** Runs a Lua script with one key there. @throws the server's error or the system's */
  readonly run: (script: string, key: string, args: readonly string[]) => Promise<unknown>;
  /** Changes with each sign of life: the connection is accepted, a part of an answer arrives. */
  readonly activity: () => number;
  /** Gives up the connection and all that is on its way; the next call makes a new one. */
  readonly drop: () => void;
};

/** No answer to a command of ours is longer, in bytes. */
const longestAnswer = 1024 * 1024;

/** A connection, over which commands may leave while the log-in is on its way. */
type Link = { readonly server: Redis; readonly loggedIn: Promise<unknown> };

/**
 * The way to a Redis or Valkey server over one connection, made when it is first used and after each failure. Nothing is
 * queued, sent again or reconnected behind our back.
 */
export function openEngine(address: EngineAddress): Engine {
  let client: Redis | undefined;
  let connected: Promise<Link> | undefined;
  /** Why the connection broke; of commands that end with it the client says only that it is closed. */
  let fault: unknown;
  /** Bytes that came since the last command left. */
  let received = 0;

  const engine: Engine = {
    run: (script, key, args) =>
      command(async (server) => {
        const rest = ['1', key, ...args];
        try {
          return await server.call('EVALSHA', digestOf(script), ...rest);
        } catch (error) {
          // The server was started anew, or never saw it.
          if (!String(error).includes('NOSCRIPT')) throw error;
          return server.call('EVAL', script, ...rest);
        }
      }),
    activity() {
      const { stream } = client ?? {};
      return stream && !stream.connecting ? 1 + stream.bytesRead : 0;
    },
    drop() {
      connected = undefined;
      client?.disconnect();
      client = undefined;
    },
  };
  return engine;

  async function command<Reply>(send: (server: Redis) => Promise<Reply>): Promise<Reply> {
    const own = connected ?? connect();
    connected = own;
    try {
      const { server, loggedIn } = await own;
      received = 0;
      const sent = send(server);
      // Where the log-in fails, its error says more.
      sent.catch(() => {});
      await loggedIn;
      const reply = await sent;
      // Who gave it up must not go on with it: the next command would connect again, after all is over.
      if (connected !== own) throw new Error('connection closed by petstore');
      return reply;
    } catch (error) {
      if (isReply(error)) throw error;
      if (connected === own) engine.drop();
      throw fault ?? error;
    }
  }

  async function connect(): Promise<Link> {
    const { hostname, port, tls } = address;
    const made = new Redis({
      ...{ host: hostname, port, family: 0, lazyConnect: true },
      ...{ retryStrategy: () => null, maxRetriesPerRequest: 0, enableOfflineQueue: false },
      ...{ autoResendUnfulfilledCommands: false, enableReadyCheck: false, disconnectTimeout: 0 },
      ...(tls && { tls: { servername: isIP(hostname) ? '' : hostname, rejectUnauthorized: true } }),
    });
    client = made;
    fault = undefined;
    made.on('error', (error) => {
      fault ??= error;
    });
    // One that ended between two commands is made anew by the next.
    made.once('end', () => {
      if (client === made) engine.drop();
    });
    await made.connect();
    readCarefully(made.stream);
    const loggedIn = logIn(made);
    loggedIn.catch(() => {
      if (client === made) engine.drop();
    });
    return { server: made, loggedIn };
  }

  /** By hand: the client would warn on stderr in words of its own, and wait for each answer. */
  function logIn(server: Redis): Promise<unknown> {
    const { user, password, database } = address;
    const steps: Promise<unknown>[] = [];
    if (user !== undefined) steps.push(server.call('AUTH', user, password ?? ''));
    else if (password !== undefined) steps.push(server.call('AUTH', password));
    if (database > 0) steps.push(server.call('SELECT', String(database)));
    return Promise.all(steps);
  }

  /** What is no answer ends the connection: the client fails where nobody catches it, or keeps it until the memory is full. */
  function readCarefully(stream: Socket): void {
    const [parse] = stream.listeners('data') as [(data: Buffer) => void];
    stream.off('data', parse).on('data', (data: Buffer) => {
      try {
        received += data.length;
        if (received > longestAnswer) throw new Error('reply too long');
        parse(data);
      } catch (error) {
        fault ??= error;
        stream.destroy();
      }
    });
  }
}

/** Whether the server said so itself, and the connection stands. */
function isReply(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError';
}

function digestOf(script: string): string {
  return createHash('sha1').update(script).digest('hex');
}
