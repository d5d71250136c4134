import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { moveLedger, withOffset } from '../../../../src/pacing/clock.ts';
import { decide } from '../../../../src/pacing/decide.ts';
import { dropLeases, fold } from '../../../../src/pacing/fold.ts';
import { emptyLedger, type Ledger } from '../../../../src/pacing/ledger.ts';
import { type Entry, parseEntry } from '../../../../src/pacing/records.ts';
import { createStoreLog, LostLog } from '../../../../src/pacing/store/log.ts';
import { nameInStore } from '../../../../src/pacing/store/script.ts';
import { byEngine } from '../../../../src/pacing/store/translate.ts';
import { startTime } from '../../../support/clock.ts';
import { createMemoryEngine } from '../../../support/memory-engine.ts';
import { trials } from '../../../support/trials.ts';

/** Several machines whose clocks show something else, and an engine with a clock of its own. */
function createFleet(skews: readonly number[], engineSkew = 0, travel?: () => void) {
  const world = { time: startTime, engineSkew };
  const engine = createMemoryEngine(() => world.time + world.engineSkew, travel);
  const machines = skews.map((skew, n) => {
    const now = () => world.time + skew;
    const owner = { pid: 7, host: 'same-name' };
    const uptime = () => now() - startTime + 1e6 * n;
    const context = { now, uptime, boot: `boot-${n}`, owner };
    return { now, skew, owner, log: createStoreLog(engine.open(), 'petstore:lim:x', context) };
  });
  return { world, engine, machines };
}

type Machine = ReturnType<typeof createFleet>['machines'][number];

const told = (machine: Machine, remaining: number) => ({
  ...{ limit: 60, remaining, date: Math.floor(machine.now() / 1_000) * 1_000 - machine.skew },
  reset: startTime + 60_000,
});
const entryOf = (k: string, id: string, machine: Machine, remaining: number): Entry => {
  const at = machine.now();
  if (k === 'ask') return { k, id, at, lease: at + 35_000, owner: machine.owner };
  if (k === 'lost' || k === 'unsent') return { k, id, at };
  if (k === 'clear') return { k, at };
  const ended = { id, at, sent: at, jitter: 0.5, ...told(machine, remaining) };
  return k === 'refused' ? { k, ...ended, wait: 3_000 } : { k: 'answer', status: 200, ...ended };
};

/** A call that finds the log lost adds nothing; the next one goes on with a new log. */
function again<Value>(call: () => Promise<Value>): Promise<Value> {
  return call().catch((error) => {
    if (error instanceof LostLog) return call();
    throw error;
  });
}

/** The same for all machines: times by the one true clock, and no word of whose process it is or when a machine was started. */
function inCommon(ledger: Ledger, { skew }: Machine): unknown {
  const { boot, ...rest } = moveLedger(ledger, -skew);
  const inFlight = Object.entries(rest.inFlight).map(([id, { owner, ...lease }]) => [id, lease]);
  return { ...rest, inFlight: Object.fromEntries(inFlight) };
}

const kinds = ['ask', 'ask', 'ask', 'answer', 'answer', 'refused', 'lost', 'unsent', 'clear'];
const step = fc.record({
  kind: fc.constantFrom(...kinds),
  machine: fc.nat(2),
  id: fc.nat(9).map(String),
  remaining: fc.nat(60),
  pass: fc.nat(4_000),
});
const skew = fc.integer({ min: -3_600_000, max: 3_600_000 });
const skews = fc.tuple(skew, skew, skew);

