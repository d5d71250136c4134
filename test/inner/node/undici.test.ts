import { createServer, connect as dial, type Socket } from 'node:net';
import { Client } from 'undici';
// @ts-expect-error: undici has types for its main module alone.
import { kParser } from 'undici/lib/core/symbols.js';
import { expect, onTestFinished, test } from 'vitest';
import { openServer } from '../../support/ports.ts';

test('undici has its parser where src/node/undici.ts replaces a function of it', async () => {
  const socket = (await socketOfRequest()) as unknown as Record<symbol, object>;

  expect(kParser, 'undici/lib/core/symbols.js exports no symbol kParser').toBeTypeOf('symbol');
  const parser = socket[kParser] ?? {};
  expect(parser, 'kParser leads from the socket of a request to no parser').not.toEqual({});
  expect(
    Object.getPrototypeOf(parser).onHeadersComplete,
    'the class of the parser has no onHeadersComplete(status, isUpgrade, isKept)',
  ).toHaveLength(3);
});

/** Returns the socket of a request as it is when the request is about to be written. */
async function socketOfRequest(): Promise<Socket> {
  const { port, close } = await openServer(createServer());
  const socket = dial(port, '127.0.0.1');
  const client = new Client(`http://127.0.0.1:${port}`, {
    connect: (_, done) => void socket.once('connect', () => done(null, socket)),
  });
  onTestFinished(() => client.destroy().then(close));
  await new Promise<void>((resolve, reject) => {
    const handler = {
      onRequestStart: () => resolve(),
      onResponseError: (_: unknown, error: Error) => reject(error),
    };
    client.dispatch({ path: '/', method: 'GET' }, handler);
  });
  return socket;
}
