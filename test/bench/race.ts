import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Manners, startService } from './service.ts';

/** A program that creates one category, and how it is told the service's address and key. */
export type Creator = (service: { url: string; key: string }, name: string) => string[];

export type Race = Manners & {
  readonly creator?: Creator;
  /** How many categories are created, each by a new process. */
  readonly creates: number;
  /** How many shell loops do so at a time. */
  readonly loops: number;
  /** State folders that stand for machines; the loops are spread over them. */
  readonly machines?: number;
  /** The URL of the store through which the machines share the limit. */
  readonly store?: string;
  /** Kills a random process now and then, this many times. */
  readonly kills?: number;
  /** Called while the race is on, with the state folders of the machines. */
  readonly disturb?: (folders: readonly string[]) => void;
};

export type Outcome = {
  readonly requests: number;
  readonly created: number;
  readonly refused: number;
  readonly bans: number;
  /** Those whose process was killed before it sent are not lost: nobody said they were created. */
  readonly lost: number;
  readonly duplicated: number;
  /** From the first request to the last, in s. */
  readonly span: number;
  readonly failures: readonly string[];
};

const petstore: Creator = (_service, name) => [
  process.execPath,
  resolve('bin/petstore.js'),
  ...['categories', 'create', name, '--quiet', '--max-wait', 'inf'],
];

/** Runs loops of processes against one service and counts what the service saw. */
export async function race(options: Race): Promise<Outcome> {
  const { creator = petstore, creates, loops, machines = 1, kills = 0 } = options;
  const service = await startService(options);
  const home = mkdtempSync(join(tmpdir(), 'petstore-race-'));
  const folders = Array.from({ length: machines }, (_, machine) => join(home, String(machine)));
  const waiting = Array.from({ length: creates }, (_, n) => `category-${n}`);
  const expected = [...waiting];
  const failures: string[] = [];
  const running = new Map<number, string>();
  const killed = new Set<string>();
  const killer = kills > 0 ? setInterval(killOne, 300) : undefined;
  options.disturb?.(folders);

  await Promise.all(Array.from({ length: loops }, (_, loop) => runLoop(folders[loop % machines])));
  clearInterval(killer);
  service.close();
  rmSync(home, { recursive: true, force: true, maxRetries: 10 });

  const names = service.state.categories.map(({ name }) => name);
  const distinct = new Set(names);
  const times = service.requests.map(({ at }) => at);
  const start = Math.min(...times);
  const since = (ms: number) => (ms - start) / 1_000;
  const responses = service.requests.map(({ at, reply }) => ({
    at,
    status: reply?.status ?? 0,
    isBan: reply?.body.includes('"key_banned"'),
    retryAfterMs: Number(reply?.headers?.['retry-after']) * 1_000,
  }));
  const banned: { from: number; to: number }[] = [];
  for (const { at, isBan, retryAfterMs } of responses) {
    const from = since(at);
    const isNew = banned.every(({ to }) => from > to);
    if (isBan && isNew) banned.push({ from, to: since(at + retryAfterMs) });
  }
  return {
    requests: service.requests.length,
    created: names.length,
    refused: responses.filter(({ status }) => status === 429).length,
    bans: banned.length,
    lost: expected.filter((name) => !distinct.has(name) && !killed.has(name)).length,
    duplicated: names.length - distinct.size,
    span: since(Math.max(...times)),
    failures,
  };

  async function runLoop(folder = ''): Promise<void> {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const [file = '', ...args] = creator(service, name);
      const child = spawn(file, args, {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: {
          PATH: process.env.PATH,
          PETSTORE_BASE_URL: service.url,
          PETSTORE_API_KEY: service.key,
          PETSTORE_CONFIG_DIR: join(folder, 'config'),
          PETSTORE_STATE_DIR: folder,
          PETSTORE_LIMIT_STORE: options.store,
        },
      });
      let stderr = '';
      child.stderr.on('data', (text) => {
        stderr += text;
      });
      if (child.pid) running.set(child.pid, name);
      const code = await new Promise((done) => child.once('close', done));
      if (child.pid) running.delete(child.pid);
      // A killed one may have created before it died; a shell loop would not know either, and goes on.
      if (code !== 0 && code !== null) failures.push(`${name}: exit ${code}: ${stderr}`);
    }
  }

  function killOne(): void {
    const [victim] = [...running].sort(() => Math.random() - 0.5);
    if (victim === undefined || killed.size >= kills) return;
    const [pid, name] = victim;
    killed.add(name);
    process.kill(pid, 'SIGKILL');
  }
}
