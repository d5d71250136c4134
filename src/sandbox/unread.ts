import type { IncomingMessage } from 'node:http';
import { maxBody } from './body.ts';

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
