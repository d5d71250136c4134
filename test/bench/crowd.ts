import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * What processes that wait cost together, in CPU seconds a minute: `npm run bench:crowd -- PROCESSES SECONDS`. The CPU time of
 * each is asked for at the beginning and at the end of the measurement, so that its start does not count.
 */
const together = 20;
/** In ms. */
const settling = 20_000;
const [count = 200, seconds = 60] = process.argv.slice(2).map(Number);

const waits: Readonly<Record<string, RequestListener>> = {
  'for a reset': (_request, response) => response.writeHead(429, { 'retry-after': '900' }).end(),
  'for a request in flight': () => {},
};

for (const [what, respond] of Object.entries(waits)) await measure(what, respond);

async function measure(what: string, respond: RequestListener): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'petstore-crowd-'));
  const usage = join(home, 'usage');
  const service = createServer(respond).listen(0, '127.0.0.1');
  await new Promise((done) => service.once('listening', done));
  const { port } = service.address() as AddressInfo;
  // What the others wait for.
  const first = await startWaiting();
  const waiting: ChildProcess[] = [];
  // Not all at once: two hundred starts would take minutes of both cores.
  while (waiting.length < count) {
    const next = Array.from({ length: Math.min(together, count - waiting.length) }, startWaiting);
    waiting.push(...(await Promise.all(next)));
  }
  await pause(settling);

  const before = await usageOf(waiting);
  const start = performance.now();
  await pause(seconds * 1_000);
  const after = await usageOf(waiting);
  const minutes = (performance.now() - start) / 60_000;

  for (const child of [first, ...waiting]) child.kill('SIGKILL');
  service.closeAllConnections();
  service.close();
  const used = (after - before) / 1e6 / minutes;
  const core = `${((used / 60) * 100).toFixed(1)} % of a core`;
  console.log(`${count} that wait ${what.padEnd(24)} ${used.toFixed(2)} s a minute   ${core}`);
  rmSync(home, { recursive: true, force: true });

  /** Resolves when it says that it waits, or has sent its request. */
  async function startWaiting(): Promise<ChildProcess> {
    const program = [resolve('bin/petstore.js'), 'categories', 'list', '--max-wait', 'inf'];
    const args = ['--require', resolve('test/bench/crowd/usage.cjs'), ...program];
    const child = spawn(process.execPath, [...args, '--timeout', '900s'], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        PATH: process.env.PATH,
        PETSTORE_BASE_URL: `http://127.0.0.1:${port}/v1`,
        PETSTORE_API_KEY: 'bench-key-0123456789',
        PETSTORE_CONFIG_DIR: join(home, 'config'),
        PETSTORE_STATE_DIR: home,
        PETSTORE_BENCH_USAGE: usage,
      },
    });
    const said = new Promise((done) => child.stderr?.once('data', done));
    // The first one, whose request gets no response, says nothing.
    await Promise.race([said, pause(3_000)]);
    return child;
  }

  /** In microseconds, of all together. */
  async function usageOf(children: readonly ChildProcess[]): Promise<number> {
    rmSync(usage, { force: true });
    for (const child of children) child.kill('SIGUSR2');
    for (let lines: string[] = []; ; await pause(50)) {
      if (existsSync(usage)) lines = readFileSync(usage, 'utf8').trim().split('\n');
      if (lines.length < children.length) continue;
      return lines.reduce((sum, line) => sum + Number(line.split(' ')[1]), 0);
    }
  }
}
