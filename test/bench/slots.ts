import { spawn } from 'node:child_process';
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
import { enginesHere } from '../support/needs.mts';

/** What a turn and its end cost: alone, among twenty processes, and through a store. */
const [role, folder = '', place = folder] = process.argv.slice(2);
if (role === 'worker') await work(folder, place, 100);
else await measure();

async function measure(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'petstore-slots-'));
  await work(home, home, 500);
  print('one process', readTimes(home).all);
  rmSync(join(home, 'times'));

  await Promise.all(Array.from({ length: 20 }, () => start(home)));
  // They all start at once, and the first turn of each is that of a cold process which reads what the others have written.
  const { all, first, later } = readTimes(home);
  print('20 processes', all);
  print('  first turns', first);
  print('  later turns', later);
  rmSync(join(home, 'times'));

  // The control: as many processes and turns, and none reads or waits for what another one writes.
  const own = Array.from({ length: 20 }, () => mkdtempSync(join(home, 'own-')));
  await Promise.all(own.map((place) => start(home, place)));
  print('a cell each', readTimes(home).all);

  if (enginesHere[0]) await measureStore(enginesHere[0], home);
  rmSync(home, { recursive: true });
}

/** The same through a limit store on this machine. */
async function measureStore(program: string, home: string): Promise<void> {
  const server = await startEngine(program, home);
  const engine = openEngine(parseLimitStore(server.url, 'the bench').address);
  const { signal } = new AbortController();
  const sleep = (ms: number, signal: AbortSignal) => pause(ms, undefined, { signal });
  const limit = openLimit(storeCell(engine, 'petstore:lim:bench', { sleep, signal }), nextTurn);
  await turn(limit, 'first');
  const times = [];
  for (let n = 0; n < 500; n += 1) {
    times.push(await timed(() => turn(limit, `${n}`)));
    await pause(Math.random() * 20);
  }
  print('store', times);
  engine.drop();
  await server.kill();
}

function start(home: string, place = home): Promise<unknown> {
  const child = spawn(process.execPath, [process.argv[1] ?? '', 'worker', home, place]);
  return new Promise((done) => child.once('close', done));
}

/** Takes turns with pauses between them, as commands of a shell loop do. */
async function work(home: string, folder: string, turns: number): Promise<void> {
  const clocks = () => ({ wall: Date.now(), uptime: uptime() * 1_000, boot: 'bench' });
  const cell = withClocks(fileCell<Snapshot>(join(folder, 'slots')), clocks);
  const limit = openLimit(cell, nextTurn);
  for (let n = 0; n < turns; n += 1) {
    const time = await timed(() => turn(limit, `${process.pid}-${n}`));
    appendFileSync(join(home, 'times'), `${n} ${time}\n`);
    await pause(Math.random() * 20);
  }
}

async function turn(limit: Limit, id: string): Promise<void> {
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

async function timed(action: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await action();
  return performance.now() - start;
}

function readTimes(home: string): Readonly<Record<'all' | 'first' | 'later', number[]>> {
  const lines = readFileSync(join(home, 'times'), 'utf8').trim().split('\n');
  const timesOf = (chosen: readonly string[]) => chosen.map((line) => Number(line.split(' ')[1]));
  const [first, later] = [true, false].map((is) =>
    timesOf(lines.filter((line) => line.startsWith('0 ') === is)),
  );
  return { all: timesOf(lines), first: first ?? [], later: later ?? [] };
}

function print(name: string, times: number[]): void {
  const sorted = times.sort((a, b) => a - b);
  const at = (part: number) => (sorted[Math.floor(part * (sorted.length - 1))] ?? 0).toFixed(3);
  console.log(
    `${name.padEnd(14)} p50 ${at(0.5)} ms   p99 ${at(0.99)} ms   (${sorted.length} turns)`,
  );
}
