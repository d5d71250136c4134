import { mkdtempSync, rmSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openEngine } from '../../src/node/engine.ts';
import { parseSharedStore } from '../../src/settings/addresses.ts';
import { type EngineServer, startEngine } from '../hostile/engine-server.ts';
import { engines, enginesHere } from '../support/needs.mts';
import { type Outcome, type Race, race } from './race.ts';

/** When the store of a race is killed, how long after that it is started again, and how often it is emptied, in ms. */
export type StoreLife = {
  readonly killedAfter?: number;
  readonly backAfter?: number;
  readonly flushedEvery?: number;
};

const chosen = process.env.PETSTORE_BENCH_STORE ?? '';
/** The program of the store: redis-server or else valkey-server, unless PETSTORE_BENCH_STORE names it. */
export const storeProgram = { ...engines }[chosen] ?? (chosen || enginesHere[0]);

/** Lets machines share the limit through a store, and prints what that had to do. */
export async function raceWithStore(
  options: Race,
  program: string,
  life: StoreLife,
): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-store-'));
  const server = await startEngine(program, folder);
  favour(server);
  const over = new AbortController();
  const living = live(server, life, over.signal).catch(() => {});
  const outcome = await race({ ...options, store: server.url });
  over.abort();
  await living;
  if (life.killedAfter === undefined) console.error(await describeWork(server));
  await server.kill();
  rmSync(folder, { recursive: true });
  return outcome;
}

/** A store has a machine of its own. Here it must not wait for the cores that hundreds of processes share. */
function favour(server: EngineServer): void {
  try {
    setPriority(server.pid(), -20);
  } catch {
    console.error('without root, the store has no priority over the processes of the race');
  }
}

async function live(
  server: EngineServer,
  { killedAfter, backAfter, flushedEvery }: StoreLife,
  signal: AbortSignal,
): Promise<void> {
  while (flushedEvery !== undefined) {
    await pause(flushedEvery, undefined, { signal });
    await ask(server, "redis.call('FLUSHALL')");
  }
  if (killedAfter === undefined) return;
  await pause(killedAfter, undefined, { signal });
  await server.kill();
  if (backAfter === undefined) return;
  await pause(backAfter, undefined, { signal });
  await server.start();
  favour(server);
}

/** Returns the version of a server, how often the script ran there, and the time that took. */
async function describeWork(server: EngineServer): Promise<string> {
  const info = await ask(server, "return redis.call('INFO', 'server', 'commandstats')");
  const isTold = /^(?:(?:redis|valkey)_version|cmdstat_(?:eval|evalsha|hello)):/;
  return info
    .split('\r\n')
    .filter((line) => isTold.test(line))
    .join('\n');
}

async function ask({ url }: EngineServer, script: string): Promise<string> {
  const engine = openEngine(parseSharedStore(url, 'the bench').address);
  const reply = await engine.run(script, 'x', []);
  engine.drop();
  return String(reply);
}
