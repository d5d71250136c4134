import { join } from 'node:path';
import { test as base, type Fixtures, silence } from '../support/petstore.ts';
import { createRandom } from '../support/random.ts';
import type { Context, WireAnswer, WireRequest } from '../support/values.ts';
import { fixedWindow, take, type Verdict } from './quota.ts';

type Options = {
  readonly seed: number;
  /** Decides about each request as it arrives. */
  readonly service: (now: number, route: string) => Verdict;
  /** The longest time that a connection, a request or a response takes, in ms. */
  readonly latency?: number;
  /** The most processes that are killed. */
  readonly kills?: number;
};

type Command = readonly string[];
type Ended = Awaited<ReturnType<Fixtures['petstore']>>;

/** Processes of one machine that use one key. */
export type Crowd = {
  /** In the order in which they were sent. */
  readonly requests: readonly Sent[];
  readonly killed: ReadonlySet<number>;
  /** Runs shell loops side by side, each command as a process of its own. Returns how those ended that were not killed. */
  readonly run: (loops: readonly (readonly Command[])[]) => Promise<Ended[]>;
};

/** A request whose first byte left; times are ms since the crowd began. */
export type Sent = {
  readonly sentAt: number;
  isRefused: boolean;
  /** When a process that lives had the response, and how long it has to wait then. */
  toldAt: number;
  waitMs: number;
};

/** A process that is killed when it takes more steps than it has left. */
type Process = {
  readonly pid: number;
  stepsLeft: number;
  readonly die: () => void;
};

type Machine = Pick<Fixtures, 'clock' | 'forward' | 'petstore'> & { readonly stateFolder: string };

const forever = new AbortController().signal;

export const test = base.extend<{ openCrowd: (options: Options) => Promise<Crowd> }>({
  openCrowd: async ({ clock, folder, forward, petstore, sandbox }, use) => {
    let crowds = 0;
    await use(async (options) => {
      crowds += 1;
      // The service of the crowd counts in place of the sandbox.
      const unlimited = { limit: 1e9, length: 86_400_000 };
      sandbox.plan = { minute: unlimited, day: unlimited };
      const machine = { clock, forward, petstore, stateFolder: join(folder, `state-${crowds}`) };
      await loadCommands({ ...machine, stateFolder: join(folder, 'state-0') });
      // On a full second, when all that an earlier crowd has sent has arrived.
      await clock.sleep(60_000 - (clock.service() % 1_000), forever);
      sandbox.categories.length = 0;
      return createCrowd(machine, options);
    });
  },
});

/** Returns that many shell loops with so many creates each. */
export function createPets(loops: number, each: number): string[][][] {
  const create = (name: string) => ['categories', 'create', name, '--max-wait', 'inf', '--json'];
  return Array.from({ length: loops }, (_, loop) =>
    Array.from({ length: each }, (_, index) => create(`pet-${loop}-${index}`)),
  );
}

/** Returns the requests that were sent while the machine had been told to wait. */
export function sentTooEarly(requests: readonly Sent[]): Sent[] {
  const refused = requests.filter(({ isRefused }) => isRefused);
  return requests.filter(({ sentAt }) =>
    refused.some(({ toldAt, waitMs }) => sentAt > toldAt && sentAt < toldAt + waitMs),
  );
}

let areCommandsLoaded = false;

/** Parts of the program load when they are first needed. That takes real time, in which the clock of a crowd would go on. */
async function loadCommands(machine: Machine): Promise<void> {
  if (areCommandsLoaded) return;
  areCommandsLoaded = true;
  const window = fixedWindow(() => 2, 60_000);
  const { run } = createCrowd(machine, { seed: 0, service: (now) => take([window], now) });
  const [[create = []] = []] = createPets(1, 1);
  await run([[create, ['categories', 'list'], create]]);
}

function createCrowd(
  { clock, forward, petstore, stateFolder }: Machine,
  { seed, service, latency = 0, kills = 0 }: Options,
): Crowd {
  const random = createRandom(seed);
  const began = clock.uptime();
  const requests: Sent[] = [];
  const killed = new Set<number>();
  let started = 0;
  let killsLeft = kills;

  return { requests, killed, run };

  async function run(loops: readonly (readonly Command[])[]): Promise<Ended[]> {
    const ends = await Promise.all(loops.map(runLoop));
    return ends.flat().filter((end) => end !== undefined);
  }

  async function runLoop(commands: readonly Command[]) {
    const ends: (Ended | undefined)[] = [];
    for (const command of commands) ends.push(await runProcess(command));
    return ends;
  }

  function runProcess(command: Command): Promise<Ended | undefined> {
    started += 1;
    const pid = started;
    const isDoomed = killsLeft > 0 && random() < 0.2;
    if (isDoomed) killsLeft -= 1;
    const stepsLeft = isDoomed ? Math.floor(random() * 4) : Number.POSITIVE_INFINITY;
    return new Promise((resolve, reject) => {
      const die = () => resolve(undefined);
      const options = {
        env: { PETSTORE_STATE_DIR: stateFolder },
        context: contextOf({ pid, stepsLeft, die }),
      };
      petstore(command, options).then(resolve, reject);
    });
  }

  function contextOf(process: Process): Partial<Context> {
    return {
      owner: { pid: process.pid, host: 'here', born: 'once' },
      isRunning: ({ pid }) => !killed.has(pid),
      random,
      send: (request) => send(process, request),
      sleep: (ms, signal) => sleep(process, ms, signal),
    };
  }

  async function send(process: Process, request: WireRequest): Promise<WireAnswer> {
    await inTransit(); // connecting
    await request.lastCheck?.();
    await step(process);
    request.onSent();
    const sent = {
      sentAt: passed(),
      isRefused: false,
      toldAt: Number.POSITIVE_INFINITY,
      waitMs: 0,
    };
    requests.push(sent);
    await inTransit();
    const answer = await respond(request);
    sent.isRefused = answer.status === 429;
    await inTransit();
    await step(process);
    sent.toldAt = passed();
    sent.waitMs = Number(answer.headers['retry-after'] ?? 0) * 1_000;
    return answer;
  }

  async function sleep(process: Process, ms: number, signal: AbortSignal): Promise<void> {
    await step(process);
    await clock.sleep(ms, signal).finally(() => killed.has(process.pid) && silence);
  }

  /** Kills the process if it is time. Nothing that it waits for comes after that. */
  async function step(process: Process): Promise<void> {
    process.stepsLeft -= 1;
    if (process.stepsLeft >= 0) return;
    killed.add(process.pid);
    process.die();
    await silence;
  }

  function passed(): number {
    return clock.uptime() - began;
  }

  function inTransit(): Promise<void> {
    return clock.sleep(random() * latency, forever);
  }

  async function respond(request: WireRequest): Promise<WireAnswer> {
    const { isRefused, headers } = service(clock.service(), request.method);
    if (isRefused) return { status: 429, headers, body: bodyOf([]) };
    const { status, body } = await forward({ ...request, onSent: () => {} });
    // The clock stands still until the body is read.
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    const type = { 'content-type': 'application/json' };
    return { status, headers: { ...type, ...headers }, body: bodyOf(chunks) };
  }
}

async function* bodyOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}
