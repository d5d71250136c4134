import {
  Agent,
  type ClientRequest,
  type ClientRequestArgs,
  type IncomingMessage,
  request as open,
} from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { badResponse } from '../api/breakdown.ts';
import { mayChange } from '../api/method.ts';
import type { Send, WireAnswer, WireRequest } from '../context.ts';
import { unloadable } from '../text/unloadable.ts';
import { createConnector } from './connector.ts';

export type Transport = {
  readonly send: Send;
  /** Drops every connection, also one that is still being made. */
  readonly close: () => void;
};

/** Answers that only announce another one; more than this are a flood. */
const mostAnnouncements = 20;
/** A write uses no connection that idled for longer, in ms: services close theirs after five seconds, or a minute. */
const longestIdle = 4_000;
/** Longest head of an answer, in bytes, whatever NODE_OPTIONS says. */
const maxHead = 16 * 1024;

/**
 * Real requests over the network, over as many connections as there are requests on their way. No redirect is followed and
 * no certificate goes unchecked. A connection has to stand within `timeout` ms; `uptime` tells how long one idled.
 */
export function createTransport(uptime: () => number, timeout = 10_000): Transport {
  const connector = createConnector(timeout);
  /** Each keeps the idle connections of one origin and proxy. */
  const ways = new Map<string, Way>();

  function wayFor({ url, proxy }: WireRequest): Way {
    const name = `${url.origin} ${proxy?.name ?? ''}`;
    const way = ways.get(name) ?? new Way(() => connectTo({ url, proxy }), uptime);
    ways.set(name, way);
    return way;
  }

  async function connectTo({ url, proxy }: Pick<WireRequest, 'url' | 'proxy'>): Promise<Socket> {
    const { protocol, port } = url;
    const target = { protocol, hostname: url.hostname.replace(/^\[|\]$/g, ''), port };
    if (!proxy) return connector.connect(target);
    const { openTunnel } = await import('./tunnel.ts').catch(unloadable);
    return openTunnel(proxy, target, { connector, timeout });
  }

  return {
    send: (request) => transmit(wayFor(request), request),
    close: connector.close,
  };
}

/** Keeps the idle connections of one origin and proxy, and makes new ones. */
class Way extends Agent {
  readonly #connect: () => Promise<Socket>;
  readonly #uptime: () => number;
  /** Since when an idle connection is. */
  readonly #idleSince = new WeakMap<Duplex, number>();

  constructor(connect: () => Promise<Socket>, uptime: () => number) {
    super({ keepAlive: true });
    this.#connect = connect;
    this.#uptime = uptime;
    this.on('free', (socket: Duplex) => this.#idleSince.set(socket, uptime()));
  }

  /** A connection that the other side may be closing just now would leave the outcome of a write unknown. */
  dropStale(): void {
    const stale = this.#uptime() - longestIdle;
    for (const socket of Object.values(this.freeSockets).flat()) {
      if (socket && (this.#idleSince.get(socket) ?? stale) < stale) socket.destroy();
    }
  }

  override createConnection(_: ClientRequestArgs, callback: Made = () => {}): undefined {
    this.#connect().then(
      (socket) => callback(null, socket),
      // What stands in place of the socket is not looked at.
      (error) => callback(error, new Socket()),
    );
  }
}

type Made = (error: Error | null, socket: Socket) => void;

function transmit(way: Way, wire: WireRequest) {
  const { method, url, headers, body, signal, stillGranted, onSent } = wire;
  if (mayChange(method)) way.dropStale();
  return new Promise<WireAnswer>((resolve, reject) => {
    let late: Error | undefined;
    const request = open({
      agent: way,
      method,
      host: url.hostname,
      port: url.port,
      path: url.pathname + url.search,
      headers: { host: url.host, ...headers },
      insecureHTTPParser: false,
      maxHeaderSize: maxHead,
    });
    const fail = (error: Error) => {
      late ??= error;
      request.destroy();
      reject(error);
    };
    const giveUp = () => fail(signal.reason);
    signal.addEventListener('abort', giveUp);
    request.once('close', () => signal.removeEventListener('abort', giveUp));
    // Nothing is written before `end`, so that the last look comes after everything that takes time.
    const begin = async () => {
      if (stillGranted && !(await stillGranted())) throw turnReturned();
      if (late) return;
      onSent();
      request.end(body);
    };
    request.once('socket', () => begin().catch(fail));
    request.on('error', fail);
    refuseFlood(request, fail);
    request.once('response', (answer: IncomingMessage) => {
      const { statusCode: status = 0, headersDistinct: headers, socket } = answer;
      const fault = () => late ?? (isDropped(request, socket) ? new Error(badResponse) : undefined);
      resolve({ status, headers, body: readAll(answer, fault) });
    });
  });
}

function turnReturned(): Error {
  return Object.assign(new Error('turn returned'), { code: 'TURN_RETURNED' });
}

function refuseFlood(request: ClientRequest, fail: (error: Error) => void): void {
  let announcements = 0;
  request.on('information', () => {
    announcements += 1;
    if (announcements > mostAnnouncements) fail(new Error(badResponse));
  });
  // A switch to another protocol, which nobody asked for.
  request.once('upgrade', (_, socket) => {
    socket.destroy();
    fail(new Error(badResponse));
  });
}

/** All of a body. @throws when more came behind it on its connection, which nobody asked for */
async function* readAll(answer: IncomingMessage, fault: () => Error | undefined) {
  try {
    yield* partsOf(answer);
  } catch (error) {
    throw fault() ?? error;
  }
  const error = fault();
  if (error) throw error;
}

/** What Node's own iterator gives, which takes as long as all else about a small answer. */
async function* partsOf(answer: IncomingMessage) {
  let wake = () => {};
  let failed: Error | undefined;
  answer.on('readable', () => wake());
  answer.once('end', () => wake());
  answer.once('error', (error) => {
    failed = error;
    wake();
  });
  try {
    for (;;) {
      const part: Uint8Array | null = answer.read();
      if (part) yield part;
      else if (failed) throw failed;
      else if (answer.readableEnded) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    // Whoever stops halfway needs no more of it.
    if (!answer.readableEnded) answer.destroy();
  }
}

/** A second answer makes Node drop the connection without a word, before the service has closed it. */
function isDropped(request: ClientRequest, socket: Socket): boolean {
  return request.shouldKeepAlive && socket.destroyed && !socket.readableEnded;
}
