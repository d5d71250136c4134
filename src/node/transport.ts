import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { buildConnector as Connectors } from 'undici';
import { TunnelError } from '../api/exchange.ts';
import type { HttpProxy, Send, WireAnswer, WireRequest } from '../context.ts';
import { systemCode } from '../errors.ts';
import { buildConnector, Client, connectTunnel } from './undici.ts';

/** A connection, and what the request on it needs. */
type Lane = {
  readonly client: Client;
  socket?: Socket;
  /** While true, data stays in the socket until the reader of the body wants more. */
  isPaused: boolean;
  lastCheck: WireRequest['lastCheck'];
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
const connectOptions = { rejectUnauthorized: true, timeout: connectTimeoutMs };

/** Sends each request once, over HTTP/1.1. undici's Pool and ProxyAgent have no place for the check before the first byte. */
export function createTransport(): Send {
  const idleLanes = new Map<string, Lane[]>();

  return (request) => {
    const { url, proxy, lastCheck } = request;
    const route = `${url.origin} ${proxy?.name ?? ''}`;
    const idle = idleLanes.get(route) ?? [];
    idleLanes.set(route, idle);
    const reused = idle.pop();
    const lane = reused ?? openLane(url.origin, proxy);
    lane.lastCheck = lastCheck;
    // A new lane makes the check itself, once it has connected.
    const check = reused && lastCheck;
    return sendThrough(lane, request, check, () => idle.push(lane));
  };
}

/** Calls `release` when the response has ended and the lane can take another request. */
function sendThrough(
  lane: Lane,
  { method, url, headers, body, signal, onSent }: WireRequest,
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
    const discardLane = (error: Error | null) => {
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
      reject(signal.reason);
      received.destroy(signal.reason);
    };
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort);
    const end = () => {
      isOver = true;
      signal.removeEventListener('abort', onAbort);
    };
    const fail = (error: Error) => {
      end();
      reject(error);
      received.destroy(error);
      discardLane(error);
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
            end();
            received.push(null);
            release();
            queueMicrotask(resume);
          },
          onResponseError: (_, error) => fail(error),
        },
      );
    if (check) check().then(dispatch, fail);
    else dispatch();
  });
}

function openLane(origin: string, proxy: HttpProxy | undefined): Lane {
  const direct = buildConnector(connectOptions);
  const connect = proxy ? throughProxy(proxy, direct) : direct;
  const lane: Lane = {
    isPaused: false,
    lastCheck: undefined,
    client: new Client(origin, {
      ...clientOptions,
      connect: (target, done) =>
        connect(target, (error, socket) => {
          if (error) return done(error, null);
          adopt(socket, lane);
          Promise.resolve(lane.lastCheck?.()).then(
            // undici takes a closed socket for a reason to connect again.
            () => (socket.destroyed ? done(closedEarly(), null) : done(null, socket)),
            (refusal) => {
              socket.destroy();
              done(refusal, null);
            },
          );
        }),
    }),
  };
  return lane;
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
    if (systemCode(error) === 'ECONNRESET') Object.assign(error, { code: 'UND_ERR_SOCKET' });
  });
}

function closedEarly(): Error {
  return Object.assign(new Error('closed before the request'), { code: 'ECONNRESET' });
}

/**
 * Connects to the proxy, asks it once for a tunnel, and speaks TLS with the service inside it. Its errors are TunnelErrors, because
 * undici would connect again, for ever, after one with the code UND_ERR_SOCKET.
 */
function throughProxy(proxy: HttpProxy, direct: Connectors.connector): Connectors.connector {
  return (target, done) => {
    const { origin, credentials } = proxy;
    const client = new Client(origin, { ...clientOptions, connect: connectOptions });
    const host = target.hostname.includes(':') ? `[${target.hostname}]` : target.hostname;
    const path = `${host}:${target.port || 443}`;
    const authorization = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
    const headers = { host: path, ...(authorization && { 'proxy-authorization': authorization }) };
    const signal = AbortSignal.timeout(connectTimeoutMs);
    connectTunnel.call(client, { origin, path, headers, signal }).then(
      ({ statusCode, socket }) => {
        if (statusCode >= 200 && statusCode < 300) {
          direct({ ...target, httpSocket: socket as Socket }, (error, secured) =>
            error ? done(new TunnelError(proxy, 'service', error), null) : done(null, secured),
          );
          return;
        }
        socket.destroy();
        done(new TunnelError(proxy, 'proxy', `refused to connect (${statusCode})`), null);
      },
      (error) => {
        client.destroy().catch(() => {});
        const fault = signal.aborted ? `timed out after ${connectTimeoutMs / 1_000}s` : error;
        done(new TunnelError(proxy, 'proxy', fault), null);
      },
    );
  };
}
