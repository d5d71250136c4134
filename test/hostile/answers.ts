import type { Reaction, Seen } from './server.ts';

export type Fields = Readonly<Record<string, string | readonly string[]>>;

/** An answer, byte for byte; `text` may say more or less than its length promises. */
export function message(statusLine: string, fields: Fields, body: string | Uint8Array): Buffer {
  const lines = Object.entries(fields).flatMap(([name, values]) =>
    [values].flat().map((value) => `${name}: ${value}\r\n`),
  );
  const head = `HTTP/1.1 ${statusLine}\r\n${lines.join('')}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]);
}

/** A whole JSON answer. */
export function json(status: number | string, body: string | Uint8Array, fields: Fields = {}) {
  const length = String(Buffer.byteLength(body));
  const all = { 'content-type': 'application/json', 'content-length': length, ...fields };
  return message(typeof status === 'number' ? `${status} Whatever` : status, all, body);
}

/** What a good service says. */
export function good({ status, good: body }: Seen, fields: Fields = {}): Buffer {
  return json(status, body, fields);
}

/** Answers with these bytes and keeps the connection. */
export function say(bytes: (seen: Seen) => string | Uint8Array): Reaction {
  return (socket, seen) => void socket.write(bytes(seen));
}

/** Answers with these bytes and ends the connection in order. */
export function sayAndEnd(bytes: (seen: Seen) => string | Uint8Array): Reaction {
  return (socket, seen) => void socket.end(bytes(seen));
}

/** Answers with these bytes and then breaks the connection. */
export function sayAndReset(bytes: (seen: Seen) => string | Uint8Array): Reaction {
  // Once the bytes were read: where both arrive together, some versions of Node see an end and no reset.
  const later = (act: () => void) => setImmediate(() => setImmediate(act));
  return (socket, seen) =>
    void socket.write(bytes(seen), () => later(() => socket.resetAndDestroy()));
}

/** The promised status with this body in place of the good one. */
export function body(text: string | Uint8Array, fields: Fields = {}): Reaction {
  return say(({ status }) => json(status, text, fields));
}

/** The good response with another body that is made of its own. */
export function changed(change: (good: string) => string | Uint8Array, fields?: Fields): Reaction {
  return say(({ status, good }) => json(status, change(good), fields));
}

/** The good response with another text in the place of a part. */
export function replaced(part: string | RegExp, text: string): Reaction {
  return changed((good) => good.replace(part, () => text));
}

/** The good response with another id. */
export function withId(id: string): Reaction {
  return replaced(/"id":\d+/, `"id":${id}`);
}

/** The good response with more header fields. */
export function withFields(fields: Fields): Reaction {
  return say((seen) => good(seen, fields));
}

/** Another status than the promised one. */
export function status(
  code: number | string,
  text: string | Uint8Array,
  fields: Fields = {},
): Reaction {
  return say(() => json(code, text, fields));
}

/** Sends `first`, then `piece` again and again until nobody reads any more. */
export function endless(first: string, piece: Uint8Array, pause = 0): Reaction {
  return (socket) => {
    socket.write(first);
    const next = () => {
      if (socket.destroyed) return;
      if (pause > 0) socket.write(piece, () => setTimeout(next, pause));
      else socket.write(piece, () => setImmediate(next));
    };
    next();
  };
}
