import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { plans } from '../../src/sandbox/quota.ts';
import { enginesHere } from '../support/needs.mts';
import { type Creator, type Outcome, type Race, race } from './race.ts';
import { type EngineLife, raceWithEngine } from './race-engine.ts';
import { type Service, startService } from './service.ts';

/**
 * The races for the shared limit, at full length: 150 creates by 20 shell loops, a new process each, 60 a minute.
 * `npm run bench:limits -- NAME …` runs those whose names begin so; without one it runs all, for an hour.
 */
const full = { creates: 150, loops: 20 };

const curl: Creator = ({ url, key }, name) => [
  'curl',
  ...['--retry', '10', '--fail', '--silent', '--show-error', '--output', '/dev/null'],
  ...['--header', `Authorization: Bearer ${key}`, '--header', 'Content-Type: application/json'],
  ...['--data', JSON.stringify({ name }), `${url}/categories`],
];
const retrying: Creator = (_service, name) => [
  process.execPath,
  resolve('test/bench/p-retry.mjs'),
  name,
];

const hour = 3_600_000;
const fleet = { creates: 300, loops: 200, machines: 10 };
const races: Record<string, Race & { readonly engine?: EngineLife }> = {
  'B1 cold, first': full,
  'B1 cold, second': full,
  'B1 cold, third': full,
  'B1 cold, fourth': full,
  'B1 cold, fifth': full,
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
  'B1d 10 machines, redis': { ...fleet, engine: {} },
  'B1d engine killed': { ...fleet, engine: { killedAfter: 90_000 } },
  'B1d engine back': { ...fleet, engine: { killedAfter: 90_000, backAfter: 30_000 } },
  'B1e 40 kills': { ...full, kills: 40 },
  'peer curl --retry 10': { ...full, creator: curl },
  'peer p-retry and fetch': { ...full, creator: retrying },
};

const wanted = process.argv.slice(2);
const chosen = Object.entries(races).filter(
  ([name]) => wanted.length === 0 || wanted.some((start) => name.startsWith(start)),
);
await printCounts();

async function printCounts(): Promise<void> {
  console.log(
    row(['race', 'requests', 'created', '429', 'bans', 'lost', 'twice', 'span s', 'failed']),
  );
  for (const [name, options] of chosen) {
    if (options.creator === curl && !hasCurl()) console.log(`${name}: there is no curl here`);
    else if (options.engine && enginesHere.length === 0)
      console.log(`${name}: there is no redis-server here`);
    else console.log(row(cells(name, await runRace(options))));
  }
  if (wanted.length === 0 || wanted.includes('B3')) await afterTheDay();
  if (wanted.length === 0 || wanted.includes('B4')) await onlyRefusals();
}

function runRace({ engine, ...options }: (typeof races)[string]): Promise<Outcome> {
  return engine ? raceWithEngine(options, engine) : race(options);
}

/** B3: once the day is used up, nothing is sent and each process ends at once. */
async function afterTheDay(): Promise<void> {
  const service = await startService({
    used: 999,
    plan: { ...plans.free, minute: { limit: 2_000, length: 60_000 } },
  });
  const folder = mkdtempSync(join(tmpdir(), 'petstore-day-'));
  await run(service, folder, []);
  const runs = [];
  for (let n = 0; n < 20; n += 1) runs.push(await run(service, folder, []));
  const times = runs.map(({ ms }) => ms).sort((a, b) => a - b);
  const codes = new Set(runs.map(({ code }) => code));
  const sent = service.requests.length - 1;
  console.log(
    `B3 after the day: ${sent} requests, exit ${[...codes]}, p50 ${times[10]} ms, most ${times[19]} ms`,
  );
  service.close();
  rmSync(folder, { recursive: true });
}

/** B4: a service that only refuses, asked by five loops for five minutes. */
async function onlyRefusals(): Promise<void> {
  const service = await startService({ onlyRefuses: true });
  const folder = mkdtempSync(join(tmpdir(), 'petstore-refusals-'));
  const end = Date.now() + 300_000;
  const loop = async () => {
    while (Date.now() < end) {
      await run(service, folder, ['--max-wait', '5s']);
      await pause(5_000);
    }
  };
  await Promise.all([loop(), loop(), loop(), loop(), loop()]);
  const [first] = service.requests;
  const within = service.requests.filter(({ at }) => at < (first?.at ?? 0) + 300_000);
  console.log(`B4 only refusals: ${within.length} requests in 300 s`);
  service.close();
  rmSync(folder, { recursive: true });
}

function run(service: Service, folder: string, args: readonly string[]) {
  const start = performance.now();
  const child = spawn(
    process.execPath,
    [resolve('bin/petstore.js'), 'categories', 'list', ...args],
    {
      stdio: 'ignore',
      env: {
        PATH: process.env.PATH,
        PETSTORE_BASE_URL: service.url,
        PETSTORE_API_KEY: service.key,
        PETSTORE_CONFIG_DIR: folder,
        PETSTORE_STATE_DIR: folder,
      },
    },
  );
  return new Promise<{ code: number | null; ms: number }>((done) => {
    child.once('close', (code) => done({ code, ms: Math.round(performance.now() - start) }));
  });
}

function cells(name: string, outcome: Outcome): string[] {
  const { requests, created, refused, bans, lost, duplicated, span, failures } = outcome;
  for (const failure of failures.slice(0, 3)) console.error(failure);
  const numbers = [requests, created, refused, bans, lost, duplicated];
  return [name, ...numbers.map(String), span.toFixed(1), String(failures.length)];
}

function row([name = '', ...rest]: string[]): string {
  return name.padEnd(28) + rest.map((cell) => cell.padStart(9)).join('');
}

function hasCurl(): boolean {
  try {
    execFileSync('curl', ['--version']);
    return true;
  } catch {
    return false;
  }
}
