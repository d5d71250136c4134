import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir, uptime } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { fileCell } from '../../src/disk/file-cell.ts';
import { decide, grant } from '../../src/limit/decide.ts';
import { applyOutcome, type Outcome } from '../../src/limit/learn.ts';
import { type Limit, openLimit, type Snapshot, withClocks } from '../../src/limit/limit.ts';
import { storeCell } from '../../src/limit/store-cell.ts';
import { openEngine } from '../../src/node/engine.ts';
import { parseLimitStore } from '../../src/settings/addresses.ts';
import { startEngine } from '../support/engine-server.ts';
import { storeProgram } from './store-race.ts';

/** What a turn and its end cost: in one process, in twenty, and through a store on this machine. */
const [role, folder = ''] = process.argv.slice(2);
if (role === 'worker') await takeTurns(limitIn(folder), 100, join(folder, 'times'));
else await measure();

async function measure(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'petstore-slots-'));
  const times = (name: string) => join(home, name);
  await takeTurns(limitIn(home), 500, times('alone'));
  print('one process', times('alone'));

  const workers = Array.from({ length: 20 }, () =>
    once(spawn(process.execPath, [process.argv[1] ?? '', 'worker', home]), 'close'),
  );
  await Promise.all(workers);
  print('20 processes', times('times'));

  if (storeProgram) {
    const server = await startEngine(storeProgram, home);
    const engine = openEngine(parseLimitStore(server.url, 'the bench').address);
    const { signal } = new AbortController();
    const sleep = (ms: number, signal: AbortSignal) => pause(ms, undefined, { signal });
    const cell = storeCell(engine, 'petstore:lim:bench', { sleep, signal });
    await takeTurns(openLimit(cell, nextTurn), 500, times('store'));
    print('store', times('store'));
    engine.drop();
    await server.kill();
  }
  rmSync(home, { recursive: true });
}

function limitIn(home: string): Limit {
  const clocks = () => ({ wall: Date.now(), uptime: uptime() * 1_000, boot: 'bench' });
  return openLimit(withClocks(fileCell<Snapshot>(join(home, 'slots')), clocks), nextTurn);
}

/** Takes turns with pauses between them, as commands of a shell loop do. */
async function takeTurns(limit: Limit, turns: number, path: string): Promise<void> {
  for (let n = 0; n < turns; n += 1) {
    const start = performance.now();
    await takeTurn(limit, `${process.pid}-${n}`);
    appendFileSync(path, `${performance.now() - start}\n`);
    await pause(Math.random() * 20);
  }
}

async function takeTurn(limit: Limit, id: string): Promise<void> {
  const owner = { pid: process.pid, host: 'bench' };
  const reset = { at: Date.now() + 60_000, inMs: 60_000 };
  const reported = { limit: 1_000_000, remaining: 500_000, reset };
  const outcome: Outcome = { kind: 'response', status: 200, jitter: 0.5, ...reported };
  await limit.change((state, now) => {
    decide(state, now);
    return [grant(state, id, { expiresAt: now + 35_000, owner }, false), undefined];
  });
  await limit.change((state, now) => [applyOutcome(state, id, outcome, now, now), undefined]);
}

function print(name: string, path: string): void {
  const times = readFileSync(path, 'utf8').trim().split('\n').map(Number);
  times.sort((a, b) => a - b);
  const at = (part: number) => (times[Math.floor(part * (times.length - 1))] ?? 0).toFixed(3);
  console.log(
    `${name.padEnd(14)} p50 ${at(0.5)} ms   p99 ${at(0.99)} ms   (${times.length} turns)`,
  );
}
