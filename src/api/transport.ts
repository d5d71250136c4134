import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { buildConnector as Connector, Dispatcher } from 'undici';
import { RequestHandler } from 'undici/lib/api/api-request.js';
import buildConnector from 'undici/lib/core/connect.js';
import Client from 'undici/lib/dispatcher/client.js';
import type { HttpProxy, Send, WireAnswer, WireRequest } from '../context.ts';
import { badResponse } from './breakdown.ts';
import type { Connect } from './tunnel.ts';

export type Transport = {
  readonly send: Send;
  /** Drops every connection, also one that is still being made. */
  readonly close: () => void;
};

/** Answers that only announce another one; more than this are a flood. */
const mostAnnouncements = 20;

/**
 * Real requests over the network, over as many connections as there are requests on their way. No redirect is followed and
 * no certificate goes unchecked. A connection has to stand within `timeout` ms.
 */
export function createTransport(timeout = 10_000): Transport {
  /** Each has one connection, and one request on it at a time; by origin and proxy. */
  const clients = new Map<string, Client[]>();
  // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 cannot switch the check off.
  const build = buildConnector({ rejectUnauthorized: true, timeout });
  /** The connection of each client. */
  const current = new WeakMap<Client, Socket>();
  /** Undici lets go of connections that stand, and not of those that are being made. */
  const sockets = new Set<Socket>();
  let closed = false;

  const connect: Connect = (options, callback) => {
    const socket = build(options, callback);
    sockets.add(socket);
    // Before the certificate is judged: the connection of one that is not accepted forgets it.
    socket.prependOnceListener('secure', () => {
      const certificate = (socket as TLSSocket).getPeerCertificate();
      socket.prependOnceListener('error', (error) => Object.assign(error, { certificate }));
    });
    socket.once('close', () => sockets.delete(socket));
    if (closed) socket.destroy();
    return socket;
  };

  /** Undici's own ProxyAgent asks a proxy that closes the connection again without end. */
  function connectThrough(proxy: HttpProxy): Connector.connector {
    return async (options, callback) => {
      const { openTunnel } = await import('./tunnel.ts');
      openTunnel(proxy, options, { connect, timeout }).then(
        (socket) => callback(null, socket),
        (error) => callback(error, null),
      );
    };
  }

  /** One that is idle: the last answer on it was received whole. */
  function clientFor({ url: { origin }, proxy }: WireRequest): Client {
    const way = `${origin} ${proxy?.name ?? ''}`;
    const all = clients.get(way) ?? [];
    const idle = all.find(({ stats }) => stats.size === 0);
    if (idle) return idle;
    const client = new Client(origin, {
      connect(options, callback) {
        const open: Connector.connector = proxy ? connectThrough(proxy) : connect;
        open(options, (...opened) => {
          if (opened[1]) current.set(client, opened[1]);
          callback(...opened);
        });
      },
      // One deadline for the whole request is kept by the caller; these count each pause alone.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    clients.set(way, [...all, client]);
    return client;
  }

  return {
    async send(request) {
      const client = clientFor(request);
      const answer = await transmit(client, request);
      return { ...answer, body: readAll(answer.body, current.get(client)) };
    },
    close: () => {
      closed = true;
      for (const client of [...clients.values()].flat()) client.destroy().catch(() => {});
      for (const socket of sockets) socket.destroy();
      clients.clear();
    },
  };
}

/** All of a body. @throws when more came behind it on its connection, which nobody asked for */
async function* readAll(body: AsyncIterable<Uint8Array>, connection: Socket | undefined) {
  yield* body;
  const { errored } = connection ?? {};
  if (errored?.message === badResponse) throw errored;
}

function transmit(client: Client, request: WireRequest): Promise<WireAnswer> {
  const { url, signal, body } = request;
  let announcements = 0;
  const options: Dispatcher.RequestOptions = {
    method: request.method as Dispatcher.HttpMethod,
    path: url.pathname + url.search,
    headers: request.headers,
    signal,
    body: body ?? null,
    onInfo() {
      announcements += 1;
      if (announcements > mostAnnouncements) throw new Error(badResponse);
    },
  };
  return new Promise((resolve, reject) => {
    const handler = new SentHandler(options, (error, answer) => {
      if (error) reject(error);
      else resolve({ status: answer.statusCode, headers: answer.headers, body: answer.body });
    });
    handler.onSent = request.onSent;
    client.dispatch(options, handler);
  });
}

/** Tells when the first byte is about to leave: before that, a write surely did not happen. */
class SentHandler extends RequestHandler {
  onSent = () => {};

  override onConnect(abort: (reason?: Error) => void): void {
    this.onSent();
    super.onConnect(abort);
  }
}
