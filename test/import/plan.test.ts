import { describe } from 'vitest';
import { startTime } from '../support/clock.ts';
import { methods, pets, test } from '../support/import-cases.ts';
import { expect } from '../support/petstore.ts';
import { category } from '../support/values.ts';

type Content = readonly [name: string, description?: string];
type Row = { readonly change: string; readonly id?: number };

const preview = ['--dry-run', '--json'];

describe('the plan that --dry-run shows', () => {
  test.for<[what: string, rows: Content[], existing: Content[], plan: string[]]>([
    ['new names', [['dog'], ['cat']], [], ['create', 'create']],
    ['a listed name', [['dog']], [['dog', 'Barks']], ['existing 1']],
    ['an empty description', [['dog', '']], [['dog']], ['existing 1']],
    ['a listed name and description', [['dog', 'Barks']], [['dog', 'Barks']], ['existing 1']],
    ['another description', [['dog', 'Bites']], [['dog', 'Barks']], ['differs 1']],
    ['one of two', [['dog', 'Bites']], [['dog'], ['dog', 'Bites']], ['existing 2']],
    ['one name twice', [['dog'], ['dog', 'Barks'], ['cat']], [], ['create', 'repeated', 'create']],
    ['names of JavaScript', [['__proto__'], ['constructor']], [], ['create', 'create']],
    ['another case', [['Dog']], [['dog']], ['similar']],
    ['another composition', [['lie\u0300vre']], [['li\u00e8vre']], ['similar']],
    ['earlier rows', [['Dog'], ['dog'], ['Dog']], [], ['create', 'similar', 'repeated']],
    ['rows that exist', [['Dog'], ['dog']], [['dog'], ['Dog']], ['existing 2', 'existing 1']],
  ])('%s', async ([, rows, existing, plan], { importText, sandbox }) => {
    for (const [n, [name, description]] of existing.entries()) {
      sandbox.categories.push(category(`${n + 1}`, name, description));
    }
    const lines = rows.map(([name, description]) => JSON.stringify({ name, description }));

    const { exitCode, json } = await importText(lines.join('\n'), [
      '--format',
      'ndjson',
      ...preview,
    ]);

    const shown = ({ change, id }: Row) => (id ? `${change} ${id}` : change);
    expect([exitCode, json.map(shown)]).toEqual([0, plan]);
    expect(methods(sandbox)).toBe('GET');
  });
});

describe('the forecast that --dry-run shows', () => {
  test('counts what is left of minute and day', async ({ petstore, importText, sandbox }) => {
    sandbox.plan = { minute: { limit: 10, length: 60_000 }, day: { limit: 20, length: 9e7 } };
    await petstore('config set plan 10/min,20/day');
    for (let n = 0; n < 8; n += 1) await petstore('categories list');

    const { stderr } = await importText(pets(8), ['--dry-run']);

    expect(stderr).toContain('petstore: 10 requests: about 1m at 10 per minute\n');
  });

  const unknown = (plan: string) => `the daily limit is unknown (petstore config set plan ${plan}`;
  type Told = { usedToday?: number; perMinute?: number };
  test.for<[rows: number, plan: string, says: string, told?: Told, flags?: string[]]>([
    [898, '', '900 requests: about 15m at 60 per minute'],
    [899, '', `901 requests: about 15m at 60 per minute; ${unknown('free')})`],
    [
      900,
      '',
      `902 requests: about 15m at 60 per minute; ${unknown('free')} -p s)`,
      {},
      ['-p', 'staging'],
    ],
    [
      1_000,
      '',
      `1,002 requests: about 3m at 300 per minute; ${unknown('pro')})`,
      { perMinute: 300 },
    ],
    [
      1_000,
      '',
      `1,002 requests: about 1m at 1,000 per minute; ${unknown('business')})`,
      { perMinute: 1_000 },
    ],
    [
      1_000,
      '',
      '1,002 requests: about 2m at 500 per minute; the daily limit is unknown',
      { perMinute: 500 },
    ],
    [498, 'free', '500 requests: about 8m at 60 per minute'],
    [498, 'business', '500 requests: about 8m at 60 per minute'],
    [2_433, 'free', '2,435 requests: about 2d at 60 per minute and 1,000 per day'],
    [18, 'free', '20 requests: about 23h at 60 per minute and 1,000 per day', { usedToday: 998 }],
    [19_000, 'pro', '19,002 requests: about 26h 33m at 60 per minute and 10,000 per day'],
  ])('says of %i rows on plan "%s"', async (row, { petstore, importText, sandbox }) => {
    const [rows, plan, says, { usedToday = 0, perMinute = 60 } = {}, flags = []] = row;
    if (plan) await petstore(`config set plan ${plan}`);
    Object.assign(sandbox.quota.day, { openedAt: startTime - 3_600_000, used: usedToday });
    sandbox.plan = { ...sandbox.plan, minute: { ...sandbox.plan.minute, limit: perMinute } };
    await petstore(['categories', 'list', ...flags]);

    const { stderr } = await importText(pets(rows), ['--dry-run', ...flags]);

    const forecast = stderr.split('\n').find((line) => line.includes(' requests: '));
    expect(forecast?.replace('--profile staging', '-p s')).toBe(`petstore: ${says}`);
  });
});
