import { join } from 'node:path';
import fc from 'fast-check';
import { describe } from 'vitest';
import { category } from '../support/categories.ts';
import { faultySend } from '../support/faulty.ts';
import { put } from '../support/import-cases.ts';
import { createMortal } from '../support/mortal.ts';
import { expect, test } from '../support/petstore.ts';
import { createRandom } from '../support/random.ts';

const schedule = fc.record({
  seed: fc.integer(),
  /** How much of the traffic is broken. */
  part: fc.constantFrom(0, 0.08, 0.3),
  deaths: fc.array(
    fc.record({
      diesAt: fc.nat({ max: 40 }),
      kept: fc.double({ min: 0, max: 1, noNaN: true }),
      garbage: fc.constantFrom('', '{"row":1', '{"row":1}\n', '\0\0\0\0\n', 'x\n'),
    }),
    { maxLength: 6 },
  ),
});

const contents = [
  ...['dog,Barks', 'dog,Barks', 'dog,', 'cat,', 'emu,Runs', 'fox,', 'owl,', 'yak,', 'ant,', 'bee,'],
  ...['cow,', 'elk,', 'hen,', 'pig,', 'rat,'],
];

describe('an import that is killed at any step, on a service that breaks requests in any way', () => {
  test.for([
    { mode: 'each row', flags: ['--allow-duplicates'], expected: contents },
    {
      mode: 'each name',
      flags: [],
      expected: contents.filter((content) => !content.startsWith('dog')),
    },
  ])(
    'creates $mode exactly once in the end',
    async ({ flags, expected }, { petstore, sandbox, folder, clock, forward }) => {
      sandbox.plan = { minute: { limit: 1e6, length: 60_000 }, day: { limit: 1e9, length: 9e9 } };
      const signal = new AbortController().signal;
      let runs = 0;

      await fc.assert(
        fc.asyncProperty(schedule, async ({ seed, part, deaths }) => {
          runs += 1;
          sandbox.categories.length = 0;
          sandbox.categories.push(category('5', 'dog', 'Barks'));
          sandbox.lastId = 2n ** 53n;
          const path = put(folder, ['name,description', ...contents].join('\n'));
          const env = { PETSTORE_STATE_DIR: join(folder, `state-${runs}`) };
          const argv = ['categories', 'import', path, ...flags, '--yes', '--settle', '500ms'];
          const send = faultySend(forward, clock, createRandom(seed), part);
          const alive = new Set<number>();

          const runOnce = async (pid: number, fate: Parameters<typeof createMortal>[2]) => {
            const { context, death } = createMortal(clock, send, fate);
            alive.add(pid);
            const owner = { pid, host: 'here' };
            const isRunning = (of: { pid: number }) => alive.has(of.pid);
            const run = petstore([...argv, '--json', '--max-wait', 'inf'], {
              env,
              context: { ...context, owner, isRunning, random: createRandom(seed + pid) },
            });
            const ended = await Promise.race([run, death]);
            alive.delete(pid);
            return ended;
          };

          for (const [n, fate] of deaths.entries()) await runOnce(n + 1, fate);
          const never = { diesAt: undefined, kept: 1, garbage: '' };
          let exitCode = -1;
          for (let n = 0; n < 60 && exitCode !== 0; n += 1) {
            const ended = await runOnce(100 + n, never);
            exitCode = ended === 'dead' ? -1 : ended.exitCode;
            if (![0, 5, 6, 7].includes(exitCode)) throw new Error(`exit ${exitCode}`);
          }
          await clock.sleep(1_000, signal);

          expect(exitCode).toBe(0);
          const made = sandbox.categories
            .slice(1)
            .map(({ name, description = '' }) => `${name},${description}`);
          expect(made.sort()).toEqual([...expected].sort());
        }),
        { numRuns: 100 },
      );
    },
  );
});
