import type { Socket } from 'node:net';
import { mayChange } from '../api/method.ts';
import type { Send, WireAnswer, WireRequest } from '../context.ts';
import { unloadable } from '../text/unloadable.ts';
import { createConnector } from './connector.ts';
import { type Connection, closedBefore, connectionOver, dispatch } from './dispatch.ts';

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
    const way = `${url.origin} ${proxy?.name ?? ''}`;
    const unused = idle.get(way) ?? [];
    idle.set(way, unused);
    // undici's own pool would choose a connection and write at once; the last look at the limit comes between the two.
    const reused = takeIdle(unused, mayChange(method));
    const connection = reused ?? (await establish(request));
    try {
      if (stillGranted && !(await orAborted(stillGranted(), signal))) throw turnReturned();
      const onFree = () => unused.push({ connection, since: uptime() });
      return await dispatch(connection, request, onFree);
    } catch (error) {
      connection.socket.destroy();
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

  async function establish({ url, proxy, signal }: WireRequest): Promise<Connection> {
    const connecting = connectTo(url, proxy);
    try {
      return connectionOver(await orAborted(connecting, signal), url.origin);
    } catch (error) {
      // Of no use to anybody once it is established.
      connecting.then(
        (socket) => socket.destroy(),
        () => {},
      );
      throw error;
    }
  }

  async function connectTo(url: URL, proxy: WireRequest['proxy']): Promise<Socket> {
    const { protocol, port } = url;
    const target = { protocol, hostname: url.hostname.replace(/^\[|\]$/g, ''), port };
    if (!proxy) return connector.connect(target);
    const { openTunnel } = await import('./tunnel.ts').catch(unloadable);
    return openTunnel(proxy, target, { connector, timeout });
  }

  return { send, close: connector.close };
}

/** What `promise` does, or the reason of `signal` as soon as it is aborted. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    signal.addEventListener('abort', giveUp);
    if (signal.aborted) giveUp();
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}

function turnReturned(): Error {
  return Object.assign(new Error('turn returned'), { code: 'TURN_RETURNED' });
}
