import { spawn } from 'node:child_process';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { cleanEnvironment } from './program.ts';

export type Options = {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdin?: string | Buffer;
};

export type Ended = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
};

export type Running = {
  readonly ended: Promise<Ended>;
  /** Resolves when it has printed something. */
  readonly printed: Promise<void>;
  /** Ends it at once, as the task manager does. */
  readonly kill: () => void;
};

export type Windows = {
  readonly run: (program: string, args: readonly string[] | undefined, options: Options) => Running;
  readonly close: () => Promise<void>;
};

/** The name that a file of Linux has in Windows. */
export function windowsPath(path: string): string {
  return `Z:${path.replaceAll('/', '\\')}`;
}

/** A process in Windows that starts others there. */
export async function startWindows(node: string): Promise<Windows> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const { port } = server.address() as { port: number };
  const path = windowsPath(resolve('test/support/programs/windows.cjs'));
  const wine = Object.entries(process.env).filter(([name]) => name.startsWith('WINE'));
  const env = { ...cleanEnvironment(tmpdir()), ...Object.fromEntries(wine) };
  const child = spawn('wine', [node, path, String(port)], { env, stdio: 'ignore' });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const failed = exited.then(() => Promise.reject(new Error(`${node} ended in Wine`)));
  const socket = await Promise.race([
    failed,
    new Promise<Socket>((resolve) => server.once('connection', resolve)),
  ]);
  server.close();

  let last = 0;
  const listeners = new Map<number, (message: Message) => void>();
  const greeted = new Promise<void>((resolve) => listeners.set(0, () => resolve()));
  createInterface({ input: socket }).on('line', (line) => {
    const { id = 0, ...message } = JSON.parse(line);
    listeners.get(id)?.(message);
  });
  await greeted;
  return {
    run(program, args, { stdin = '', ...options }) {
      const id = ++last;
      const send = (request: object) => socket.write(`${JSON.stringify({ id, ...request })}\n`);
      send({ program, args, ...options, stdin: Buffer.from(stdin).toString('base64') });
      const said = { stdout: '', stderr: '' };
      let onPrinted = () => {};
      const printed = new Promise<void>((resolve) => {
        onPrinted = resolve;
      });
      const ended = new Promise<Ended>((resolve) => {
        listeners.set(id, ({ name, text, code }) => {
          if (code !== undefined) return resolve({ code, ...said });
          if (name) said[name] += text;
          onPrinted();
        });
      });
      return { ended, printed, kill: () => send({ kill: true }) };
    },
    async close() {
      socket.end();
      await exited;
    },
  };
}

type Message = {
  readonly name?: 'stdout' | 'stderr';
  readonly text?: string;
  readonly code?: number | null;
};
