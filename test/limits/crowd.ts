import { join } from 'node:path';
import { createKillable } from '../support/killable.ts';
import { test as base, type Fixtures } from '../support/petstore.ts';
import { createRandom } from '../support/random.ts';
import { loadCommands, never } from '../support/told.ts';
import type { Context, WireAnswer, WireRequest } from '../support/values.ts';
import type { Service } from './limiters.ts';

type Options = {
  readonly seed: number;
  /** Decides about each request as it arrives. */
  readonly service: Service;
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
  /** How those ended that were not killed. */
  readonly ends: readonly Ended[];
  /** The names at the service. */
  readonly created: readonly string[];
  /** Runs shell loops side by side, each command as a process of its own. */
  readonly run: (loops: readonly (readonly Command[])[]) => Promise<readonly Ended[]>;
};

/** A request whose first byte left; times are ms since the crowd began. */
type Sent = {
  readonly sentAt: number;
  isRefused: boolean;
  /** When a process that lives had the response, and how long it has to wait then. */
  toldAt: number;
  waitMs: number;
};

export const test = base.extend<{ openCrowd: (options: Options) => Promise<Crowd> }>({
  openCrowd: async ({ clock, folder, forward, petstore, sandbox }, use) => {
    const fixtures = { clock, folder, forward, petstore, sandbox };
    await loadCommands(fixtures);
    let crowds = 0;
    await use(async (options) => {
      crowds += 1;
      // The service of the crowd counts in place of the sandbox.
      const unlimited = { limit: 1e9, length: 86_400_000 };
      sandbox.plan = { minute: unlimited, day: unlimited };
      // On a full second, when all that an earlier crowd has sent has arrived.
      await clock.sleep(60_000 - (clock.service() % 1_000), never);
      sandbox.categories.length = 0;
      return createCrowd(fixtures, join(folder, `state-${crowds}`), options);
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

function createCrowd(
  { clock, forward, petstore, sandbox }: Fixtures,
  stateFolder: string,
  { seed, service, latency = 0, kills = 0 }: Options,
): Crowd {
  const random = createRandom(seed);
  const began = clock.uptime();
  const passed = () => clock.uptime() - began;
  const inTransit = () => clock.sleep(random() * latency, never);
  const requests: Sent[] = [];
  const killed = new Set<number>();
  const ends: Ended[] = [];
  const answered = new WeakMap<WireAnswer, Sent>();
  let started = 0;
  let killsLeft = kills;

  return {
    requests,
    killed,
    ends,
    get created() {
      return sandbox.categories.map(({ name }) => name);
    },
    async run(loops) {
      await Promise.all(loops.map(runLoop));
      return ends;
    },
  };

  async function runLoop(commands: readonly Command[]): Promise<void> {
    for (const command of commands) {
      const ended = await runProcess(command);
      if (ended !== 'dead') ends.push(ended);
    }
  }

  function runProcess(command: Command): Promise<Ended | 'dead'> {
    started += 1;
    const pid = started;
    const isDoomed = killsLeft > 0 && random() < 0.2;
    if (isDoomed) killsLeft -= 1;
    const diesAt = isDoomed ? Math.floor(random() * 5) : undefined;
    const killable = createKillable(clock, send, { diesAt });
    void killable.death.then(() => killed.add(pid));
    const context: Partial<Context> = {
      owner: { pid, host: 'here', born: 'once' },
      isRunning: (owner) => !killed.has(owner.pid),
      random,
      sleep: killable.context.sleep,
      async send(request) {
        const answer = await killable.context.send(request);
        const waitMs = Number(answer.headers['retry-after'] ?? 0) * 1_000;
        Object.assign(answered.get(answer) ?? {}, { toldAt: passed(), waitMs });
        return answer;
      },
    };
    const run = petstore(command, { env: { PETSTORE_STATE_DIR: stateFolder }, context });
    return Promise.race([run, killable.death]);
  }

  async function send(request: WireRequest): Promise<WireAnswer> {
    await inTransit(); // connecting
    await request.lastCheck?.();
    request.onSent();
    const unknown = { isRefused: false, toldAt: Number.POSITIVE_INFINITY, waitMs: 0 };
    const sent: Sent = { ...unknown, sentAt: passed() };
    requests.push(sent);
    await inTransit();
    const answer = await respond(request);
    sent.isRefused = answer.status === 429;
    await inTransit();
    answered.set(answer, sent);
    return answer;
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
