import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import type { Certificate } from '../support/own-authority.ts';
import { freePort } from '../support/ports.ts';

export type EngineServer = {
  readonly url: string;
  readonly pid: () => number;
  readonly kill: () => Promise<void>;
  readonly signal: (name: 'SIGSTOP' | 'SIGCONT') => void;
  /** Sends it a command, and returns its reply as it is. */
  readonly say: (command: string) => Promise<string>;
  /** Starts it again on the same port, empty unless it saves. */
  readonly start: () => Promise<void>;
};

/** Starts a Redis or Valkey server of this test alone, on a free port. It keeps nothing on disk, unless `args` say so. */
export async function startEngine(
  program: string,
  parent: string,
  { args = [], tls }: { readonly args?: readonly string[]; readonly tls?: Certificate } = {},
): Promise<EngineServer> {
  const folder = mkdtempSync(join(parent, 'engine-'));
  const port = await freePort();
  const ports = tls ? ['--port', '0', '--tls-port', String(port)] : ['--port', String(port)];
  const certified: string[] = [];
  for (const [name, text] of Object.entries(tls ?? {})) {
    writeFileSync(join(folder, name), text);
    certified.push(`--tls-${name}-file`, join(folder, name));
  }
  if (tls) certified.push('--tls-auth-clients', 'no', '--tls-ca-cert-file', join(folder, 'cert'));
  let child: ChildProcess;
  const server: EngineServer = {
    pid: () => child.pid ?? 0,
    url: `${tls ? 'rediss' : 'redis'}://127.0.0.1:${port}`,
    async start() {
      const own = ['--save', '', '--appendonly', 'no', '--dir', folder, '--bind', '127.0.0.1'];
      const argv = [...ports, ...own, ...certified, ...args];
      child = spawn(program, argv, { stdio: ['ignore', 'pipe', 'ignore'] });
      await waitUntilReady(child);
    },
    kill() {
      if (child.signalCode !== null || child.exitCode !== null) return Promise.resolve();
      child.kill('SIGKILL');
      return new Promise((done) => child.once('close', () => done()));
    },
    signal: (name) => void child.kill(name),
    async say(command) {
      const socket = createConnection(port, '127.0.0.1');
      socket.write(`${command}\r\n`);
      const [reply] = await once(socket, 'data');
      socket.destroy();
      return String(reply);
    },
  };
  await server.start();
  return server;
}

/** Resolves when the server takes connections. It is read to its end, so that its pipe never fills up. */
function waitUntilReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error('the engine does not start')));
    child.stdout?.on('data', (text) => /Ready to accept/.test(`${text}`) && resolve());
  });
}
