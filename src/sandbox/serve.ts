import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import { serve } from '@hono/node-server';
import { basePath, createSandboxApp, type SandboxOptions } from './app.ts';

export type RunningSandbox = {
  readonly baseUrl: URL;
  readonly key: string;
  readonly server: Server;
};

/** A key that only this sandbox takes. */
export function throwawayKey(): string {
  return `sandbox-${randomBytes(12).toString('hex')}`;
}

/**
 * Serves a sandbox on this machine only; port 0 takes a free one.
 * @throws the system's error (EADDRINUSE, EACCES)
 */
export function serveSandbox(options: SandboxOptions, port: number): Promise<RunningSandbox> {
  return new Promise((resolve, reject) => {
    const { fetch } = createSandboxApp(options);
    // The Request and Response of the rest of the process stay Node's own.
    const settings = { fetch, hostname: '127.0.0.1', port, overrideGlobalObjects: false };
    const server = serve(settings, (address) => {
      const baseUrl = new URL(`http://127.0.0.1:${address.port}${basePath}`);
      resolve({ baseUrl, key: options.key, server });
    }) as Server;
    server.once('error', reject);
  });
}
