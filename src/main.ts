import { writeSync } from 'node:fs';
import { Interruption } from './errors.ts';
import { createNodeContext } from './node-context.ts';
import { run } from './run.ts';

const interruptions = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

const interrupted = new AbortController();
for (const [signal, exitCode] of Object.entries(interruptions)) {
  // Only the first one: a second ends the process at once.
  process.once(signal, () => interrupted.abort(new Interruption(exitCode)));
}

// A report would hold the environment, and so the key. Newer than the types of the oldest Node.
Object.assign(process.report ?? {}, { excludeEnv: true });

// Node would print the error with its stack; and its words may be anything, so that none of them are said.
process.on('uncaughtException', () => {
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
  // What a reader does not take would keep the process alive; all that had to be said is written.
  if (interrupted.signal.aborted) process.exit();
});
