import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { badResponse } from '../api/breakdown.ts';
import type { WireAnswer, WireRequest } from '../context.ts';
import { systemCode } from '../errors.ts';
import { type Flow, Incoming } from './incoming.ts';
import { Client } from './undici.ts';

/** A connection, and the client that sends requests over it and over no other one. */
export type Connection = {
  readonly client: Client;
  readonly socket: Socket;
  readonly flow: Flow;
};

/** Informational responses to one request; more than these are a flood. */
const mostInformational = 20;
/** Longest head of a response, in bytes, whatever NODE_OPTIONS says. */
const maxHeaderSize = 16 * 1024;
/** The longest timer, in ms: when an idle connection ends is up to the service and to its Keep-Alive field. */
const longestTimer = 2 ** 31 - 1;

/** How undici names the error of a connection that breaks off. */
const brokenOff = { name: 'SocketError', code: 'UND_ERR_SOCKET' };

/** The connection was closed before a byte of the request left. */
export const closedBefore = Object.assign(new Error('closed'), { code: 'ECONNRESET' });

/** A client for a socket that is connected. It has no deadlines, and makes no other connection. */
export function connectionOver(socket: Socket, origin: string): Connection {
  // undici takes a reset for the end of a body that has no length.
  socket.prependListener('error', (error) => {
    if (systemCode(error) === 'ECONNRESET') Object.assign(error, brokenOff);
  });
  const client = new Client(origin, {
    // In a turn of its own: undici does not go on after an answer within the call.
    connect: (_, made) =>
      queueMicrotask(() => (socket.destroyed ? made(closedBefore, null) : made(null, socket))),
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: longestTimer,
    maxHeaderSize,
  });
  return { client, socket, flow: flowOf(socket) };
}

/** undici's own pause would throw when the connection ends meanwhile, so what is not wanted yet stays in the socket. */
function flowOf(socket: Socket): Flow {
  const read = socket.read.bind(socket);
  let paused = false;
  socket.read = (size) => (paused && size !== 0 ? null : read(size));
  return {
    pause() {
      paused = true;
    },
    resume() {
      if (!paused) return;
      paused = false;
      socket.emit('readable');
    },
  };
}

/**
 * Sends a request, once. `onFree` is called when its response has arrived and another request may use the connection.
 * @throws closedBefore, the signal's reason, the system's error, one with the message badResponse
 */
export function dispatch(
  { client, socket, flow }: Connection,
  { method, url, headers, body, signal, onSent }: WireRequest,
  onFree: () => void,
): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const incoming = new Incoming(flow);
    let informational = 0;
    let hasHead = false;
    let abort = (_reason: Error) => {};
    const end = (error?: unknown) => {
      signal.removeEventListener('abort', giveUp);
      incoming.end(error);
      if (error) reject(error);
    };
    const giveUp = () => {
      end(signal.reason);
      abort(signal.reason);
    };
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(controller) {
        abort = (reason) => controller.abort(reason);
        if (signal.aborted) giveUp();
        else onSent();
      },
      onResponseStart(controller, status, fields) {
        hasHead = status >= 200;
        informational += 1;
        if (hasHead) resolve({ status, headers: fields, body: incoming.read(giveUp) });
        else if (informational > mostInformational) controller.abort(new Error(badResponse));
      },
      onResponseData: (_, part) => incoming.push(part),
      onResponseEnd() {
        // What follows the response in the same read is looked at by undici after this call.
        queueMicrotask(() => {
          flow.resume();
          const { errored, destroyed } = socket;
          const reason = errored && reasonOf(errored, true);
          end(reason?.message === badResponse ? reason : undefined);
          if (!destroyed) onFree();
        });
      },
      onResponseError: (_, error) => end(reasonOf(error, hasHead)),
    };
    signal.addEventListener('abort', giveUp);
    const path = url.pathname + url.search;
    const fields = { host: url.host, ...headers };
    client.dispatch({ method, path, headers: fields, body: body ?? null }, handler);
  });
}

/** What undici's error means: the connection broke off, or the response is not valid. */
function reasonOf(error: Error, hasHead: boolean): Error {
  const { name, message } = error;
  switch (name) {
    case 'SocketError':
      return message.startsWith('bad ') ? new Error(badResponse) : cutOff(error);
    case 'HTTPParserError':
      return message.includes('EOF') ? cutOff(error) : new Error(badResponse);
    case 'ResponseContentLengthMismatchError':
      // A head that has a length and is not valid gets this name too.
      return hasHead ? cutOff(error) : new Error(badResponse);
    case 'HeadersOverflowError':
      return new Error(badResponse);
    default:
      return error;
  }
}

function cutOff(error: Error): Error {
  return Object.assign(error, { code: 'ECONNRESET' });
}
