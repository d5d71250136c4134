import { mkdtempSync, rmSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openEngine } from '../../src/node/engine.ts';
import { parseLimitStore } from '../../src/settings/addresses.ts';
import { type EngineServer, startEngine } from '../support/engine-server.ts';
import { enginesHere } from '../support/needs.mts';
import { type Outcome, type Race, race } from './race.ts';

/** When an engine of one race is killed, and how long after that it is started again, in ms. */
export type EngineLife = { readonly killedAfter?: number; readonly backAfter?: number };

/** A race of machines that share the limit through an engine; tells what that had to do. */
export async function raceWithEngine(
  options: Race,
  { killedAfter, backAfter }: EngineLife,
): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-engine-'));
  const server = await startEngine(enginesHere[0] ?? '', folder);
  favour(server);
  const over = new AbortController();
  const living = live(server, over.signal).catch(() => {});
  const outcome = await race({ ...options, store: server.url });
  over.abort();
  await living;
  if (killedAfter === undefined) console.error(await commandsOf(server));
  await server.kill();
  rmSync(folder, { recursive: true });
  return outcome;

  async function live(server: EngineServer, signal: AbortSignal): Promise<void> {
    if (killedAfter === undefined) return;
    await pause(killedAfter, undefined, { signal });
    await server.kill();
    if (backAfter === undefined) return;
    await pause(backAfter, undefined, { signal });
    await server.start();
    favour(server);
  }
}

/** An engine has a machine of its own; here it must not wait for the cores that hundreds of processes share. */
function favour(server: EngineServer): void {
  try {
    setPriority(server.pid(), -20);
  } catch {
    console.error('the engine has no priority over the processes of the race: that takes root');
  }
}

/** How often the script ran there, and the time that took. */
async function commandsOf({ url }: EngineServer): Promise<string> {
  const engine = openEngine(parseLimitStore(url, 'the bench').address);
  const stats = String(await engine.run("return redis.call('INFO', 'commandstats')", 'x', []));
  engine.drop();
  const lines = stats
    .split('\n')
    .filter((line) => /cmdstat_eval|cmdstat_hello|cmdstat_info/.test(line));
  return lines.map((line) => line.trim()).join('\n');
}
