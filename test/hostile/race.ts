import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Fixtures } from '../support/program.ts';
import { below, createRandom, seed } from '../support/random.ts';
import type { Service } from '../support/service.ts';

type Race = {
  /** How many categories are created, each by a new process. */
  readonly creates?: number;
  /** State folders that stand for machines; the processes are spread over them. */
  readonly machines?: number;
  /** The URL of the store through which the machines share the limit. */
  readonly store?: string;
  /** Kills a random process now and then, this many times. */
  readonly kills?: number;
};

type Outcome = {
  readonly requests: number;
  readonly refused: number;
  readonly bans: number;
  /** What a killed process was to create is not lost: nobody said that it was created. */
  readonly lost: number;
  readonly duplicated: number;
  /** Windows from the first request to the last. */
  readonly windows: number;
  readonly killed: number;
  readonly failures: readonly string[];
};

/** How many shell loops create at a time. */
const loops = 9;
/** A window of ten seconds: a busy machine, too, could send more in it. */
const plan = { minute: { limit: 20, length: 10_000 }, day: { limit: 10_000, length: 86_400_000 } };

/** Runs loops of processes against one service and counts what the service saw. */
export async function race(
  { serve, start, folder }: Pick<Fixtures, 'serve' | 'start' | 'folder'>,
  { creates = 36, machines = 1, kills = 0, store }: Race,
): Promise<Outcome> {
  const service = await serve({ plan });
  const names = Array.from({ length: creates }, (_, n) => `category-${n}`);
  const waiting = names.values();
  const running = new Map<ChildProcess, string>();
  const killed = new Set<string>();
  const failures: string[] = [];
  const random = createRandom(seed);
  const killer = kills > 0 ? setInterval(killOne, 300) : undefined;

  await Promise.all(Array.from({ length: loops }, (_, loop) => runLoop(loop % machines)));
  clearInterval(killer);
  return { ...countUp(service, names, killed), killed: killed.size, failures };

  async function runLoop(machine: number): Promise<void> {
    const HOME = join(folder, String(machine));
    for (const name of waiting) {
      const { child, ended } = start(`categories create ${name} --quiet --max-wait inf`, {
        env: { ...service.env, HOME, PETSTORE_SHARED_STORE: store },
      });
      running.set(child, name);
      const { code, stderr } = await ended;
      running.delete(child);
      // Like a shell loop, this one goes on after a kill.
      if (code !== 0 && code !== 'SIGKILL') failures.push(`${name}: exit ${code}: ${stderr}`);
    }
  }

  function killOne(): void {
    const victim = [...running][below(running.size, random)];
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
): Omit<Outcome, 'killed' | 'failures'> {
  const created = state.categories.map(({ name }) => name);
  const distinct = new Set(created);
  const times = requests.map(({ at }) => at);
  return {
    requests: requests.length,
    refused: requests.filter(({ reply }) => reply?.status === 429).length,
    bans: requests.filter(({ reply }) => reply?.body.includes('"key_banned"')).length,
    lost: names.filter((name) => !distinct.has(name) && !killed.has(name)).length,
    duplicated: created.length - distinct.size,
    windows: 1 + (Math.max(...times) - Math.min(...times)) / plan.minute.length,
  };
}
