import { setMaxListeners } from 'node:events';
import { homedir, uptime as systemUptime } from 'node:os';
import type { Context, Environment, Output, Owner, Send } from '../context.ts';
import { stateFiles } from '../disk/state-files.ts';
import { fileCell } from '../store/file-cell.ts';
import { bootOf, isRunning, readOwner } from '../store/owner.ts';
import type { Terminal } from './ask.ts';
import { isStdoutClosed } from './closed-stdout.ts';

export function createNodeContext(signal: AbortSignal): Context {
  // All requests and waits listen to it. Node would take many listeners for a leak and warn on stderr.
  setMaxListeners(0, signal);
  const { platform } = process;
  const env = readEnvironment(process.env, platform);
  // A crash report and every child would otherwise hold the key, and the password of the store.
  delete process.env.PETSTORE_API_KEY;
  delete process.env.PETSTORE_SHARED_STORE;
  // Node would warn about these on stderr. petstore obeys or ignores them itself.
  for (const name of ['NODE_TLS_REJECT_UNAUTHORIZED', 'NO_COLOR', 'FORCE_COLOR']) {
    delete process.env[name];
  }
  // Node cannot end while the system looks a name up, which is 10 s for each name server that is silent.
  process.env.RES_OPTIONS ??= 'timeout:2 attempts:2';
  const home = homeFolder();
  const stderr = process.env.NODE_DEBUG ? takeStderr() : () => process.stderr;
  const terminal = (): Terminal => ({ input: process.stdin, output: stderr(), signal, process });
  const uptime = createUptime(systemUptime, ticks);
  let transport: Promise<Send> | undefined;
  let owner: Owner | undefined;
  const readSelf = () => {
    owner ??= readOwner(process.pid);
    return owner;
  };
  let boot: string | undefined;

  // Modules that a command may not need are imported when they are used, because each file slows down the start.
  return {
    get stdin() {
      return process.stdin;
    },
    stdout: outputTo(
      () => process.stdout,
      () => isStdoutClosed(process.ppid),
    ),
    stderr: outputTo(stderr),
    env,
    platform,
    nodeVersion: process.version,
    uid: process.getuid?.(),
    home,
    async send(request) {
      transport ??= import('./transport.ts').then(({ createTransport }) => createTransport());
      return (await transport)(request);
    },
    now: Date.now,
    uptime,
    get boot() {
      // The ticks are read first, so that the uptime is never the older one of the two.
      boot ??= bootOf(ticks(), systemUptime());
      return boot;
    },
    sleep,
    yieldToIo: () => new Promise((resolve) => setImmediate(resolve)),
    random: Math.random,
    signal,
    onWarning: (listener) => {
      process.on('warning', ({ name, message }) => listener(`${name}: ${message}`));
    },
    askSecret: async (message, validate) =>
      (await import('./ask.ts')).askSecret(message, validate, terminal()),
    askLine: async (message, validate) =>
      (await import('./ask.ts')).askLine(message, validate, terminal()),
    confirm: async (message) => (await import('./ask.ts')).confirm(message, terminal()),
    launch: async (program, env) =>
      (await import('./programs.ts')).launch(program, env, signal, process),
    capture: async (command, options) =>
      (await import('./programs.ts')).capture(command, options, process),
    openEngine: async (address) => (await import('./engine.ts')).openEngine(address),
    stateFiles,
    fileCell,
    self: [process.execPath, process.argv[1] ?? ''],
    get owner() {
      return readSelf();
    },
    isRunning: (owner) => isRunning(owner, readSelf(), process.kill),
  };
}

/** The variables that petstore reads itself. Others are for Node or for programs that it runs, and may need their last line break. */
const ownNames =
  /^(?:PETSTORE_\w+|(?:https|all|no)_proxy|CI|TERM|NO_COLOR|FORCE_COLOR|XDG_\w+|(?:LOCAL)?APPDATA)$/i;

// Without the lookbehind, the time would grow with the square of the number of line breaks.
const lastLineBreaks = /(?<![\r\n])[\r\n]+$/;

/**
 * Returns the variables by name, without the line break that a file with line ends of Windows leaves on them. On Windows PATH, Path and
 * path are one variable: each is found in upper case as well. A copy for a child has the user's spelling, because the shell of Git for
 * Windows distinguishes them; Node prefers upper case there.
 */
export function readEnvironment(variables: Environment, platform: string): Environment {
  const entries = Object.entries(variables).map(
    ([name, value]) =>
      [name, ownNames.test(name) ? value?.replace(lastLineBreaks, '') : value] as const,
  );
  const own = Object.fromEntries(entries);
  if (platform !== 'win32') return own;
  const inUpperCase = entries.map(([name, value]) => [name.toUpperCase(), value]);
  // A copy by `{ ...env }` leaves out what is inherited.
  return Object.setPrototypeOf(own, Object.fromEntries(inUpperCase));
}

function homeFolder(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}

/** Hides stderr from Node, which looks it up for each debug message: with NODE_DEBUG=stream it would print all that arrives, keys included. */
function takeStderr(): () => NodeJS.WriteStream {
  const { stderr } = process;
  const { Writable } = process.getBuiltinModule('node:stream');
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  Object.defineProperty(process, 'stderr', { value: nowhere });
  return () => stderr;
}

/** The system reports hundredths of seconds or whole ones; a smaller difference means nothing. */
const maxLagMs = 100;
/** The system is asked no more often: with each call it took a tenth of an import without a limit. */
const minIntervalMs = 10;

/** Creates the clock of Context. `systemUptime` returns seconds; `ticks`, in milliseconds, may stand still while the machine sleeps. */
export function createUptime(systemUptime: () => number, ticks: () => number): () => number {
  let offset = 0;
  let askedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = ticks();
    if (now < askedAt + minIntervalMs) return now + offset;
    askedAt = now;
    const missed = systemUptime() * 1_000 - (now + offset);
    if (missed > maxLagMs) offset += missed;
    return now + offset;
  };
}

/** Returns milliseconds. `performance` would do too, but Node loads it only when it is first used. */
function ticks(): number {
  return Number(process.hrtime.bigint()) / 1_000_000;
}

function outputTo(stream: () => NodeJS.WriteStream, isClosed = () => false): Output {
  let hasClosed: boolean | undefined;
  let opened: NodeJS.WriteStream | undefined;
  const open = () => {
    // A failed write rejects its own promise. Without a listener, the event would end the process.
    opened ??= stream().on('error', () => {});
    return opened;
  };
  return {
    write: (text) =>
      new Promise((resolve, reject) => {
        hasClosed ??= isClosed();
        if (hasClosed) return reject(Object.assign(new Error('closed'), { code: 'EBADF' }));
        open().write(text, (error) => (error ? reject(error) : resolve()));
      }),
    get isTTY() {
      return open().isTTY ?? false;
    },
    get columns() {
      const { isTTY, columns } = open();
      return isTTY ? columns || defaultColumns : undefined;
    },
    get stream() {
      return open();
    },
  };
}

/** Some terminals report no columns, or 0, as in CI. */
const defaultColumns = 80;

/** setTimeout fires at once if the delay is longer. */
const maxTimerMs = 2 ** 31 - 1;

/** Like `setTimeout` of node:timers/promises, which takes 20 µs more for each wait that is given up: its error has a stack. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const wake = () => {
      signal.removeEventListener('abort', cancel);
      resolve();
    };
    const timer = setTimeout(wake, Math.min(ms, maxTimerMs));
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
  });
}
