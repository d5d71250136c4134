import { setMaxListeners } from 'node:events';
import { homedir, uptime } from 'node:os';
import { join } from 'node:path';
import type { Context, Engine, Output, Owner } from '../context.ts';
import { openAppendFile } from '../disk/append-file.ts';
import { bootOf, isRunning, ownerOf } from '../disk/owner.ts';
import { Interruption } from '../errors.ts';
import { readEnvironment } from './environment.ts';
import type { Terminal } from './question.ts';
import type { Transport } from './transport.ts';
import { createUptime } from './uptime.ts';

export type NodeContext = {
  readonly context: Context;
  /** Lets go of everything that would keep the process alive. */
  readonly close: () => void;
};

/** The context of a real run: this process, its streams, its clock, the network. `errors` is the way to standard error. */
export function createNodeContext(
  signal: AbortSignal,
  errors: () => NodeJS.WriteStream = () => process.stderr,
): NodeContext {
  // Everything that is on its way or waits listens to it; Node would take many for a leak and warn on stderr.
  setMaxListeners(0, signal);
  const env = readEnvironment(process.env, process.platform);
  // A crash report of Node and every child would otherwise hold the key, and the password of the store.
  delete process.env.PETSTORE_API_KEY;
  delete process.env.PETSTORE_LIMIT_STORE;
  // Node would warn of what it reads in these, in words of its own on stderr; petstore obeys or ignores them itself.
  for (const name of ['NODE_TLS_REJECT_UNAUTHORIZED', 'NO_COLOR', 'FORCE_COLOR']) {
    delete process.env[name];
  }
  let transport: Promise<Transport> | undefined;
  const engines: Engine[] = [];
  let owner: Owner | undefined;
  let boot: string | undefined;

  function loadTransport(): Promise<Transport> {
    transport ??= openTransport();
    return transport;
  }

  async function openTransport(): Promise<Transport> {
    const { createTransport } = await import('./transport.ts');
    return createTransport(context.uptime);
  }

  const context: Context = {
    get stdin() {
      return process.stdin;
    },
    stdout: outputTo(() => process.stdout),
    stderr: outputTo(errors),
    env,
    platform: process.platform,
    nodeVersion: process.version,
    uid: process.getuid?.(),
    home: homeFolder(),
    temporary:
      process.platform === 'win32' ? join(homeFolder(), 'AppData', 'Local', 'Temp') : '/tmp',
    async send(request) {
      return (await loadTransport()).send(request);
    },
    now: Date.now,
    uptime: createUptime(uptime, ticks),
    get boot() {
      boot ??= nameBoot();
      return boot;
    },
    sleep(ms, signal) {
      // Most sleeps end with a request, and there is time now to load what sends it. After a failure the request tries again.
      loadTransport().catch(() => {
        transport = undefined;
      });
      return sleep(ms, signal);
    },
    turn: () => new Promise((resolve) => setImmediate(resolve)),
    random: Math.random,
    signal,
    onWarning: (listener) => {
      process.on('warning', ({ name, message }) => listener(`${name}: ${message}`));
    },
    askSecret: async (message) => {
      const { default: password } = await import('@inquirer/password');
      return ask((terminal) => password({ message }, terminal), errors(), signal);
    },
    askLine: async (message) => {
      const { askLine } = await import('./question.ts');
      return ask((terminal) => askLine(message, terminal), errors(), signal);
    },
    confirm: async (message) => {
      const { default: confirm } = await import('@inquirer/confirm');
      return ask((terminal) => confirm({ message, default: false }, terminal), errors(), signal);
    },
    launch: async (program, env) => {
      const { launch } = await import('./programs.ts');
      return launch(program, env, signal, process);
    },
    capture: async (command, options) => {
      const { capture } = await import('./programs.ts');
      return capture(command, options, process);
    },
    openEngine: async (address) => {
      const { openEngine } = await import('./engine.ts');
      const engine = openEngine(address);
      engines.push(engine);
      return engine;
    },
    openAppendFile,
    self: [process.execPath, process.argv[1] ?? ''],
    get owner() {
      owner ??= ownerOf(process.pid);
      return owner;
    },
    isRunning: (owner) => isRunning(owner, process.kill),
  };
  const close = () => {
    // One that could not be loaded has no connections.
    void transport?.then(
      ({ close }) => close(),
      () => {},
    );
    for (const { drop } of engines) drop();
    // A prompt or a pipe that nobody uses any more would keep an interrupted process alive.
    if (signal.aborted) for (const stream of [process.stdin, process.stdout]) stream.destroy();
  };
  return { context, close };
}

/** Not `performance`, which Node loads only when it is first used. */
function ticks(): number {
  return Number(process.hrtime.bigint()) / 1_000_000;
}

/** Read in this order, so that the uptime is never the older one. */
function nameBoot(): string {
  const before = ticks();
  return bootOf(uptime(), before);
}

function homeFolder(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}

/** The stream is only touched when something is written: making it takes a millisecond of every start. */
function outputTo(stream: () => NodeJS.WriteStream): Output {
  let prepared: NodeJS.WriteStream | undefined;
  const open = () => {
    if (!prepared) {
      prepared = stream();
      // A failed write rejects its own promise; the event would end the process with a stack.
      prepared.on('error', () => {});
    }
    return prepared;
  };
  return {
    write: (text) =>
      new Promise((resolve, reject) => {
        open().write(text, (error) => (error ? reject(error) : resolve()));
      }),
    get isTTY() {
      return open().isTTY ?? false;
    },
    get columns() {
      return open().isTTY ? layoutWidth(open().columns) : undefined;
    },
    get stream() {
      return open();
    },
  };
}

/** In fewer cells a table shows no name; a terminal that breaks its lines does. */
const leastWidth = 20;

/** The cells to lay out for on a terminal that says this of itself: some say nothing, or 0, as in CI. */
function layoutWidth(reported = 0): number {
  return reported < leastWidth ? 80 : reported;
}

/** The longest time that setTimeout can take, in ms. */
const longestTimer = 2 ** 31 - 1;

/** Timers of its own: those that take a signal make an error with a stack each time one is given up. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(
      () => {
        signal.removeEventListener('abort', end);
        resolve();
      },
      Math.min(ms, longestTimer),
    );
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}

/** Resolves with the answer to a prompt. @throws Interruption when Ctrl-C or Ctrl-D is the answer, the signal's reason */
async function ask<Answer>(
  prompt: (terminal: Terminal) => Promise<Answer>,
  output: NodeJS.WriteStream,
  signal: AbortSignal,
): Promise<Answer> {
  const { stdin: input } = process;
  const end = new AbortController();
  // After Ctrl-D the prompt reads no more, and would never say so.
  const onPause = () => end.abort();
  input.once('pause', onPause);
  try {
    return await prompt({ input, output, signal: AbortSignal.any([signal, end.signal]) });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    // The prompt reads Ctrl-C as a key, so that no signal ever arrives.
    const left = error instanceof Error && error.name === 'ExitPromptError';
    throw left || end.signal.aborted ? new Interruption(130) : error;
  } finally {
    input.removeListener('pause', onPause);
  }
}
