import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Failure, systemCode } from '../errors.ts';
import { basePath, createSandboxApp, invalidRequest, type SandboxOptions } from './app.ts';
import { discardRest } from './body.ts';

export type RunningSandbox = {
  readonly baseUrl: URL;
  readonly key: string;
  readonly server: Server;
};

/** A key that only this sandbox takes. */
export function throwawayKey(): string {
  return `sandbox-${randomBytes(12).toString('hex')}`;
}

/** What a client without the key can hold: ms for a head and for a whole request, and connections. */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
};
const maxConnections = 500;

/**
 * Serves a sandbox on this machine only; port 0 takes a free one.
 * @throws Failure (config, output) when the system does not let it run
 */
export function serveSandbox(options: SandboxOptions, port: number): Promise<RunningSandbox> {
  const hostname = '127.0.0.1';
  const listener = getRequestListener(createSandboxApp(options).fetch, {
    hostname,
    errorHandler: invalidRequest,
    // The Request and Response of the rest of the process stay Node's own.
    overrideGlobalObjects: false,
    autoCleanupIncoming: false,
  });
  const take = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // Before Node hears of it, which would read all that still comes.
    outgoing.prependOnceListener('finish', () => discardRest(incoming));
    return listener(incoming, outgoing);
  };
  const server = createServer(timeouts, take);
  // Node would invite the body before anybody has looked at the key.
  server.on('checkContinue', take);
  server.maxConnections = maxConnections;
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(unservable(error, port)));
    server.listen(port, hostname, () => {
      const { port } = server.address() as AddressInfo;
      const baseUrl = new URL(`http://${hostname}:${port}${basePath}`);
      resolve({ baseUrl, key: options.key, server });
    });
  });
}

/** The failure of a sandbox that the system does not let run. */
function unservable(error: unknown, port: number): Failure {
  const code = systemCode(error);
  if (port === 0) {
    return new Failure('config', `cannot listen on 127.0.0.1 (${code})`, { cause: error });
  }
  const reason = code === 'EADDRINUSE' ? 'is already in use' : `cannot be used (${code})`;
  return new Failure('config', `port ${port} ${reason}`, {
    hint: 'Omit --port to use a free one.',
  });
}
