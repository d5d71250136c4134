import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { seed } from '../support/seed.ts';
import { isInstalled } from './bars/turns.ts';
import { environment } from './home.ts';
import { countUp, curl, type Outcome, type Race, race, retrying } from './race.ts';
import { startService } from './service.ts';
import { raceWithStore, type StoreLife, storeProgram } from './store-race.ts';

/**
 * The races for the shared limit, at full length: 150 creates by 20 shell loops, a new process each, 60 a minute.
 * `npm run bench:limits -- NAME …` runs those whose names begin so; without one it runs all, for an hour and a half.
 * PETSTORE_BENCH_STORE=valkey-server runs those with a store on Valkey.
 */
const full = { creates: 150, loops: 20 };
const fleet = { creates: 300, loops: 200, machines: 10 };
const hour = 3_600_000;

const races: Record<string, Race & { readonly storeLife?: StoreLife }> = {
  ...Object.fromEntries([1, 2, 3, 4, 5].map((run) => [`B1 cold, ${run}`, full])),
  'B1b 40 used before': { ...full, used: 40 },
  'B1b reset rounded down': { ...full, resetRoundedDown: true },
  'B1b clock +37 s': { ...full, skew: 37_000 },
  'B1b clock -37 s': { ...full, skew: -37_000 },
  'B1b clock +1 h': { ...full, skew: hour },
  'B1b clock -1 h': { ...full, skew: -hour },
  'B1b reset in ms': { ...full, resetInMs: true },
  'B1b no date': { ...full, noDate: true },
  'B1b no date, clock +37 s': { ...full, noDate: true, skew: 37_000 },
  'B1c 2 machines': { ...full, machines: 2 },
  'B1d store': { ...fleet, storeLife: {} },
  'B1d store killed': { ...fleet, storeLife: { killedAfter: 90_000 } },
  'B1d store back': { ...fleet, storeLife: { killedAfter: 90_000, backAfter: 30_000 } },
  'B1d store flushed': { ...fleet, storeLife: { flushedEvery: 5_000 } },
  'B1e 40 kills': { ...full, kills: 40 },
  'peer curl --retry 10': { ...full, creator: curl },
  'peer p-retry and fetch': { ...full, creator: retrying },
};

const wanted = process.argv.slice(2);
const isWanted = (name: string) =>
  wanted.length === 0 || wanted.some((start) => name.startsWith(start));

console.log(`seed ${seed}`);
console.log(
  row(['race', 'requests', 'created', '429', 'bans', 'lost', 'twice', 'span s', 'failed']),
);
for (const [name, { storeLife, ...options }] of Object.entries(races)) {
  if (!isWanted(name)) continue;
  if (options.creator === curl && !isInstalled('curl')) console.log(`${name}: there is no curl`);
  else if (!storeLife) printOutcome(name, await race(options));
  else if (!storeProgram) console.log(`${name}: there is no redis-server or valkey-server`);
  else printOutcome(name, await raceWithStore(options, storeProgram, storeLife));
}
if (isWanted('B2 one process')) await importAlone('B2 one process');

/** Imports as many rows in one process. */
async function importAlone(name: string): Promise<void> {
  const service = await startService();
  const folder = mkdtempSync(join(tmpdir(), 'petstore-limits-'));
  const names = Array.from({ length: full.creates }, (_, n) => `category-${n}`);
  const file = join(folder, 'names.csv');
  writeFileSync(file, ['name', ...names, ''].join('\n'));
  const words = ['categories', 'import', file, '--yes', '--max-wait', 'inf'];
  const env = environment(folder, service);
  const argv = [resolve('bin/petstore.js'), ...words];
  const [code] = await once(spawn(process.execPath, argv, { stdio: 'ignore', env }), 'close');
  printOutcome(name, { ...countUp(service, names), failures: code ? [`exit ${code}`] : [] });
  service.close();
  rmSync(folder, { recursive: true });
}

function printOutcome(name: string, outcome: Outcome): void {
  const { requests, created, refused, bans, lost, duplicated, span, failures } = outcome;
  for (const failure of failures.slice(0, 3)) console.error(failure);
  const numbers = [requests, created, refused, bans, lost, duplicated];
  console.log(row([name, ...numbers.map(String), span.toFixed(1), String(failures.length)]));
}

function row([name = '', ...rest]: string[]): string {
  return name.padEnd(28) + rest.map((cell) => cell.padStart(9)).join('');
}
