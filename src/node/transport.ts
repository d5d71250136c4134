import { mayChange } from '../api/method.ts';
import type { Send, WireAnswer, WireRequest } from '../context.ts';
import { Connection, closedBefore } from './connection.ts';
import { createConnector } from './connector.ts';

export type Transport = {
  readonly send: Send;
  /** Drops every connection, also one that is still being made. */
  readonly close: () => void;
};

type Idle = { readonly connection: Connection; readonly since: number };

/** A write uses no connection that idled for longer, in ms: services close theirs after five seconds, or a minute. */
const longestIdle = 4_000;

/**
 * Real requests over the network, over as many connections as there are requests on their way. No redirect is followed, no
 * request is sent twice, and no certificate goes unchecked. A connection must be established within `timeout` ms; `uptime`
 * measures how long one idled.
 */
export function createTransport(uptime: () => number, timeout = 10_000): Transport {
  const connector = createConnector(timeout);
  /** The idle connections of each origin and proxy, the last used one at the end. */
  const idle = new Map<string, Idle[]>();

  async function send(request: WireRequest): Promise<WireAnswer> {
    const { method, url, proxy, signal, stillGranted } = request;
    signal.throwIfAborted();
    const way = `${url.origin} ${proxy?.name ?? ''}`;
    const unused = idle.get(way) ?? [];
    idle.set(way, unused);
    // undici's own pool would choose a connection and write at once; the last look at the limit comes between the two.
    const reused = takeIdle(unused, mayChange(method));
    const connecting = reused ? Promise.resolve(reused) : establish(request);
    try {
      const connection = reused ?? (await unlessAborted(signal, connecting));
      if (stillGranted && !(await unlessAborted(signal, stillGranted()))) throw turnReturned();
      return await connection.send(request, () => unused.push({ connection, since: uptime() }));
    } catch (error) {
      // One that is still being made is of no use to anybody once it is established.
      connecting.then(
        ({ socket }) => socket.destroy(),
        () => {},
      );
      if (reused && error === closedBefore) return send(request);
      throw error;
    }
  }

  /** A connection that the other side may be closing just now would leave the outcome of a write unknown. */
  function takeIdle(unused: Idle[], write: boolean): Connection | undefined {
    const oldest = write ? uptime() - longestIdle : Number.NEGATIVE_INFINITY;
    for (let last = unused.pop(); last; last = unused.pop()) {
      const { connection, since } = last;
      if (!connection.socket.destroyed && since >= oldest) return connection;
      connection.socket.destroy();
    }
    return undefined;
  }

  async function establish({ url, proxy }: WireRequest): Promise<Connection> {
    const { protocol, port } = url;
    const target = { protocol, hostname: url.hostname.replace(/^\[|\]$/g, ''), port };
    if (!proxy) return new Connection(await connector.connect(target), url.origin);
    const { openTunnel } = await import('./tunnel.ts');
    return new Connection(await openTunnel(proxy, target, { connector, timeout }), url.origin);
  }

  function close(): void {
    // undici would clean up after each idle connection, which takes 1 ms of every run and changes nothing.
    for (const { connection } of [...idle.values()].flat())
      connection.socket.removeAllListeners('close').destroy();
    connector.close();
  }

  return { send, close };
}

/** As `promise`, but rejects with the reason of `signal` as soon as that is aborted; then nothing listens to it any more. */
function unlessAborted<Value>(signal: AbortSignal, promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}

function turnReturned(): Error {
  return Object.assign(new Error('turn returned'), { code: 'TURN_RETURNED' });
}
