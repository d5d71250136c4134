import { TIMEOUT } from 'node:dns';
import net, { isIP, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { buildConnector, Client, type Dispatcher } from 'undici';
import type { HttpProxy, Send, WireAnswer, WireRequest } from '../context.ts';
import { systemCode } from '../errors.ts';
import { describeProxyFault, describeProxyRefusal } from '../request/breakdown.ts';
import { readInterim } from './undici.ts';

const clientOptions = {
  headersTimeout: 0,
  bodyTimeout: 0,
  // Services close idle connections after five seconds. A write on one that is being closed would have an unknown outcome.
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 4_000,
  maxHeaderSize: 16 * 1024,
};
const connectTimeoutMs = 10_000;
/** A host has this long to accept a connection before its next address is tried. Node's own 250 ms are less than some round trips. */
const attemptTimeoutMs = 2_000;

/** Sends each request once, over HTTP/1.1. undici's Pool and ProxyAgent have no place for the check before the first byte. */
export function createTransport(): Send {
  const idleLanes = new Map<string, Lane[]>();
  return (request) => {
    const { url, proxy } = request;
    const route = `${url.origin} ${proxy?.name ?? ''}`;
    const idle = idleLanes.get(route) ?? [];
    idleLanes.set(route, idle);
    const lane = idle.pop() ?? new Lane(url, proxy);
    return lane.send(request, () => idle.push(lane));
  };
}

type Target = buildConnector.Options;

/** What a connection waits for. Whoever gives it up can then say why. */
type Stage = 'lookup' | 'connect' | 'proxy' | 'open';

/** One connection at a time to one service, which sends one request after the other. */
class Lane {
  readonly #client: Client;
  readonly #host: string;
  readonly #proxy: HttpProxy | undefined;
  #stage: Stage = 'open';
  /** The connection to the service or the proxy, below any TLS. */
  #tcp: Socket | undefined;
  #socket: Socket | undefined;
  /** What TLS said first. undici would report in its place that the connection is closed. */
  #tlsFault: Error | undefined;
  /** While true, data stays in the socket until the reader of the body wants more. */
  #isPaused = false;
  #lastCheck: WireRequest['lastCheck'];

  constructor({ origin, host }: URL, proxy: HttpProxy | undefined) {
    this.#client = createClient(origin, (target) => this.#connect(target));
    this.#host = host;
    this.#proxy = proxy;
  }

  /** Calls `onIdle` when the response has ended and the lane can take another request. */
  send(request: WireRequest, onIdle: () => void): Promise<WireAnswer> {
    const { method, url, headers, signal, lastCheck, onSent } = request;
    this.#lastCheck = lastCheck;
    return new Promise((resolve, reject) => {
      let isOver = false;
      const end = () => {
        isOver = true;
        signal.removeEventListener('abort', onAbort);
      };
      const body = new Readable({
        read: () => this.#resume(),
        destroy: (error, done) => {
          if (!isOver) this.#discard(error);
          end();
          done(error);
        },
      });
      // The body may fail before anybody reads it. Without a listener, the event would end the process.
      body.on('error', () => {});
      const fail = (error: Error) => {
        reject(error);
        body.destroy(error);
      };
      const onAbort = () => fail(this.#explainDelay() ?? signal.reason);
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort);

      const path = url.pathname + url.search;
      const fields = { host: url.host, ...headers };
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart: () => {
          readInterim(this.#socket as Socket);
          onSent();
        },
        onResponseStart(_, status, headers) {
          if (status >= 200) resolve({ status, headers, body });
        },
        onResponseData: (_, part) => {
          if (!body.push(part)) this.#isPaused = true;
        },
        onResponseEnd: () => {
          // The reset looks like the end of a body that has no length.
          if (isOver) return;
          end();
          body.push(null);
          onIdle();
          queueMicrotask(() => this.#resume());
        },
        onResponseError: (_, error) => fail(this.#tlsFault ?? error),
      };
      const dispatch = () =>
        this.#client.dispatch(
          { method, path, headers: fields, body: request.body ?? null },
          handler,
        );
      // A new connection makes the check itself, once it stands.
      if (this.#socket && lastCheck) lastCheck().then(dispatch, fail);
      else dispatch();
    });
  }

  #resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#socket?.emit('readable');
  }

  #discard(error: Error | null): void {
    // After a plain close the system would go on sending for minutes, and the service might still receive the request.
    if (this.#tcp?.connecting) this.#tcp.destroy();
    else if (!this.#tcp?.destroyed) this.#tcp?.resetAndDestroy();
    this.#client.destroy(error).catch(() => {});
    // undici does not have the socket before the last check.
    this.#socket?.destroy();
  }

  #explainDelay(): Error | undefined {
    if (this.#stage === 'connect' || this.#stage === 'open') return undefined;
    const fault = createFault(this.#stage === 'lookup' ? TIMEOUT : 'UND_ERR_HEADERS_TIMEOUT');
    return this.#proxy ? describeProxyFault(fault, this.#proxy, this.#host) : fault;
  }

  async #connect(target: Target): Promise<Socket> {
    const socket = await (this.#proxy
      ? this.#connectThrough(this.#proxy, target)
      : this.#connectTo(target));
    if (target.protocol === 'http:' && !isLocal(socket)) {
      socket.destroy();
      throw createFault('ENOTLOCAL');
    }
    this.#adopt(socket);
    try {
      await this.#lastCheck?.();
    } catch (refusal) {
      socket.destroy();
      throw refusal;
    }
    // undici takes a closed socket for a reason to connect again.
    if (socket.destroyed) throw createFault('ECONNRESET');
    return socket;
  }

  /** Connects over TCP before it speaks TLS, because Node resets no socket that speaks TLS. */
  async #connectTo(target: Target): Promise<Socket> {
    const isSecure = target.protocol === 'https:';
    const tcp = net.connect({
      host: target.hostname,
      port: Number(target.port) || (isSecure ? 443 : 80),
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 60_000,
      autoSelectFamilyAttemptTimeout: attemptTimeoutMs,
    });
    this.#tcp = tcp;
    this.#stage = isIP(target.hostname) ? 'connect' : 'lookup';
    const timer = setTimeout(() => {
      tcp.destroy(createFault(this.#stage === 'lookup' ? TIMEOUT : 'UND_ERR_CONNECT_TIMEOUT'));
    }, connectTimeoutMs);
    tcp.once('lookup', () => {
      this.#stage = 'connect';
    });
    try {
      await new Promise<void>((resolve, reject) => {
        // An error under TLS reaches this socket as well. Without a listener it would end the process.
        tcp.on('error', reject).once('connect', resolve);
        tcp.once('close', () => reject(createFault('ECONNRESET')));
      });
    } finally {
      clearTimeout(timer);
      this.#stage = 'open';
    }
    return isSecure ? speakTls(target, tcp) : tcp;
  }

  /** Connects to the proxy, asks it once for a tunnel, and speaks TLS with the service inside it. */
  async #connectThrough(proxy: HttpProxy, target: Target): Promise<Socket> {
    const { statusCode, socket } = await this.#askForTunnel(proxy, target).catch((fault) => {
      throw describeProxyFault(fault, proxy, this.#host);
    });
    if (statusCode < 200 || statusCode >= 300) {
      socket.destroy();
      throw describeProxyRefusal(statusCode, proxy, this.#host);
    }
    return speakTls(target, socket as Socket).catch((fault) => {
      throw describeProxyFault(fault, proxy, this.#host, true);
    });
  }

  async #askForTunnel({ origin, credentials }: HttpProxy, target: Target) {
    const client = createClient(origin, async (next) => {
      const socket = await this.#connectTo(next);
      this.#stage = 'proxy';
      return socket;
    });
    const host = target.hostname.includes(':') ? `[${target.hostname}]` : target.hostname;
    const path = `${host}:${target.port || 443}`;
    const authorization = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
    const headers = { host: path, ...(authorization && { 'proxy-authorization': authorization }) };
    try {
      return await client.connect({ path, headers });
    } catch (error) {
      client.destroy().catch(() => {});
      throw error;
    } finally {
      this.#stage = 'open';
    }
  }

  /** Prepares a socket for undici, whose own pause can crash, and which takes a reset for the end of a body that has no length. */
  #adopt(socket: Socket): void {
    this.#socket = socket;
    const read = socket.read.bind(socket);
    socket.read = (size) => (this.#isPaused && size !== 0 ? null : read(size));
    socket.prependListener('error', (error) => {
      const code = systemCode(error);
      if (code === 'ECONNRESET') Object.assign(error, { code: 'UND_ERR_SOCKET' });
      if (code?.startsWith('ERR_SSL_')) this.#tlsFault = error;
    });
  }
}

function createClient(origin: string, connect: (target: Target) => Promise<Socket>): Client {
  return new Client(origin, {
    ...clientOptions,
    connect: (target, done) => {
      connect(target).then(
        (socket) => done(null, socket),
        (error) => done(error, null),
      );
    },
  });
}

function speakTls(target: Target, httpSocket: Socket): Promise<Socket> {
  const connect = buildConnector({ rejectUnauthorized: true, timeout: connectTimeoutMs });
  return new Promise((resolve, reject) => {
    connect({ ...target, httpSocket }, (error, socket) =>
      error ? reject(error) : resolve(socket),
    );
  });
}

/** The name localhost may lead anywhere, and over http the key is not encrypted. A socket without an address is closed again. */
function isLocal({ remoteAddress }: Socket): boolean {
  if (remoteAddress === undefined) return true;
  return remoteAddress === '::1' || /^(?:::ffff:)?127\./.test(remoteAddress);
}

function createFault(code: string): Error {
  return Object.assign(new Error(), { code });
}
