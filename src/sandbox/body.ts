import type { IncomingMessage } from 'node:http';

/** Longest body that is read, in bytes; the interface document names no limit. */
export const maxBody = 1024 * 1024;

/**
 * The bytes of a request's body, or undefined where they are more than `maxBody`: then no more than that is read, and the
 * body is left as it is, since to cancel it would end the connection before the answer.
 * `invite` is called before the first byte is read.
 * @throws when the client breaks off
 */
export async function readBody(
  { headers, body }: Request,
  invite: () => unknown,
): Promise<Uint8Array | undefined> {
  if (Number(headers.get('content-length')) > maxBody) return undefined;
  invite();
  const reader = body?.getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > maxBody) return undefined;
    parts.push(value);
  }
  return Buffer.concat(parts);
}

/** How long a client has to finish a request that is answered already, or to read the answer, in ms. */
const patience = 500;

/**
 * Deals with the unread part of a request's body, once the request is answered: a short one is discarded as it
 * comes, so that the connection can be used again; of a longer one nothing more is read, and the connection is closed. That
 * is done a moment later, since to close it with data unread resets it, and would take the answer from a client that still sends.
 */
export function discardRest(incoming: IncomingMessage): void {
  if (incoming.complete) return;
  let room = maxBody;
  const timer = setTimeout(() => incoming.socket.destroySoon(), patience);
  timer.unref();
  incoming.once('close', () => clearTimeout(timer));
  incoming.on('data', ({ length }: Uint8Array) => {
    room -= length;
    if (room < 0) incoming.pause();
  });
  incoming.resume();
}
