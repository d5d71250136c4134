import { closeSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { Interruption } from './errors.ts';
import { createNodeContext } from './node/node-context.ts';
import { run } from './run.ts';

// SIGBREAK is Ctrl-Break on Windows. Other systems have no such signal.
const signalExitCodes = { SIGINT: 130, SIGBREAK: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const signals = Object.keys(signalExitCodes) as (keyof typeof signalExitCodes)[];

const interrupted = new AbortController();
const onSignal = (signal: keyof typeof signalExitCodes) => {
  interrupted.abort(new Interruption(signalExitCodes[signal]));
  // From the next turn on a second signal ends the process at once. In this turn an open prompt would, if it alone listened.
  setImmediate(() => {
    for (const name of signals) process.removeListener(name, onSignal);
  });
};
for (const name of signals) process.on(name, onSignal);
const terminals = [0, 1, 2].filter(isatty);
// Node undoes what nohup set. A run that shows nothing on a terminal outlives it; nohup of macOS leaves stdin as it is.
const isShown = terminals.includes(1) || terminals.includes(2);
if (!isShown) process.removeListener('SIGHUP', onSignal).on('SIGHUP', () => {});

// A crash report would hold the environment, and so the key. The types of the oldest Node do not have it yet.
Object.assign(process.report ?? {}, { excludeEnv: true });

// Node would print warnings as text between JSON lines; `run` reports them with --verbose.
process.removeAllListeners('warning');

// Libraries would print between our lines, and in spite of --quiet.
for (const method of Object.keys(console)) Object.assign(console, { [method]: () => {} });

// Node would print the stack. The message may contain anything, even the key.
process.on('uncaughtException', (error?: { readonly syscall?: string }) => {
  // A prompt cannot restore a terminal that has hung up, and fails before SIGHUP arrives.
  if (error?.syscall === 'setRawMode') exit(signalExitCodes.SIGHUP);
  crash('petstore: unexpected internal error\nThis is a bug in petstore. Please report it.\n');
});

// If a promise never settles, Node would exit with 0.
process.once('beforeExit', () =>
  crash('petstore: unexpected internal error: it ended without a result\n'),
);

// All messages are written then. A reader that does not take the rest would keep the process alive.
run(process.argv.slice(2), createNodeContext(interrupted.signal)).then(exit);

function crash(message: string): never {
  try {
    writeSync(2, message);
  } finally {
    exit(1);
  }
}

/** Ends the process. Node aborts if it cannot restore a terminal that has hung up, so these are closed first. */
function exit(exitCode: number): never {
  for (const stream of terminals) {
    try {
      if (!isatty(stream)) closeSync(stream);
    } catch {}
  }
  process.exit(exitCode);
}
