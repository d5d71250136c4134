import { spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openEngine } from '../../src/node/engine.ts';
import { openFileLog } from '../../src/pacing/log.ts';
import type { Entry } from '../../src/pacing/records.ts';
import { createStoreLog } from '../../src/pacing/store/log.ts';
import { parseLimitStore } from '../../src/settings/addresses.ts';
import { startEngine } from '../support/engine-server.ts';
import { enginesHere } from '../support/needs.mts';

/** What a turn costs: acquire and complete, alone and among twenty processes, and opening a log of 64 KiB. */
const [role, folder = '', log = folder] = process.argv.slice(2);
if (role === 'worker') await work(folder, log, 100);
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
  await Promise.all(own.map((log) => start(home, log)));
  print('a log each', readTimes(home).all);

  const full = openFileLog(home, 'full');
  while (statSync(join(home, 'full.1.log')).size < 63 * 1024) turn(full, 'x');
  const times = Array.from({ length: 50 }, () => timed(() => openFileLog(home, 'full').read()));
  print('open 64 KiB', times);
  if (enginesHere[0]) await measureStore(enginesHere[0], home);
  rmSync(home, { recursive: true });
}

/** The same through a limit store on this machine: three commands a turn. */
async function measureStore(program: string, home: string): Promise<void> {
  const server = await startEngine(program, home);
  const engine = openEngine(parseLimitStore(server.url, 'the bench').address);
  const owner = { pid: process.pid, host: 'bench' };
  const context = { now: Date.now, uptime: () => performance.now(), boot: 'bench', owner };
  const log = createStoreLog(engine, 'petstore:lim:bench', context);
  await log.read();
  const times = [];
  for (let n = 0; n < 500; n += 1) {
    const start = performance.now();
    await log.read();
    for (const entry of entriesOf(`${n}`)) await log.append(entry);
    times.push(performance.now() - start);
    await pause(Math.random() * 20);
  }
  print('store', times);
  engine.drop();
  await server.kill();
}

function start(home: string, log = home): Promise<unknown> {
  const child = spawn(process.execPath, [process.argv[1] ?? '', 'worker', home, log]);
  return new Promise((done) => child.once('close', done));
}

/** Takes turns with pauses between them, as commands of a shell loop do. */
async function work(home: string, folder: string, turns: number): Promise<void> {
  const log = openFileLog(folder, 'slots');
  for (let n = 0; n < turns; n += 1) {
    const time = timed(() => turn(log, `${process.pid}-${n}`));
    appendFileSync(join(home, 'times'), `${n} ${time}\n`);
    await pause(Math.random() * 20);
  }
}

function turn(log: ReturnType<typeof openFileLog>, id: string): void {
  log.read();
  for (const entry of entriesOf(id)) log.append(entry);
}

function entriesOf(id: string): Entry[] {
  const at = Date.now();
  const told = { limit: 1_000_000, remaining: 500_000, reset: at + 60_000, date: at };
  return [
    { k: 'ask', id, at, lease: at + 35_000 },
    { k: 'answer', id, at, sent: at, status: 200, jitter: 0.5, ...told },
  ];
}

function timed(action: () => unknown): number {
  const start = performance.now();
  action();
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
