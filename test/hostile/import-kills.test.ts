import { join } from 'node:path';
import fc from 'fast-check';
import { describe } from 'vitest';
import { category } from '../support/categories.ts';
import { faultySend } from '../support/faulty.ts';
import { put } from '../support/import-cases.ts';
import { createMortal, type Fate } from '../support/mortal.ts';
import { expect, test } from '../support/petstore.ts';
import { createRandom } from '../support/random.ts';
import { trials } from '../support/trials.ts';
import { interrupted } from '../support/values.ts';

const pets = [
  ...['dog,Barks', 'dog,Barks', 'dog,', 'cat,', 'emu,Runs', 'fox,', 'owl,', 'yak,', 'ant,', 'bee,'],
  ...['cow,', 'elk,', 'hen,', 'pig,', 'rat,'],
];
/** Shares names with them. */
const others = [...pets.slice(3, 6), ...pets.slice(12), 'gnu,'];
const newNames = (contents: readonly string[]) =>
  [...new Set(contents)].filter((content) => !content.startsWith('dog'));

const eachRow = ['--allow-duplicates'];
const rarely = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: 3 }, { arbitrary: value, weight: 1 });

/** How the processes of a start end: each by itself, unless it is killed, is interrupted or finds the disk full before. */
const start = fc.record({
  file: fc.nat({ max: 1 }),
  fates: fc.array(
    fc.record({
      diesAt: fc.nat({ max: 60 }),
      // It may take 300 ms more (faulty.ts), and --settle is 500.
      arrivesAfter: fc.option(fc.nat({ max: 150 }), { nil: undefined }),
      fullAt: rarely(fc.nat({ max: 40 })),
      interruptedAt: rarely(fc.nat({ max: 5_000 })),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  kept: fc.double({ min: 0, max: 1, noNaN: true }),
  garbage: fc.constantFrom('', '{"row":1', '{"row":1}\n', '\0\0\0\0\n', 'x\n'),
});
const schedule = fc.record({
  seed: fc.integer(),
  /** How much of the traffic is broken. */
  part: fc.constantFrom(0, 0.08, 0.3),
  creates: fc.constantFrom(2, 5, 1e6),
  starts: fc.array(start, { maxLength: 6 }),
});

describe('an import that is killed at any step, on a service that breaks requests in any way', () => {
  test.for<[what: string, flags: string[], crowd: number, files: string[][], expected: string[]]>([
    ['each row', eachRow, 1, [pets], pets],
    ['each row, three processes at once', eachRow, 3, [pets], pets],
    ['each name', [], 1, [pets], newNames(pets)],
    ['each name, three processes at once', [], 3, [pets], newNames(pets)],
    ['each name of two files', [], 3, [pets, others], newNames([...pets, ...others])],
  ])(
    'creates %s exactly once in the end',
    { timeout: 600_000 },
    async ([, flags, crowd, files, expected], { petstore, sandbox, folder, clock, forward }) => {
      const forever = new AbortController().signal;
      let [runs, pid] = [0, 0];

      await fc.assert(
        fc.asyncProperty(schedule, async ({ seed, part, creates, starts }) => {
          runs += 1;
          // The list that each run begins with counts too.
          const minute = { limit: creates + 1, length: 1_000 };
          sandbox.plan = { minute, day: { limit: 1e9, length: 9e8 } };
          sandbox.categories.length = 0;
          sandbox.categories.push(category('5', 'dog', 'Barks'));
          sandbox.lastId = 2n ** 53n;
          const env = { PETSTORE_STATE_DIR: join(folder, `state-${runs}`) };
          const paths = files.map((rows, n) =>
            put(folder, ['name,description', ...rows].join('\n'), `${n}.csv`),
          );
          const send = faultySend(forward, clock, createRandom(seed), part);
          const alive = new Set<number>();

          const runOnce = async (path = '', fate: Fate, interruptedAt?: number) => {
            pid += 1;
            const owner = { pid, host: 'here' };
            const { context, death } = createMortal(clock, send, fate);
            const ctrlC = new AbortController();
            if (interruptedAt !== undefined) {
              void clock.sleep(interruptedAt, forever).then(() => ctrlC.abort(interrupted(130)));
            }
            alive.add(pid);
            const isRunning = (of: { pid: number }) => alive.has(of.pid);
            const argv = ['categories', 'import', path, ...flags, '--yes', '--settle', '500ms'];
            const run = petstore([...argv, '--json', '--max-wait', 'inf'], {
              env,
              signal: ctrlC.signal,
              context: { ...context, owner, isRunning, random: createRandom(seed + pid) },
            });
            const ended = await Promise.race([run, death]);
            alive.delete(owner.pid);
            if (ended === 'dead') return -1;
            expect([0, 5, 6, 7, 74, 130], ended.stderr).toContain(ended.exitCode);
            return ended.exitCode;
          };

          for (const { file, fates, kept, garbage } of starts) {
            const path = paths[file % paths.length];
            const doomed = fates.slice(0, crowd);
            // A power cut would end all of them at once.
            const cut = doomed.length > 1 ? { kept: 1, garbage: '' } : { kept, garbage };
            await Promise.all(
              doomed.map(({ interruptedAt, ...fate }) =>
                runOnce(path, { ...fate, ...cut }, interruptedAt),
              ),
            );
          }
          for (const path of paths) {
            let exitCode = -1;
            for (let n = 0; n < 60 && exitCode !== 0; n += 1) exitCode = await runOnce(path, {});
            expect(exitCode).toBe(0);
          }
          await clock.sleep(1_000, forever);

          const made = sandbox.categories
            .slice(1)
            .map(({ name, description = '' }) => `${name},${description}`);
          expect(made.sort()).toEqual([...expected].sort());
        }),
        trials(60),
      );
    },
  );
});
