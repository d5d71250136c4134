import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { test as base, describe } from 'vitest';
import { listen } from '../support/ports.ts';
import { cleanEnvironment, createGate, type Ended, launcher } from '../support/program.ts';

export { expect } from 'vitest';

type Options = {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdin?: string | Buffer;
};

type Running = {
  readonly ended: Promise<Ended>;
  /** Resolves when it has printed something. */
  readonly printed: Promise<void>;
  /** Ends it at once, as the task manager does. */
  readonly kill: () => void;
};

type Message = {
  readonly name?: 'stdout' | 'stderr';
  readonly text?: string;
  readonly code?: number | null;
};

type Fixtures = {
  /** A folder of this test alone, by its name on Linux; settings and state are below it. */
  folder: string;
  /** Starts a program: a file and its arguments, or a line for cmd.exe. */
  start: (program: string, args?: readonly string[], options?: Options) => Running;
  /** Runs the built petstore to its end. */
  petstore: (args: readonly string[], options?: Options) => Promise<Ended>;
};

const nodes = (process.env.PETSTORE_TEST_WINE ?? '').split(':').filter(Boolean);

/** Tests on each Node for Windows that PETSTORE_TEST_WINE lists; they skip where it lists none. */
export function describeWindows(tests: (test: ReturnType<typeof testOn>) => void): void {
  const all = nodes.length > 0 ? nodes : ['node.exe'];
  // A fixture of a file is made outside of `describe`.
  const extended = all.map((node) => ({ node, test: testOn(node) }));
  describe.each(extended)('on $node', { tags: ['wine'] }, ({ test }) => tests(test));
}

/** Where a test's petstore keeps its settings, by its name on Linux. */
export const configFolder = (folder: string) => join(folder, 'Roaming', 'petstore', 'Config');

function testOn(node: string) {
  const started = base.extend('windows', { scope: 'file' }, async ({}, { onCleanup }) => {
    const windows = await startWindows(node);
    onCleanup(windows.close);
    return windows;
  });
  return started.extend<Fixtures>({
    folder: async ({}, use) => {
      const folder = mkdtempSync(join(tmpdir(), 'petstore-windows-'));
      for (const name of ['Roaming', 'Local/Temp'])
        mkdirSync(join(folder, name), { recursive: true });
      await use(folder);
      rmSync(folder, { recursive: true });
    },

    start: async ({ windows, folder }, use) => {
      const started: Running[] = [];
      await use((program, args, { env, cwd = windowsPath(folder), ...options } = {}) => {
        const running = windows.run(program, args, {
          ...options,
          cwd,
          env: { ...environment(windowsPath(folder)), ...env },
        });
        started.push(running);
        return running;
      });
      for (const { kill } of started) kill();
      await Promise.all(started.map(({ ended }) => ended));
    },

    petstore: ({ start }, use) =>
      use((args, options) => start('node', [windowsPath(launcher), ...args], options).ended),
  });
}

/** As Windows sets them for a user whose home is this folder. */
function environment(home: string): Record<string, string> {
  return {
    USERPROFILE: home,
    APPDATA: `${home}\\Roaming`,
    LOCALAPPDATA: `${home}\\Local`,
    TEMP: `${home}\\Local\\Temp`,
    TMP: `${home}\\Local\\Temp`,
    NODE_OPTIONS: `--require ${windowsPath(resolve('test/support/programs/without-keep-alive.cjs'))}`,
  };
}

/** The name that a file of Linux has in Windows. */
export function windowsPath(path: string): string {
  return `Z:${path.replaceAll('/', '\\')}`;
}

/** A process in Windows that starts others there. */
async function startWindows(node: string) {
  const server = createServer();
  const port = await listen(server);
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
  const greeted = new Promise<unknown>((resolve) => listeners.set(0, resolve));
  createInterface({ input: socket }).on('line', (line) => {
    const { id = 0, ...message } = JSON.parse(line);
    listeners.get(id)?.(message);
  });
  await greeted;
  return {
    run(program: string, args: readonly string[] | undefined, options: Options): Running {
      const id = ++last;
      const send = (request: object) => socket.write(`${JSON.stringify({ id, ...request })}\n`);
      const stdin = Buffer.from(options.stdin ?? '').toString('base64');
      send({ program, args, ...options, stdin });
      const said = { stdout: '', stderr: '' };
      const { opened: printed, open: onPrinted } = createGate();
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
