import { describe } from 'vitest';
import { category } from '../support/categories.ts';
import { startTime } from '../support/clock.ts';
import { methods, pets, put, test, three } from '../support/import-cases.ts';
import { expect, reply } from '../support/petstore.ts';

type Content = readonly [name: string, description?: string];

type Item = { readonly intention: string; readonly id?: number };

const preview = ['--dry-run', '--json'];

describe('the plan that --dry-run shows', () => {
  test.for<[what: string, rows: Content[], existing: Content[], plan: string[]]>([
    ['new names', [['dog'], ['cat']], [], ['create', 'create']],
    ['a listed name', [['dog']], [['dog', 'Barks']], ['existing 1']],
    ['a listed name and description', [['dog', 'Barks']], [['dog', 'Barks']], ['existing 1']],
    ['another description', [['dog', 'Bites']], [['dog', 'Barks']], ['differs 1']],
    ['one of two', [['dog', 'Bites']], [['dog'], ['dog', 'Bites']], ['existing 2']],
    ['one name twice', [['dog'], ['dog', 'Barks'], ['cat']], [], ['create', 'repeated', 'create']],
    ['names of JavaScript', [['__proto__'], ['constructor']], [], ['create', 'create']],
    ['another case', [['Dog']], [['dog']], ['similar']],
    ['outer spaces', [[' dog ']], [['dog']], ['similar']],
    ['inner spaces', [['pine  marten']], [['pine marten']], ['similar']],
    ['another composition', [['lie\u0300vre']], [['li\u00e8vre']], ['similar']],
    ['a hidden character', [['do\u200bg']], [['dog']], ['similar']],
    [
      'an earlier row',
      [['Dog'], ['cat'], ['dog'], ['Dog']],
      [],
      ['create', 'create', 'similar', 'repeated'],
    ],
    ['rows that exist', [['Dog'], ['dog']], [['dog'], ['Dog']], ['existing 2', 'existing 1']],
  ])('%s', async ([, rows, existing, plan], { petstore, sandbox, folder }) => {
    for (const [n, [name, description]] of existing.entries()) {
      sandbox.categories.push(category(`${n + 1}`, name, description));
    }
    const lines = rows.map(([name, description]) => JSON.stringify({ name, description }));
    const file = put(folder, lines.join('\n'), 'pets.ndjson');

    const { exitCode, stdout } = await petstore(['categories', 'import', file, ...preview]);

    const { items, counts } = JSON.parse(stdout);
    const shown = items.map(({ intention, id }: Item) => (id ? `${intention} ${id}` : intention));
    expect(exitCode).toBe(0);
    expect(shown).toEqual(plan);
    for (const kind of Object.keys(counts)) {
      expect(counts[kind], kind).toBe(plan.filter((what) => what.startsWith(kind)).length);
    }
    expect(methods(sandbox)).toBe('GET');
  });
});

describe('the forecast that --dry-run shows', () => {
  test('counts what is left of minute and day', async ({ petstore, importText, sandbox }) => {
    sandbox.plan = { minute: { limit: 10, length: 60_000 }, day: { limit: 20, length: 9e7 } };
    await petstore(['config', 'set', 'plan', '10/min,20/day']);
    for (let n = 0; n < 8; n += 1) await petstore(['categories', 'list']);

    const { stdout } = await importText(pets(8), preview);

    expect(Math.round(JSON.parse(stdout).forecastMs / 60_000)).toBe(1);
  });

  const unknown = 'the daily limit is unknown (petstore config set plan free';
  test.for<[rows: number, plan: string, says: string, usedToday?: number, flags?: string[]]>([
    [898, '', '900 requests: about 15m at 60 per minute'],
    [899, '', `901 requests: about 15m at 60 per minute; ${unknown})`],
    [900, '', `902 requests: about 15m at 60 per minute; ${unknown} -p s)`, 0, ['-p', 'staging']],
    [498, 'free', '500 requests: about 8m at 60 per minute'],
    [498, 'business', '500 requests: about 8m at 60 per minute'],
    [2_433, 'free', '2,435 requests: about 2d at 60 per minute and 1,000 per day'],
    [18, 'free', '20 requests: about 23h on Free', 998],
    [19_000, 'pro', '19,002 requests: about 26h 33m at 60 per minute and 10,000 per day'],
  ])('says of %i rows on plan "%s"', async (row, { petstore, importText, sandbox }) => {
    const [rows, plan, says, used = 0, flags = []] = row;
    if (plan) await petstore(['config', 'set', 'plan', plan]);
    Object.assign(sandbox.quota.day, { openedAt: startTime - 3_600_000, used });
    await petstore(['categories', 'list', ...flags]);

    const { stderr } = await importText(pets(rows), ['--dry-run', ...flags]);

    const forecast = stderr.split('\n').find((line) => line.includes(' requests: '));
    expect(forecast?.replace('--profile staging', '-p s')).toBe(`petstore: ${says}`);
  });

  test.for([
    ['', '5 requests: less than a minute at 60 per minute'],
    ['pro', '5 requests: less than a minute on Pro'],
  ])(
    'names a plan only if no response tells a limit: %s',
    async (row, { petstore, importText, sandbox }) => {
      const [plan, says] = row;
      if (plan) await petstore(['config', 'set', 'plan', plan]);
      sandbox.react = () => reply(200, '[]');

      const { stderr } = await importText(three, ['--dry-run']);

      expect(stderr).toMatch(
        new RegExp(
          `^petstore: 3 to create\npetstore: ${says}\npetstore: to see the names: petstore categories diff '.*pets.csv'\n$`,
        ),
      );
    },
  );
});
