import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Environment } from '../../src/context.ts';
import { createNodeContext } from '../../src/node/node-context.ts';
import { run } from '../../src/run.ts';
import { outputTo } from '../support/petstore.ts';
import { brokenPromises } from '../support/promises.ts';

/** A key of characters that each encoding writes in its own way. */
export const canary = 'ky+7Canary/%41"<b>=\\Zq9~f';

/** What is looked at again and again until a request ends, so many ms apart or less, ends in its own time. */
const maxPollMs = 100;
/** What no run may take, whatever its service does. */
const maxMs = 30_000;

/**
 * Runs the program in this process over real sockets. Waits between requests take no time; deadlines take theirs. There are
 * rows.ndjson with two new categories and there.ndjson with one that exists.
 */
export async function runOnSockets(
  line: string,
  url: string,
  { timeout, env = {} }: { readonly timeout: number; readonly env?: Environment | undefined },
) {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-wire-'));
  writeFileSync(join(folder, 'rows.ndjson'), '{"name":"parrot"}\n{"name":"ferret"}\n');
  writeFileSync(join(folder, 'there.ndjson'), '{"name":"dog"}\n');
  const words = line.replace(/\w+\.ndjson/, `${folder}/$&`).split(' ');
  const { signal } = new AbortController();
  const real = createNodeContext(signal);
  const written = { stdout: '', stderr: '' };
  const record = (name: keyof typeof written) =>
    outputTo(async (text) => {
      written[name] += text;
    });
  let skipped = 0;
  const startedAt = performance.now();
  const argv = [...words, '--json', '--max-wait', '0', '--timeout', `${timeout}ms`];
  const exitCode = await run(argv, {
    ...real,
    stdin: Readable.from([]),
    stdout: record('stdout'),
    stderr: record('stderr'),
    env: { HOME: folder, PETSTORE_BASE_URL: url, PETSTORE_API_KEY: canary, ...env },
    home: folder,
    random: () => 0,
    now: () => real.now() + skipped,
    uptime: () => real.uptime() + skipped,
    sleep(ms, other) {
      if (other !== signal) return real.sleep(ms, other);
      if (ms > maxPollMs) skipped += ms;
      return nextTurn();
    },
  });
  expect(performance.now() - startedAt, line).toBeLessThan(maxMs);
  const ended = { exitCode, ...written };
  expect(brokenPromises(ended, [canary], folder), `${line}\n${written.stderr}`).toEqual([]);
  rmSync(folder, { recursive: true });
  const error = exitCode > 0 ? JSON.parse(written.stderr.trimEnd().split('\n').at(-1) ?? '') : {};
  return { ...ended, error };
}
