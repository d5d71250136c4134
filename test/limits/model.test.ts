import fc from 'fast-check';
import { expect } from '../support/petstore.ts';
import { trials } from '../support/trials.ts';
import { createPets, sentTooEarly, test } from './crowd.ts';
import { createLimiter, type DrawnLimiter, limiters } from './limiters.ts';

const crowds = fc.record({
  seed: fc.integer(),
  processes: fc.integer({ min: 1, max: 6 }),
  commandsEach: fc.integer({ min: 1, max: 5 }),
  latency: fc.constantFrom(0, 40, 900),
});
const list = ['categories', 'list', '--max-wait', 'inf', '--json'];

test('a crowd gets along with any limiter', { timeout: 1_800_000 }, async ({
  openCrowd,
  sandbox,
}) => {
  await fc.assert(
    fc.asyncProperty(limiters, crowds, async (limiter, crowd) => {
      const { processes, commandsEach } = crowd;
      const { requests, run } = await openCrowd({ ...crowd, service: createLimiter(limiter) });

      const ends = await run(createPets(processes, commandsEach).map((loop) => [list, ...loop]));

      const names = sandbox.categories.map(({ name }) => name);
      const refused = requests.filter(({ isRefused }) => isRefused);
      const windows = Math.ceil(ends.length / limiter.limit);
      expect(ends.filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
      expect(sentTooEarly(requests)).toEqual([]);
      expect(names).toHaveLength(processes * commandsEach);
      expect(new Set(names).size).toBe(names.length);
      expect(refused.length).toBeLessThanOrEqual(maxRefused(limiter, windows));
      expect(requests.at(-1)?.sentAt).toBeLessThan(maxSpan(limiter, windows));
    }),
    { ...trials(200), endOnFailure: true },
  );
});

/** Headers that tell the truth cost no 429; those of a counter that slides only foretell when some of it is free again. */
function maxRefused({ counts, ...limiter }: DrawnLimiter, windows: number): number {
  if (!isTruthful(limiter)) return 4 * windows + 3;
  return counts === 'counter' ? windows + 2 : 0;
}

function maxSpan({ length, ...limiter }: DrawnLimiter, windows: number): number {
  // After too many 429s in a row nothing is sent for five minutes.
  return 2 * windows * (length + 3_000) + (isTruthful(limiter) ? 60_000 : 400_000);
}

function isTruthful({ tells }: Pick<DrawnLimiter, 'tells'>): boolean {
  return tells !== 'nothing' && tells !== 'too much';
}
