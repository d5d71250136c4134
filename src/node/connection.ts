import type { Socket } from 'node:net';
import type { WireAnswer, WireRequest } from '../context.ts';
import { systemCode } from '../errors.ts';
import { Incoming } from './incoming.ts';
import { Client } from './undici.ts';

/** Informational responses to one request; more than these are a flood. */
const mostInformational = 20;

const settings = {
  headersTimeout: 0,
  bodyTimeout: 0,
  // When an idle connection ends is up to the service and to its Keep-Alive field, so this is the longest timer, in ms.
  keepAliveTimeout: 2 ** 31 - 1,
  /** Longest head of a response, in bytes, whatever NODE_OPTIONS says. */
  maxHeaderSize: 16 * 1024,
};

/** The connection was closed before a byte of the request left. */
export const closedBefore = Object.assign(new Error('closed'), { code: 'ECONNRESET' });

/** A socket that is connected, and undici's client, which sends requests over it and over no other one, with no deadline. */
export class Connection {
  readonly socket: Socket;
  readonly #client: Client;
  #paused = false;

  constructor(socket: Socket, origin: string) {
    this.socket = socket;
    // undici takes a reset for the end of a body that has no length.
    socket.prependListener('error', (error) => {
      if (systemCode(error) === 'ECONNRESET')
        Object.assign(error, { name: 'SocketError', code: 'UND_ERR_SOCKET' });
    });
    // undici's own pause would throw when the connection ends meanwhile, so what is not wanted yet stays in the socket.
    const read = socket.read.bind(socket);
    socket.read = (size) => (this.#paused && size !== 0 ? null : read(size));
    this.#client = new Client(origin, {
      ...settings,
      // In a turn of its own: undici does not go on after an answer within the call.
      connect: (_, made) =>
        queueMicrotask(() => (socket.destroyed ? made(closedBefore, null) : made(null, socket))),
    });
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.socket.emit('readable');
  }

  /**
   * Sends a request, once. `onFree` is called when its response has arrived and another request may use the connection.
   * @throws closedBefore, the signal's reason, the system's error, BAD_RESPONSE
   */
  send(
    { method, url, headers, body, signal, onSent }: WireRequest,
    onFree: () => void,
  ): Promise<WireAnswer> {
    const { socket } = this;
    return new Promise((resolve, reject) => {
      const incoming = new Incoming(this);
      let heads = 0;
      let hasHead = false;
      const giveUp = () => socket.destroy(signal.reason);
      const end = (error?: unknown) => {
        signal.removeEventListener('abort', giveUp);
        incoming.end(error);
        if (error) reject(error);
      };
      signal.addEventListener('abort', giveUp);
      const path = url.pathname + url.search;
      const fields = { host: url.host, ...headers };
      this.#client.dispatch(
        { method, path, headers: fields, body: body ?? null },
        {
          onRequestStart: onSent,
          onResponseStart(_, status, fields) {
            hasHead = status >= 200;
            heads += 1;
            if (hasHead) resolve({ status, headers: fields, body: incoming.read(giveUp) });
            else if (heads > mostInformational) socket.destroy(badResponse());
          },
          onResponseData: (_, part) => incoming.push(part),
          onResponseEnd: () =>
            // What follows the response in the same read is looked at by undici after this call.
            queueMicrotask(() => {
              this.resume();
              const { errored, destroyed } = socket;
              const reason = errored && reasonOf(errored, true);
              end(systemCode(reason) === 'BAD_RESPONSE' ? reason : undefined);
              if (!destroyed) onFree();
            }),
          onResponseError: (_, error) => end(reasonOf(error, hasHead)),
        },
      );
    });
  }
}

/** What arrived is not a response as HTTP/1.1 has it. */
function badResponse(): Error {
  return Object.assign(new Error('bad response'), { code: 'BAD_RESPONSE' });
}

/** Errors of undici about the head or the body of a response: those that mean that the connection broke off, and any. */
const cut = / SocketError: (?!bad )| HTTPParserError: .*EOF|^body ResponseContentLength/;
const any = / (SocketError|HTTPParserError|HeadersOverflow|ResponseContentLength)/;

/** The error of a connection: BAD_RESPONSE, ECONNRESET, or one that is not undici's as it is. */
function reasonOf(error: Error, hasHead: boolean): Error {
  const fault = `${hasHead ? 'body' : 'head'} ${error.name}: ${error.message}`;
  if (cut.test(fault)) return Object.assign(error, { code: 'ECONNRESET' });
  return any.test(fault) ? badResponse() : error;
}