describe('the log in a store', () => {
  test('is folded by all machines to the same ledger, whatever their clocks show: that of its lines in order', async () => {
    await fc.assert(
      fc.asyncProperty(skews, fc.array(step, { maxLength: 200 }), async (skews, steps) => {
        const { world, engine, machines } = createFleet(skews);
        for (const { kind, machine, id, remaining, pass } of steps) {
          const own = machines[machine] as Machine;
          await own.log.append(entryOf(kind, id, own, remaining));
          world.time += pass;
        }
        const expected = engine.lines.reduce((ledger, line) => {
          const [time = '', text = ''] = [line.slice(0, 13), line.slice(14)];
          return fold(ledger, byEngine(parseEntry(text) as Entry, ledger, Number(time)));
        }, emptyLedger);

        const all = await Promise.all(
          machines.map(async (one) => inCommon(await one.log.read(), one)),
        );

        const reference = withOffset({ ...expected, latest: world.time });
        const { boot, ...common } = inCommon(reference, { skew: 0 } as Machine) as Ledger;
        for (const ledger of all) expect(clean(ledger)).toEqual(clean(common));
      }),
      trials(100),
    );
  });

  test('is the same for all after it was flushed, lost its last lines, or an answer of it was lost', async () => {
    const trouble = fc.constantFrom('flush', 'forget', 'lose', 'none', 'none', 'none', 'none');
    const steps = fc.array(fc.tuple(step, trouble), { maxLength: 150 });
    await fc.assert(
      fc.asyncProperty(skews, steps, async (skews, steps) => {
        const { world, engine, machines } = createFleet(skews);
        for (const [{ kind, machine, id, remaining, pass }, trouble] of steps) {
          const own = machines[machine] as Machine;
          engine.fault = trouble === 'lose' ? 'loses the answer' : undefined;
          if (trouble === 'flush') engine.flush();
          if (trouble === 'forget') engine.forget(3);
          await own.log.append(entryOf(kind, id, own, remaining)).catch(() => {});
          world.time += pass;
        }
        engine.fault = undefined;

        // Who knew more than others tells it.
        for (const { log } of machines) await again(log.read);
        const all = await Promise.all(
          machines.map(async (one) => inCommon(await one.log.read(), one)),
        );
        for (const ledger of all) expect(clean(ledger)).toEqual(clean(all[0]));
      }),
      trials(100),
    );
  });

  test('lets nothing leave before a told wait or a used-up window is over, however slow the way and wrong the clocks', async () => {
    const delays = fc.array(fc.nat(250), { minLength: 1, maxLength: 20 });
    const wait = fc.integer({ min: 1_000, max: 120_000 });
    await fc.assert(
      fc.asyncProperty(
        skews,
        skew,
        delays,
        wait,
        fc.boolean(),
        async (skews, engineSkew, delays, wait, used) => {
          let travelled = 0;
          const travel = () => {
            fleet.world.time += delays[travelled % delays.length] ?? 0;
            travelled += 1;
          };
          const fleet = createFleet(skews, engineSkew, travel);
          const [first, ...rest] = fleet.machines as [Machine, ...Machine[]];
          const refusedAt = fleet.world.time;
          const at = first.now();
          const reset = (Math.floor(at / 1_000) + Math.floor(wait / 2_000)) * 1_000 - first.skew;
          const date = Math.floor((at - first.skew) / 1_000) * 1_000;
          const window = { ...{ limit: 60, remaining: 0, reset, date }, sent: at, jitter: 0 };
          await first.log.append(
            used
              ? { k: 'answer', id: 'a', at, status: 200, ...window }
              : { k: 'refused', id: 'a', at, sent: at, jitter: 0, wait },
          );
          const end = used ? reset : refusedAt + wait;
          for (const machine of rest) {
            const ledger = await machine.log.read();
            // The earliest moment at which it would ask, by its own clock.
            const denied = decide(dropLeases(ledger, machine.now()), machine.now());
            const leaves = denied.granted ? machine.now() : denied.until;
            expect(leaves - machine.skew).toBeGreaterThanOrEqual(end);
          }
        },
      ),
      trials(200),
    );
  });

  test('grants a slot once, however many ask on their way together', async () => {
    const { machines, engine } = createFleet([0, 5_000, -5_000]);
    const asks = Array.from({ length: 12 }, (_, n) => {
      const machine = machines[n % 3] as Machine;
      return machine.log.append(entryOf('ask', `id-${n}`, machine, 60));
    });

    const granted = (await Promise.all(asks)).filter((ledger, n) => `id-${n}` in ledger.inFlight);

    // Nothing is known of the window: one finds out.
    expect(granted).toHaveLength(1);
    expect(engine.lines).toHaveLength(12);
  });

  test('has each line once, however many are on their way together', async () => {
    const { machines } = createFleet([0, 5_000, -5_000]);
    for (const { log } of machines) await log.read();
    const lines = Array.from({ length: 12 }, (_, n) => {
      const machine = machines[n % 3] as Machine;
      return machine.log.append(entryOf('answer', `id-${n}`, machine, 60 - n));
    });
    const told = (await Promise.all(lines)).map(({ counted }) => counted?.requests ?? 0);

    expect(Math.max(...told)).toBe(12);
    for (const { log } of machines) expect((await log.read()).counted?.requests).toBe(12);
  });

  test('has each line once also when it was flushed while they were on their way', async () => {
    const { machines, engine } = createFleet([0, 5_000]);
    const [one, other] = machines as [Machine, Machine];
    const at = one.now();
    await one.log.append({ k: 'refused', id: 'r', at, sent: at, jitter: 0, wait: 30_000 });
    engine.flush();
    await other.log.read();
    const before = engine.lines.length;

    const ids = Array.from({ length: 6 }, (_, n) => `id-${n}`);
    await Promise.all(ids.map((id) => again(() => one.log.append(entryOf('unsent', id, one, 60)))));

    const added = engine.lines.slice(before).map((line) => JSON.parse(line.slice(14)).id);
    expect(added.filter(Boolean).sort()).toEqual(ids);
    expect((await other.log.read()).block).toBeDefined();
  });

  test('is short for who comes new: a base and no more than a few lines', async () => {
    const { machines, engine, world } = createFleet([0, 0]);
    const [busy, late] = machines as [Machine, Machine];
    for (let n = 0; n < 500; n += 1) {
      await busy.log.append(entryOf('ask', `${n}`, busy, 60));
      await busy.log.append(entryOf('unsent', `${n}`, busy, 60));
      world.time += 1;
    }
    let most = 0;
    const engineOfLate = engine.open();
    const counting = createStoreLog(
      {
        ...engineOfLate,
        async run(...call) {
          const reply = (await engineOfLate.run(...call)) as string[];
          most = Math.max(most, reply.length);
          return reply;
        },
      },
      'petstore:lim:x',
      { now: late.now, uptime: late.now, boot: 'b', owner: late.owner },
    );

    expect(inCommon(await counting.read(), late)).toEqual(inCommon(await busy.log.read(), busy));
    expect(most).toBeLessThan(80);
  });

  test.for(['flushed', 'overtaken by a replica'])(
    'keeps a wait that anybody knows of when it was %s, whoever comes first',
    async (what) => {
      const { machines, engine, world } = createFleet([0, 3_600_000, -5_000]);
      const [one, other, late] = machines as [Machine, Machine, Machine];
      await other.log.append(entryOf('answer', 'a', other, 50));
      const at = one.now();
      await one.log.append({ k: 'refused', id: 'b', at, sent: at, jitter: 0, wait: 30_000 });
      world.time += 1_000;
      if (what === 'flushed') engine.flush();
      else engine.forget(1);
      expect((await late.log.read()).block).toBe(undefined);

      await again(one.log.read);

      for (const machine of machines) {
        const { block } = await again(machine.log.read);
        expect((block?.until ?? 0) - machine.skew).toBe(startTime + 31_000);
      }
    },
  );

  test('says that it was lost to who knew it, and adds nothing then', async () => {
    const { machines, engine } = createFleet([0, 0]);
    const [one, other] = machines as [Machine, Machine];
    for (const { log } of machines) await log.append(entryOf('answer', 'a', one, 50));
    engine.flush();
    const before = engine.lines.length;

    const asked = await Promise.allSettled(
      ['b', 'c'].map((id) => one.log.append(entryOf('ask', id, one, 50))),
    );

    for (const { status } of asked) expect(status).toBe('rejected');
    expect(engine.lines).toHaveLength(before);
    await one.log.read();
    await expect(other.log.append(entryOf('ask', 'd', other, 50))).rejects.toThrow(LostLog);
    expect(engine.lines).toHaveLength(before);
  });

  test('is not lost when it ran out: nobody wrote for 25 hours', async () => {
    const { machines, world } = createFleet([0]);
    const [one] = machines as [Machine];
    await one.log.append(entryOf('answer', 'a', one, 50));
    world.time += 25 * 3_600_000;

    expect((await one.log.read()).minute?.remaining).toBe(50);
  });

  test('is kept for as long as the wait that it tells of, whoever writes to it in between', async () => {
    const { machines, world } = createFleet([0, 0, 0]);
    const [one, other, late] = machines as [Machine, Machine, Machine];
    const week = 7 * 86_400_000;
    await other.log.read();
    const at = one.now();
    await one.log.append({ k: 'refused', id: 'a', at, sent: at, jitter: 0, wait: week });
    // This one does not know of it yet.
    await other.log.append(entryOf('ask', 'b', other, 60));
    world.time += week - 60_000;

    const { block } = await late.log.read();

    expect(block?.until).toBe(at + week + 1_000);
  });

  test('moves all waits along when the clock of the engine is set back', async () => {
    const { machines, world } = createFleet([0, 0]);
    const [one, other] = machines as [Machine, Machine];
    const at = one.now();
    await one.log.append({ k: 'refused', id: 'a', at, sent: at, jitter: 0, wait: 30_000 });
    world.engineSkew = -3_600_000;

    for (const machine of [one, other]) {
      const { block } = await machine.log.read();
      expect((block?.until ?? 0) - startTime).toBe(31_000);
    }
    await other.log.append(entryOf('unsent', 'b', other, 0));
    expect(((await one.log.read()).block?.until ?? 0) - startTime).toBe(31_000);
  });

  test('hears nothing of the time from a machine that was told none', async () => {
    const { machines, world } = createFleet([3_600_000, 0]);
    const [wrong] = machines as [Machine];
    const reset = world.time + 60_000;
    const minute = { limit: 60, remaining: 0, reset, expected: 0, told: true };
    const ledger = { inFlight: {}, refusals: 0, minute, latest: wrong.now() };
    await wrong.log.append({ k: 'heard', at: wrong.now(), jitter: 0, ledger });

    for (const machine of machines) {
      const denied = decide(await machine.log.read(), machine.now());
      expect(denied).toMatchObject({ granted: false, until: reset + 1_000 + machine.skew });
    }
  });

  test('passes over garbage, and what no version of ours has written', async () => {
    const { machines, engine } = createFleet([0]);
    const [{ log }] = machines as [Machine];
    await log.read();
    const intruder = engine.open();
    const { storeScript } = await import('../../../../src/pacing/store/script.ts');
    for (const line of [
      '',
      'x',
      '{"k":"nobody"}',
      '{"k":"ledger","ledger":{"inFlight":{},"refusals":9}}',
    ]) {
      const [, epoch = '', , position = ''] = (await intruder.run(storeScript, 'petstore:lim:x', [
        ...['', '0', '', '', '', '', ''],
      ])) as string[];
      await intruder.run(storeScript, 'petstore:lim:x', [epoch, position, '', line, '', '', '']);
    }

    expect(await log.read()).toMatchObject({ inFlight: {}, refusals: 0 });
  });

  test('passes over a line that does not say when it came', async () => {
    const line = '{"k":"refused","id":"x","at":0,"sent":0,"jitter":0.5,"wait":9000}';
    const reply = [String(startTime), 'e', '0', '0', 'known', `soon ${line}`];
    const engine = { ...createMemoryEngine(() => 0).open(), run: async () => reply };
    const [{ now, owner }] = createFleet([0]).machines as [Machine];
    const context = { now, uptime: now, boot: 'b', owner };

    const ledger = await createStoreLog(engine, 'petstore:lim:x', context).read();

    expect(ledger).toMatchObject({ inFlight: {}, refusals: 0 });
    expect(ledger.latest).toBe(startTime);
  });

  test('knows a process of its own machine, and takes one of the same name elsewhere for another’s', async () => {
    const { machines } = createFleet([0, 0]);
    const [one, other] = machines as [Machine, Machine];
    await one.log.append(entryOf('ask', 'a', one, 60));

    expect((await one.log.read()).inFlight.a?.owner?.host).toBe('same-name');
    expect((await other.log.read()).inFlight.a?.owner?.host).not.toBe('same-name');
  });
});

test('its name is the same on all machines, differs with address and key, and tells neither', () => {
  const name = nameInStore('https://a.example/v1', 'key-one-0123456789');

  expect(name).toMatch(/^petstore:lim:[0-9a-f]{32}$/);
  expect(name).toBe(nameInStore('https://a.example/v1', 'key-one-0123456789'));
  expect(name).not.toBe(nameInStore('https://b.example/v1', 'key-one-0123456789'));
  expect(name).not.toBe(nameInStore('https://a.example/v1', 'key-two-0123456789'));
});

/** Without what is there and undefined. */
function clean(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
