import { connect as connectTcp, type Socket } from 'node:net';

/** Where a connection leads; `over` is one that stands already, for TLS inside it. */
export type Target = {
  readonly protocol: string;
  /** An IPv6 address has no brackets. */
  readonly hostname: string;
  /** Empty for the scheme's own. */
  readonly port: string;
  readonly over?: Socket;
};

export type Connector = {
  /**
   * Resolves when the connection stands, TLS included; `onSocket` is told of it as soon as it is being made.
   * @throws what the socket does, or CONNECT_TIMEOUT
   */
  readonly connect: (target: Target, onSocket?: (socket: Socket) => void) => Promise<Socket>;
  /** Drops every connection, also one that is still being made. */
  readonly close: () => void;
};

/** Connections that have to stand within `timeout` ms each. */
export function createConnector(timeout: number): Connector {
  const sockets = new Set<Socket>();
  let closed = false;

  async function connect(target: Target, onSocket?: (socket: Socket) => void): Promise<Socket> {
    const { protocol, hostname, port, over } = target;
    const secure = protocol === 'https:';
    const tls = secure ? await import('./tls.ts') : undefined;
    const to = { host: hostname, port: Number(port || (secure ? 443 : 80)), noDelay: true };
    const socket = tls?.connectTls({ ...to, socket: over }) ?? connectTcp(to);
    onSocket?.(socket);
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    if (closed) socket.destroy();
    // A socket keeps the process alive, and its end is the end of the wait.
    const deadline = setTimeout(() => socket.destroy(timedOut()), timeout).unref();
    const established = new Promise<unknown>((resolve, reject) => {
      socket.once(secure ? 'secureConnect' : 'connect', resolve);
      // Not only the first one: without a listener an error would end the process.
      socket.on('error', reject);
      socket.once('close', () => reject(cutOff()));
    });
    await established.finally(() => clearTimeout(deadline));
    return socket;
  }

  return {
    connect,
    close() {
      closed = true;
      // With an error: undici takes a close without one for the end of a body that has no length.
      for (const socket of sockets) socket.destroy(cutOff());
    },
  };
}

function timedOut(): Error {
  return Object.assign(new Error('connect timeout'), { code: 'CONNECT_TIMEOUT' });
}

function cutOff(): Error {
  return Object.assign(new Error('closed'), { code: 'ECONNRESET' });
}
