import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Environment, Output, Send } from '../../src/context.ts';
import { createNodeContext } from '../../src/node/node-context.ts';
import { run } from '../../src/run.ts';
import { writeInputs } from './commands.ts';
import { brokenPromises, canary, type Ended } from './invariants.ts';

export type Run = Ended & {
  /** What no run may do, and this one did. */
  readonly broken: readonly string[];
  readonly ms: number;
};

type Setup = {
  readonly json: boolean;
  /** Of each request, in ms. */
  readonly timeout: number;
  readonly env?: Environment;
};

/** What is looked at again and again until a request ends, so many ms apart or less, ends in its own time. */
const shortest = 100;

/** What a run may take beyond the deadlines of all its requests, in ms. */
const margin = 1_000;

/**
 * Runs the program in this process over real sockets. Waits between requests take no time; deadlines take theirs.
 */
export async function runInProcess(
  argv: readonly string[],
  url: string,
  { json, timeout, env = {} }: Setup,
): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-hostile-'));
  writeInputs(folder);
  const { signal } = new AbortController();
  const context = createNodeContext(signal);
  const stdout = recordedOutput();
  const stderr = recordedOutput();
  let requests = 0;
  let skipped = 0;
  const send: Send = (request) => {
    requests += 1;
    return context.send(request);
  };
  const words = argv.map((word) => (word.endsWith('.ndjson') ? join(folder, word) : word));
  const stopwatch = startStopwatch();
  const exitCode = await run([...words, '--timeout', `${timeout}ms`], {
    ...context,
    stdin: Readable.from([]),
    stdout,
    stderr,
    env: { HOME: folder, PETSTORE_BASE_URL: url, PETSTORE_API_KEY: canary, ...env },
    home: folder,
    temporary: join(folder, 'temporary'),
    send,
    random: () => 0,
    now: () => context.now() + skipped,
    uptime: () => context.uptime() + skipped,
    sleep(ms, other) {
      if (other !== signal) return context.sleep(ms, other);
      if (ms > shortest) skipped += ms;
      return nextTurn();
    },
  });
  const ms = stopwatch();
  const ended = { exitCode, stdout: stdout.text(), stderr: stderr.text() };
  const broken = brokenPromises(ended, json, folder);
  if (ms > requests * timeout + margin) broken.push(`${ms} ms for ${requests} requests`);
  rmSync(folder, { recursive: true });
  return { ...ended, broken, ms };
}

const tick = 10;

/** Begins to count ms, and returns what ends the count. It is as late as deadlines are on a machine that does other things too. */
function startStopwatch(): () => number {
  let ms = 0;
  const timer = setInterval(() => {
    ms += tick;
  }, tick);
  return () => {
    clearInterval(timer);
    return ms;
  };
}

function recordedOutput(): Output & { readonly text: () => string } {
  let all = '';
  return {
    write: async (text) => {
      all += text;
    },
    isTTY: false,
    columns: undefined,
    stream: undefined,
    text: () => all,
  };
}
