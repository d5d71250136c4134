import { closeSync, writeSync } from 'node:fs';
import { Interruption } from './errors.ts';
import { createNodeContext } from './node/node-context.ts';
import { run } from './run.ts';

// SIGBREAK is Ctrl-Break on Windows, and nowhere else a signal.
const interruptions = { SIGINT: 130, SIGBREAK: 130, SIGTERM: 143, SIGHUP: 129 } as const;

const interrupted = new AbortController();
const listeners = Object.entries(interruptions).map(([signal, exitCode]) => {
  const listener = () => {
    interrupted.abort(new Interruption(exitCode));
    // A second one ends the process at once. Not before this turn is over: who sees nobody listen would end it now.
    setImmediate(letFurtherKill);
  };
  process.on(signal, listener);
  return { signal, listener };
});
function letFurtherKill(): void {
  for (const { signal, listener } of listeners) process.removeListener(signal, listener);
}

const stderr = takeStderr();

// A report would hold the environment, and so the key. Newer than the types of the oldest Node.
Object.assign(process.report ?? {}, { excludeEnv: true });

// Node would print warnings as text of its own, in the midst of JSON lines; `run` reports them with --verbose.
process.removeAllListeners('warning');

// Node would print the error with its stack; and its words may be anything, so that none of them are said.
process.on('uncaughtException', (error: { readonly syscall?: string } | undefined) => {
  // A prompt cannot set back a terminal that is gone, and fails before the signal that says so is heard.
  if (error?.syscall === 'setRawMode') hangUp();
  try {
    writeSync(
      2,
      'petstore: unexpected internal error\nThis is a bug in petstore. Please report it.\n',
    );
  } finally {
    process.exit(1);
  }
});

// Should nothing be left to do before the run is over, Node would call that a success.
process.exitCode = 1;
const onStuck = () =>
  stderr().write('petstore: unexpected internal error: it ended before it was done\n');
process.once('beforeExit', onStuck);

const { context, close } = createNodeContext(interrupted.signal, stderr);
run(process.argv.slice(2), context).then((exitCode) => {
  process.removeListener('beforeExit', onStuck);
  process.exitCode = exitCode;
  close();
  if (exitCode === interruptions.SIGHUP) hangUp();
  // All that had to be said is written. What a reader does not take would keep the process alive, and Node clears up for 2 ms.
  process.exit();
});

/**
 * Returns the way to the real stream. From now on what the runtime or a library writes to `process.stderr` by itself goes
 * nowhere: NODE_DEBUG prints whole requests, key included, and Node reads that variable before any code of ours runs.
 */
function takeStderr(): () => NodeJS.WriteStream {
  const { get } = Object.getOwnPropertyDescriptor(process, 'stderr') ?? {};
  const nowhere = () => {
    // Not imported: it takes 2 ms of every start.
    const { Writable } = process.getBuiltinModule('node:stream');
    return new Writable({ write: (_chunk, _encoding, done) => done() });
  };
  Object.defineProperty(process, 'stderr', { configurable: true, get: nowhere });
  return () => get?.call(process);
}

/** Ends the process. A terminal that is gone cannot be reset, over which Node would dump core: it leaves alone what is closed. */
function hangUp(): never {
  for (const stream of [0, 1, 2]) {
    try {
      closeSync(stream);
    } catch {
      // It is closed already.
    }
  }
  process.exit(interruptions.SIGHUP);
}
