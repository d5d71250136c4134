import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Context, Engine } from '../../../src/context.ts';
import { Lease } from '../../../src/import/lease.ts';
import { createClock } from '../../support/clock.ts';
import { createMemoryEngine, type MemoryEngine } from '../../support/memory-engine.ts';
import { createRandom, type Random } from '../../support/random.ts';
import { trials } from '../../support/trials.ts';

const second = 1_000;
const settleMs = 120 * second;
const machines = 3;
const never = new Promise<never>(() => {});

type Trouble = { readonly what: 'pause' | 'kill' | 'away' | 'flush'; readonly machine: number };
type Turn = { readonly listedAt: number; lastCreateAt: number; wasGivenBack: boolean };

const trouble = fc.record({
  what: fc.constantFrom<Trouble['what']>('pause', 'pause', 'kill', 'away'),
  machine: fc.nat(machines - 1),
  at: fc.nat(150 * second),
  lasts: fc.nat(60 * second),
});
const flush = fc.record({
  what: fc.constant('flush' as const),
  machine: fc.constant(0),
  at: fc.nat(150 * second),
  lasts: fc.constant(0),
});

test('machines that pause, die and lose their store: none creates after the list of another one', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(trouble, { maxLength: 5 }),
      fc.option(flush, { nil: undefined }),
      fc.nat(),
      async (troubles, flushed, seed) => {
        const all = await simulate(flushed ? [...troubles, flushed] : troubles, seed);
        // One that loses its turn while it settles lists as well, and then creates nothing by that list.
        const turns = all.filter(({ lastCreateAt }) => lastCreateAt > 0);
        for (const [n, turn] of turns.entries()) {
          for (const earlier of turns.slice(0, n)) {
            // Nobody knows of requests that were lost along with the values of the store.
            const restMs = earlier.wasGivenBack || flushed ? 0 : settleMs;
            expect(turn.listedAt).toBeGreaterThanOrEqual(earlier.lastCreateAt + restMs);
          }
        }
      },
    ),
    trials(60),
  );
});

/** Lets machines take turns for some minutes, and returns the turns in the order of their lists. */
async function simulate(
  troubles: readonly (Trouble & { readonly at: number; readonly lasts: number })[],
  seed: number,
): Promise<Turn[]> {
  const clock = createClock();
  const start = clock.uptime();
  const random = createRandom(seed);
  const engine = createMemoryEngine(clock.service);
  const turns: Turn[] = [];
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
  await sleep(600 * second);
  over.abort();
  return turns;

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
      const lease = new Lease(context, {
        store: { engine: engineOf(engine, () => live(machine)), name: 'store' },
        folder: '',
        address: 'service',
        names: [],
        doing: 'importing',
        maxWaitMs: Number.POSITIVE_INFINITY,
        report: () => {},
      });
      // Another process has taken over.
      await takeTurn(lease, context, random).catch(() => {});
      await context.sleep(second, context.signal);
    }
  }

  async function takeTurn(lease: Lease, context: Context, random: Random): Promise<void> {
    const { signal } = context;
    const silenceMs = await lease.take();
    if (silenceMs !== undefined) {
      await context.sleep(settleMs - Math.max(0, silenceMs - 10 * second), signal);
    }
    const turn = { listedAt: clock.uptime(), lastCreateAt: 0, wasGivenBack: false };
    turns.push(turn);
    lease.afterList();
    for (let left = 20 * random(); left > 0; left -= 1) {
      await lease.send(async () => {
        await context.sleep(3 * second * random(), signal);
        lease.check();
        turn.lastCreateAt = clock.uptime();
      }, signal);
    }
    turn.wasGivenBack = true;
    await lease.release(false);
  }

  function contextOf(machine: number): Context {
    return {
      uptime: clock.uptime,
      now: clock.now,
      random,
      owner: { pid: 1, host: `machine-${machine}` },
      signal: over.signal,
      sleep: async (ms: number, signal: AbortSignal) => {
        await clock.sleep(Math.max(0, ms), signal);
        await live(machine);
      },
    } as Partial<Context> as Context;
  }
}

function engineOf(engine: MemoryEngine, live: () => Promise<void>): Engine {
  const { run, drop } = engine.open();
  return {
    drop,
    async run(...command) {
      await live();
      const reply = await run(...command);
      await live();
      return reply;
    },
  };
}
