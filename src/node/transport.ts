import { TIMEOUT } from 'node:dns';
import net, { isIP, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import type { buildConnector as Connectors } from 'undici';
import type { HttpProxy, Send, WireAnswer, WireRequest } from '../context.ts';
import { systemCode } from '../errors.ts';
import { TunnelError } from '../request/exchange.ts';
import { buildConnector, Client, connectTunnel } from './undici.ts';

type Lane = {
  readonly client: Client;
  /** The connection to the service or the proxy, below any TLS. */
  tcp?: Socket;
  socket?: Socket;
  /** What TLS said first. undici would report in its place that the connection is closed. */
  fault?: Error;
  /** The fault of whoever the connection waits for, until it answers. */
  delay?: Error | undefined;
  /** While true, data stays in the socket until the reader of the body wants more. */
  isPaused: boolean;
  lastCheck: WireRequest['lastCheck'];
  readonly patience: Patience;
};

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
const firstAttemptTimeoutMs = 1_000;
const maxAttemptTimeoutMs = 8_000;

/** Grows with each connection that failed. */
type Patience = { attemptTimeoutMs: number };

/** Sends each request once, over HTTP/1.1. undici's Pool and ProxyAgent have no place for the check before the first byte. */
export function createTransport(): Send {
  const idleLanes = new Map<string, Lane[]>();
  const patience: Patience = { attemptTimeoutMs: firstAttemptTimeoutMs };

  return (request) => {
    const { url, proxy, lastCheck } = request;
    const route = `${url.origin} ${proxy?.name ?? ''}`;
    const idle = idleLanes.get(route) ?? [];
    idleLanes.set(route, idle);
    const reused = idle.pop();
    const lane = reused ?? openLane(url.origin, proxy, patience);
    lane.lastCheck = lastCheck;
    // A new lane makes the check itself, once it has connected.
    const check = reused && lastCheck;
    return sendThrough(lane, request, check, () => idle.push(lane));
  };
}

/** Calls `release` when the response has ended and the lane can take another request. */
function sendThrough(
  lane: Lane,
  { method, url, headers, body, proxy, signal, onSent }: WireRequest,
  check: WireRequest['lastCheck'],
  release: () => void,
): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const resume = () => {
      if (!lane.isPaused) return;
      lane.isPaused = false;
      lane.socket?.emit('readable');
    };
    const end = () => {
      isOver = true;
      signal.removeEventListener('abort', onAbort);
    };
    const discardLane = (error: Error | null) => {
      end();
      // After a plain close the system would go on sending for minutes, and the service might still receive the request.
      if (lane.tcp?.connecting) lane.tcp.destroy();
      else if (!lane.tcp?.destroyed) lane.tcp?.resetAndDestroy();
      lane.client.destroy(error).catch(() => {});
      // undici does not have the socket before the last check.
      lane.socket?.destroy();
    };
    const received = new Readable({
      read: resume,
      destroy(error, done) {
        if (!isOver) discardLane(error);
        done(error);
      },
    });
    // The body may fail before anybody reads it. Without a listener, the event would end the process.
    received.on('error', () => {});
    const onAbort = () => {
      const { delay } = lane;
      reject(delay && proxy ? new TunnelError(proxy, 'proxy', delay) : (delay ?? signal.reason));
      received.destroy(signal.reason);
    };
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort);
    const fail = (error: Error) => {
      reject(error);
      discardLane(error);
      received.destroy(error);
    };

    const dispatch = () =>
      lane.client.dispatch(
        {
          method,
          path: url.pathname + url.search,
          headers: { host: url.host, ...headers },
          body: body ?? null,
        },
        {
          onRequestStart: onSent,
          onResponseStart(_, status, fields) {
            if (status >= 200) resolve({ status, headers: fields, body: received });
          },
          onResponseData(_, part) {
            if (!received.push(part)) lane.isPaused = true;
          },
          onResponseEnd() {
            // The reset looks like the end of a body that has no length.
            if (isOver) return;
            end();
            received.push(null);
            release();
            queueMicrotask(resume);
          },
          onResponseError: (_, error) => fail(lane.fault ?? error),
        },
      );
    if (check) check().then(dispatch, fail);
    else dispatch();
  });
}

function openLane(origin: string, proxy: HttpProxy | undefined, patience: Patience): Lane {
  const lane: Lane = {
    patience,
    isPaused: false,
    lastCheck: undefined,
    client: new Client(origin, {
      ...clientOptions,
      connect: (target, done) =>
        connect(target, (error, socket) => {
          if (error) return done(error, null);
          if (target.protocol === 'http:' && !isLocal(socket)) {
            socket.destroy();
            return done(createFault('ENOTLOCAL'), null);
          }
          adopt(socket, lane);
          Promise.resolve(lane.lastCheck?.()).then(
            // undici takes a closed socket for a reason to connect again.
            () => (socket.destroyed ? done(createFault('ECONNRESET'), null) : done(null, socket)),
            (refusal) => {
              socket.destroy();
              done(refusal, null);
            },
          );
        }),
    }),
  };
  const connect = proxy ? throughProxy(proxy, lane) : directly(lane);
  return lane;
}

