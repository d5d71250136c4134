import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Output } from '../../src/context.ts';
import { createNodeContext } from '../../src/node-context.ts';
import { run } from '../../src/run.ts';
import { twoRows } from './commands.ts';
import { brokenPromises, canary, type Ended } from './invariants.ts';

export type Run = Ended & {
  /** What no run may do, and this one did. */
  readonly broken: readonly string[];
  readonly ms: number;
};

/**
 * Runs the program in this process over real sockets. Waits between requests take no time; deadlines take theirs.
 */
export async function runInProcess(
  argv: readonly string[],
  url: string,
  json: boolean,
): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-hostile-'));
  writeFileSync(join(folder, 'rows.ndjson'), twoRows);
  const { signal } = new AbortController();
  const { context, close } = createNodeContext(signal);
  const stdout = recordedOutput();
  const stderr = recordedOutput();
  const start = performance.now();
  const exitCode = await run(
    argv.map((word) => (word === 'rows.ndjson' ? join(folder, word) : word)),
    {
      ...context,
      stdin: Readable.from([]),
      stdout,
      stderr,
      env: { HOME: folder, PETSTORE_BASE_URL: url, PETSTORE_API_KEY: canary },
      home: folder,
      random: () => 0,
      sleep: (ms, other) => (other === signal ? nextTurn() : context.sleep(ms, other)),
    },
  );
  const ms = performance.now() - start;
  close();
  const ended = { exitCode, stdout: stdout.text(), stderr: stderr.text() };
  const broken = brokenPromises(ended, json, folder);
  rmSync(folder, { recursive: true });
  return { ...ended, broken, ms };
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
