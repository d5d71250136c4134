import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { cleanEnvironment, launcher } from '../support/program.ts';
import { createRandom, seed, shuffle } from '../support/random.ts';
import { openService, type Service, type ServiceOptions } from '../support/service.ts';

type Race = ServiceOptions & {
  /** How many categories are created, each by a new process. */
  readonly creates?: number;
  /** State folders that stand for machines; the processes are spread over them. */
  readonly machines?: number;
  /** The URL of the store through which the machines share the limit. */
  readonly store?: string;
  /** Kills a random process now and then, this many times. */
  readonly kills?: number;
  /** Tells when a window ends in milliseconds. */
  readonly resetInMs?: boolean;
  /** Called while the race is on. */
  readonly disturb?: () => void;
};

type Outcome = {
  readonly requests: number;
  readonly refused: number;
  readonly bans: number;
  /** What a killed process was to create is not lost: nobody said that it was created. */
  readonly lost: number;
  readonly duplicated: number;
  /** From the first request to the last, in s. */
  readonly span: number;
  readonly failures: readonly string[];
};

/** How many shell loops create at a time. */
const loops = 9;
/** A window of three seconds instead of sixty. */
const plan = { minute: { limit: 20, length: 3_000 }, day: { limit: 10_000, length: 86_400_000 } };

/** Runs loops of processes against one service and counts what the service saw. */
export async function race(options: Race): Promise<Outcome> {
  const { creates = 36, machines = 1, kills = 0, store, resetInMs } = options;
  const service: Service = await openService({
    plan,
    ...options,
    spoil(headers) {
      const end = service.state.quota.minute.openedAt + plan.minute.length;
      return { ...headers, ...(resetInMs && { 'x-ratelimit-reset': `${end}` }) };
    },
  });
  const home = mkdtempSync(join(tmpdir(), 'petstore-race-'));
  const folders = Array.from({ length: machines }, (_, machine) => join(home, String(machine)));
  const names = Array.from({ length: creates }, (_, n) => `category-${n}`);
  const waiting = names.values();
  const running = new Map<ChildProcess, string>();
  const killed = new Set<string>();
  const failures: string[] = [];
  const random = createRandom(seed);
  const killer = kills > 0 ? setInterval(killOne, 300) : undefined;
  options.disturb?.();

  await Promise.all(Array.from({ length: loops }, (_, loop) => runLoop(folders[loop % machines])));
  clearInterval(killer);
  service.close();
  rmSync(home, { recursive: true, force: true, maxRetries: 10 });
  return { ...countUp(service, names, killed), failures };

  async function runLoop(folder = ''): Promise<void> {
    for (const name of waiting) {
      const argv = ['categories', 'create', name, '--quiet', '--max-wait', 'inf'];
      const env = { ...cleanEnvironment(folder), ...service.env, PETSTORE_SHARED_STORE: store };
      const child = spawn(process.execPath, [launcher, ...argv], {
        stdio: ['ignore', 'ignore', 'pipe'],
        env,
      });
      running.set(child, name);
      const [stderr] = await Promise.all([text(child.stderr), once(child, 'close')]);
      running.delete(child);
      // A killed one has no exit code. Like a shell loop, this one goes on.
      if (child.exitCode) failures.push(`${name}: exit ${child.exitCode}: ${stderr}`);
    }
  }

  function killOne(): void {
    const [victim] = shuffle([...running], random);
    if (victim === undefined || killed.size >= kills) return;
    const [child, name] = victim;
    killed.add(name);
    child.kill('SIGKILL');
  }
}

/** Compares what a service has received with the names that it was to receive. */
function countUp(
  { requests, state }: Service,
  names: readonly string[],
  killed: ReadonlySet<string>,
): Omit<Outcome, 'failures'> {
  const created = state.categories.map(({ name }) => name);
  const distinct = new Set(created);
  const times = requests.map(({ at }) => at);
  return {
    requests: requests.length,
    refused: requests.filter(({ reply }) => reply?.status === 429).length,
    bans: requests.filter(({ reply }) => reply?.body.includes('"key_banned"')).length,
    lost: names.filter((name) => !distinct.has(name) && !killed.has(name)).length,
    duplicated: created.length - distinct.size,
    span: (Math.max(...times) - Math.min(...times)) / 1_000,
  };
}
