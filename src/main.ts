import { closeSync, writeSync } from 'node:fs';
import { Interruption } from './errors.ts';
import { createNodeContext } from './node-context.ts';
import { run } from './run.ts';

const interruptions = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

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
      'petstore: internal error: something failed that nobody foresaw\nThis is a bug in petstore. Please report it.\n',
    );
  } finally {
    process.exit(1);
  }
});

// Should nothing be left to do before the run is over, Node would call that a success.
process.exitCode = 1;
const onStuck = () => process.stderr.write('petstore: internal error: it ended unfinished\n');
process.once('beforeExit', onStuck);

const { context, close } = createNodeContext(interrupted.signal);
run(process.argv.slice(2), context).then((exitCode) => {
  process.removeListener('beforeExit', onStuck);
  process.exitCode = exitCode;
  close();
  if (exitCode === interruptions.SIGHUP) hangUp();
  // What a reader does not take would keep the process alive; all that had to be said is written.
  if (interrupted.signal.aborted) process.exit();
});

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
