import { createServer, type Socket } from 'node:net';
import { openServer } from './ports.ts';

/** A request as it came, and the good response to it. */
export type Seen = {
  readonly method: string;
  /** The request line and the header fields. */
  readonly head: string;
  readonly status: 200 | 201;
  readonly good: string;
};

/** What happens to a request that has arrived whole. */
export type React = (socket: Socket, seen: Seen) => unknown;
type Bytes = string | Uint8Array;
type Make = Bytes | ((seen: Seen) => Bytes);
type Behaviour = {
  /** What is created is listed from then on, whatever the reaction says of it. */
  readonly commits?: boolean;
  /** Lists are good, and only the rest meets the reaction. */
  readonly listsWell?: boolean;
};
export type RawService = Awaited<ReturnType<typeof startRaw>>;

/** Starts a server on a real port; each path that is asked for has a reaction of its own, byte for byte. */
export async function startRaw() {
  const places: ((socket: Socket, head: string, body: string) => unknown)[] = [];
  const server = createServer((socket) => {
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      const [head = '', body] = text.split('\r\n\r\n', 2);
      const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
      if (body === undefined || Buffer.byteLength(body) < length) return;
      text = '';
      places[Number(/\/(\d+)\//.exec(head)?.[1])]?.(socket, head, body);
    });
  });
  const { port, close } = await openServer(server);

  function at(react: React, { commits, listsWell }: Behaviour = {}) {
    const seen: Seen[] = [];
    const created: string[] = [];
    const dog = '{"id":1,"name":"dog","description":"Loyal"}';
    const place = places.push((socket, head, body) => {
      const [method = '', path = ''] = head.split(' ');
      const isList = /\/(?:categories|orders)$/.test(path);
      const made =
        method === 'POST' && JSON.stringify({ id: 7 + created.length, ...JSON.parse(body) });
      const good = made || (isList ? `[${[dog, ...created]}]` : dog);
      const one: Seen = { method, head, status: made ? 201 : 200, good };
      seen.push(one);
      if (made && commits) created.push(made);
      if (listsWell && !made) say(whole)(socket, one);
      else react(socket, one);
    });
    return { url: `http://127.0.0.1:${port}/${place - 1}/v1`, seen };
  }

  return { at, close };
}

const bytesOf = (make: Make, seen: Seen) => (typeof make === 'function' ? make(seen) : make);

/** Responds, and keeps the connection. */
export function say(make: Make): React {
  return (socket, seen) => socket.write(bytesOf(make, seen));
}

/** Responds, and ends the connection. */
export function end(make: Make): React {
  return (socket, seen) => socket.end(bytesOf(make, seen));
}

/** Responds, and breaks the connection once the bytes were read: where both arrive together, some versions of Node see no reset. */
export function reset(make: Make): React {
  const later = (act: () => void) => setImmediate(() => setImmediate(act));
  return (socket, seen) =>
    socket.write(bytesOf(make, seen), () => later(() => socket.resetAndDestroy()));
}

/** Sends the first bytes, and then these again and again until nobody reads any more. */
export function endless(first: Make, piece: Bytes, pauseMs = 0): React {
  return (socket, seen) => {
    const next = () => {
      if (socket.destroyed) return;
      socket.write(piece, () => (pauseMs > 0 ? setTimeout(next, pauseMs) : setImmediate(next)));
    };
    socket.write(bytesOf(first, seen), next);
  };
}

/** A response, with these fields in place of the usual ones; an empty list leaves one out. */
export function http(status: number | string, body: Bytes, fields: object = {}): Buffer {
  const usual = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const lines = Object.entries({ ...usual, ...fields })
    .flatMap(([name, values]) => [values].flat().map((value) => `${name}: ${value}\r\n`))
    .join('');
  const line = typeof status === 'number' ? `${status} Whatever` : status;
  const head = Buffer.from(`HTTP/1.1 ${line}\r\n${lines}\r\n`, 'latin1');
  return Buffer.concat([head, Buffer.from(body)]);
}

export const whole = ({ status, good }: Seen) => http(status, good);

/** Responds well, with these fields too. */
export function withFields(fields: object): React {
  return say(({ status, good }) => http(status, good, fields));
}
