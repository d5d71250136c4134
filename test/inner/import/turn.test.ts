import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Context, Engine } from '../../../src/context.ts';
import { listIsOld, Turn } from '../../../src/import/turn.ts';
import { memoryCell } from '../../../src/store/cell.ts';
import { createClock } from '../../support/clock.ts';
import { createMemoryEngine, type MemoryEngine } from '../../support/memory-engine.ts';
import { createRandom, trials } from '../../support/random.ts';

const second = 1_000;
const settleMs = 120 * second;
const machines = 3;
const never = new Promise<never>(() => {});

/** From a list to the next one. */
type Span = { readonly listedAt: number; lastCreateAt: number; wasGivenBack: boolean };
type Place = 'a store' | 'a folder';

const trouble = fc.record({
  what: fc.constantFrom('pause', 'pause', 'kill', 'away', 'flush'),
  machine: fc.nat(machines - 1),
  at: fc.nat(150 * second),
  lasts: fc.nat(60 * second),
});
type Trouble = typeof trouble extends fc.Arbitrary<infer Drawn> ? Drawn : never;

test.for<Place>(['a store', 'a folder'])(
  'processes that share %s, pause, die and lose it: none creates after the list of another one',
  async (place) => {
    await fc.assert(
      fc.asyncProperty(fc.array(trouble, { maxLength: 5 }), fc.nat(), async (troubles, seed) => {
        const all = await simulate(place, troubles, seed);
        const isFlushed = troubles.some(({ what }) => what === 'flush');
        // One that loses its turn while it settles lists as well, and then creates nothing by that list.
        const turns = all.filter(({ lastCreateAt }) => lastCreateAt > 0);
        for (const [n, turn] of turns.entries()) {
          for (const earlier of turns.slice(0, n)) {
            // Nobody knows of requests that were lost along with the values of the store.
            const restMs = earlier.wasGivenBack || isFlushed ? 0 : settleMs;
            expect(turn.listedAt).toBeGreaterThanOrEqual(earlier.lastCreateAt + restMs);
          }
        }
      }),
      trials(60),
    );
  },
);

/** Lets machines take turns for some minutes, and returns the spans in the order of their lists. */
async function simulate(place: Place, troubles: readonly Trouble[], seed: number): Promise<Span[]> {
  const clock = createClock();
  const start = clock.uptime();
  const random = createRandom(seed);
  const engine = createMemoryEngine(clock.service);
  const cell = memoryCell<never>();
  const spans: Span[] = [];
  const pausedUntil = new Map<number, number>();
  const dead = new Set<number>();
  const over = new AbortController();

  for (const { what, machine, at, lasts } of troubles) {
    void sleep(at).then(async () => {
      if (what === 'kill') dead.add(machine);
      if (what === 'pause') pausedUntil.set(machine, clock.uptime() + lasts);
      if (what === 'flush') engine.flush();
      if (what !== 'away') return;
      engine.fault = 'refuses';
      await sleep(lasts);
      engine.fault = undefined;
    });
  }
  for (let machine = 0; machine < machines; machine += 1) void work(machine).catch(() => {});
  await sleep(400 * second);
  over.abort();
  return spans;

  function sleep(ms: number): Promise<void> {
    return clock.sleep(ms, over.signal).catch(() => never);
  }

  /** Resolves when the machine goes on: at once, after its pause, or never. */
  async function live(machine: number): Promise<void> {
    for (;;) {
      if (dead.has(machine) || over.signal.aborted) return never;
      const pauseMs = (pausedUntil.get(machine) ?? start) - clock.uptime();
      if (pauseMs <= 0) return;
      await sleep(pauseMs);
    }
  }

  async function work(machine: number): Promise<void> {
    const context = contextOf(machine);
    for (;;) {
      const turn = new Turn(context, {
        store:
          place === 'a store'
            ? { engine: engineOf(engine, () => live(machine)), name: 'store' }
            : undefined,
        folder: '',
        address: 'service',
        doing: 'importing',
        maxWaitMs: Number.POSITIVE_INFINITY,
        settleAfterKillMs: settleMs,
        report: () => {},
        isSettled: () => true,
      });
      // Another process has taken over.
      await createInTurns(turn, context).catch(() => {});
      await context.sleep(second, context.signal);
    }
  }

  async function createInTurns(turn: Turn, { sleep, signal }: Context): Promise<void> {
    let span: Span = { listedAt: 0, lastCreateAt: 0, wasGivenBack: false };
    await turn.run(async () => {
      for (let lists = 3 * random(); lists > 0; lists -= 1) {
        await turn.list(async () => {
          span = { listedAt: clock.uptime(), lastCreateAt: 0, wasGivenBack: false };
          spans.push(span);
        });
        while (random() < 0.7 && (await create(turn, sleep, span))) {
          span.wasGivenBack = true;
          await turn.giveBack();
          await sleep(10 * second * random(), signal);
        }
      }
    });
    span.wasGivenBack = true;
  }

  /** Returns false if that takes a new list. */
  async function create(turn: Turn, sleep: Context['sleep'], span: Span): Promise<boolean> {
    const { signal } = over;
    try {
      for (let left = 10 * random(); left > 0; left -= 1) {
        await turn.send(async ({ beforeSending }) => {
          await sleep(3 * second * random(), signal);
          await beforeSending?.();
          span.wasGivenBack = false;
          span.lastCreateAt = clock.uptime();
        }, signal);
      }
      return true;
    } catch (error) {
      if (error !== listIsOld) throw error;
      return false;
    }
  }

  function contextOf(machine: number): Context {
    return {
      uptime: clock.uptime,
      now: clock.now,
      random,
      owner: { pid: 1, host: `machine-${machine}` },
      signal: over.signal,
      isRunning: () => undefined,
      fileCell: () => ({
        async read() {
          await live(machine);
          return cell.read();
        },
        async replace(seen, next) {
          await live(machine);
          if (engine.fault) throw new Error('away');
          return cell.replace(seen as never, next as never);
        },
      }),
      sleep: async (ms: number, signal: AbortSignal) => {
        await clock.sleep(Math.max(0, ms), signal);
        await live(machine);
      },
    } as Partial<Context> as Context;
  }
}

function engineOf(engine: MemoryEngine, live: () => Promise<void>): Engine {
  const { swap } = engine.open();
  return {
    async swap(...command) {
      await live();
      const reply = await swap(...command);
      await live();
      return reply;
    },
  };
}
