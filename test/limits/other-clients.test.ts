import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTime } from '../support/clock.ts';
import { expect, test } from '../support/petstore.ts';
import { createRandom } from '../support/random.ts';
import { stories } from '../support/story.ts';
import { never } from '../support/told.ts';
import { plans } from '../support/values.ts';

test('state folders that use one key and know nothing of each other get no 429, and waste no window', async ({
  petstore,
  sandbox,
  clock,
  folder,
}) => {
  const [folders, rows] = [3, 38];
  const random = createRandom(folders);
  sandbox.plan = plans.free;
  sandbox.connect = () => clock.sleep(5 + random() * 50, never);

  const ends = await Promise.all(
    Array.from({ length: folders }, (_, n) => {
      const file = join(folder, `${n}.csv`);
      const names = Array.from({ length: rows }, (_, row) => `pet ${n} ${row}`);
      writeFileSync(file, ['name', ...names].join('\n'));
      const env = { PETSTORE_STATE_DIR: join(folder, `state-${n}`) };
      const argv = ['categories', 'import', file, '--yes', '--max-wait', 'inf'];
      return petstore(argv, { env, context: { random } });
    }),
  );

  // Two lists for each.
  const sent = folders * (rows + 2);
  expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
  expect(sandbox.categories).toHaveLength(folders * rows);
  expect(sandbox.requests).toHaveLength(sent);
  expect(clock.now() - startTime).toBeLessThan(Math.ceil(sent / 60) * 66_000);
});

const ownCounts = [
  ['nothing', '200', 3],
  ['a limit', 'limit 5', 5],
].map(
  ([what, answer, sent]) => `reports ${what}, the plan counts where no response names a limit
    config set plan 3/min,50/day
    each ${answer}
    ${'list!\n'.repeat(Number(sent))}list! => 75; sent 0
    limits => json {"items":[{"limit":${sent},"remaining":0,"source":"own count"},{"limit":50,"used":${sent}}]}`,
);

stories(
  'if a service',
  `
  ${ownCounts.join('\n\n')}

  reports nothing at all, sixty a minute count
    list < 200
    limits => json {"items":[{"limit":60,"remaining":59,"source":"own count"},{"used":1}]}
    file pets.csv name ant bee cat
    categories import pets.csv --dry-run < 200 => says 5 requests: less than a minute at 60 per minute

  reports nothing at all, a plan that is set counts
    config set plan pro
    file pets.csv name ant bee cat
    categories import pets.csv --dry-run < 200 => says 5 requests: less than a minute at 300 per minute

  reports no reset, a minute counts
    list! < limit 2
    list! < limit 2
    list! => 75; sent 0; until 60s

  reports only what is left, a minute counts
    list! < left 1
    list! < left 0
    list! => 75; sent 0; until 60s

  reports a reset that is past, a minute counts
    list! < left 1/100 for -3s
    list! < left 0/100 for -3s
    list! => 75; sent 0; until 60s
`,
);