/** Connects over TCP before it speaks TLS, because Node resets no socket that speaks TLS. */
function directly(lane: Lane): Connectors.connector {
  return (target, done) => {
    const { hostname: host, port, protocol } = target;
    const isSecure = protocol === 'https:';
    const tcp = net.connect({
      host,
      port: Number(port) || (isSecure ? 443 : 80),
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 60_000,
      autoSelectFamilyAttemptTimeout: lane.patience.attemptTimeoutMs,
    });
    lane.tcp = tcp;
    lane.delay = isIP(host) ? undefined : createFault(TIMEOUT);
    const timer = setTimeout(
      () => tcp.destroy(lane.delay ?? createFault('UND_ERR_CONNECT_TIMEOUT')),
      connectTimeoutMs,
    );
    const fail = (error: Error) => {
      const { patience } = lane;
      patience.attemptTimeoutMs = Math.min(patience.attemptTimeoutMs * 4, maxAttemptTimeoutMs);
      lane.delay = undefined;
      done(error, null);
    };
    tcp
      .once('lookup', () => {
        lane.delay = undefined;
      })
      .once('close', () => clearTimeout(timer))
      .once('error', fail)
      .once('connect', () => {
        clearTimeout(timer);
        // An error under TLS reaches the socket above; without a listener here it would end the process.
        tcp.off('error', fail).on('error', () => {});
        if (isSecure) speakTls({ ...target, httpSocket: tcp }, done);
        else done(null, tcp);
      });
  };
}

/** An error about the certificate has this as `cert`, since Node forgets it. */
function speakTls(target: Connectors.Options, done: Connectors.Callback): void {
  const secure = buildConnector({ rejectUnauthorized: true, timeout: connectTimeoutMs });
  let cert: PeerCertificate | undefined;
  const socket: unknown = secure(target, (error, secured) =>
    error ? done(Object.assign(error, cert && { cert }), null) : done(null, secured),
  );
  (socket as TLSSocket).prependOnceListener('secure', () => {
    cert = (socket as TLSSocket).getPeerCertificate();
  });
}

/**
 * Prepares a socket for undici, whose own pause crashes when the connection ends meanwhile, and which takes a reset for the end of
 * a body that has no length.
 */
function adopt(socket: Socket, lane: Lane): void {
  lane.socket = socket;
  const read = socket.read.bind(socket);
  socket.read = (size) => (lane.isPaused && size !== 0 ? null : read(size));
  socket.prependListener('error', (error) => {
    const code = systemCode(error);
    if (code === 'ECONNRESET') Object.assign(error, { code: 'UND_ERR_SOCKET' });
    if (code?.startsWith('ERR_SSL_')) lane.fault = error;
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

/**
 * Connects to the proxy, asks it once for a tunnel, and speaks TLS with the service inside it. Its errors are TunnelErrors, because
 * undici would connect again, for ever, after one with the code UND_ERR_SOCKET.
 */
function throughProxy(proxy: HttpProxy, lane: Lane): Connectors.connector {
  const connect = directly(lane);
  return (target, done) => {
    const { origin, credentials } = proxy;
    const client = new Client(origin, {
      ...clientOptions,
      connect: (next, onConnect) =>
        connect(next, (...result) => {
          lane.delay = createFault('UND_ERR_HEADERS_TIMEOUT');
          onConnect(...result);
        }),
    });
    const host = target.hostname.includes(':') ? `[${target.hostname}]` : target.hostname;
    const path = `${host}:${target.port || 443}`;
    const authorization = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
    const headers = { host: path, ...(authorization && { 'proxy-authorization': authorization }) };
    connectTunnel
      .call(client, { origin, path, headers })
      .finally(() => {
        lane.delay = undefined;
      })
      .then(
        ({ statusCode, socket }) => {
          if (statusCode >= 200 && statusCode < 300) {
            speakTls({ ...target, httpSocket: socket as Socket }, (error, secured) =>
              error ? done(new TunnelError(proxy, 'service', error), null) : done(null, secured),
            );
            return;
          }
          socket.destroy();
          const did = credentials === undefined ? 'requires a' : 'did not accept the';
          const what = statusCode === 407 ? `${did} user name and password` : 'refused to connect';
          done(new TunnelError(proxy, 'proxy', `${what} (${statusCode})`), null);
        },
        (error) => {
          client.destroy().catch(() => {});
          done(new TunnelError(proxy, 'proxy', error), null);
        },
      );
  };
}
