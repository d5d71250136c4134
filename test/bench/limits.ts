import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { type Creator, type Outcome, type Race, race } from './race.ts';

/**
 * The races for the shared limit, at full length: 150 creates by 20 shell loops, a new process each, 60 a minute.
 * `npm run bench:limits -- NAME …` runs those whose names begin so.
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
const races: Record<string, Race> = {
  'B1 cold': full,
  'B1 cold, again': full,
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
  'B1b no date, clock +37 s': { ...full, noDate: true, skew: 37_000 },
  'B1c 2 machines': { ...full, machines: 2 },
  'B1e 40 kills': { ...full, kills: 40 },
  'peer curl --retry 10': { ...full, creator: curl },
  'peer p-retry and fetch': { ...full, creator: retrying },
};

const wanted = process.argv.slice(2);
const chosen = Object.entries(races).filter(
  ([name]) => wanted.length === 0 || wanted.some((start) => name.startsWith(start)),
);
console.log(
  row(['race', 'requests', 'created', '429', 'bans', 'lost', 'twice', 'span s', 'failed']),
);
for (const [name, options] of chosen) {
  const usable = options.creator !== curl || hasCurl();
  console.log(usable ? row(cells(name, await race(options))) : `${name}: there is no curl here`);
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
