import { describe } from 'vitest';
import { startTime } from '../support/clock.ts';
import { atTerminal, creates, methods, pets, test, three } from '../support/import-cases.ts';
import { expect, reply } from '../support/petstore.ts';
import { category, exact } from '../support/values.ts';

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
    ['outer spaces', [[' dog ']], [['dog']], ['similar']],
    ['inner spaces', [['pine  marten']], [['pine marten']], ['similar']],
    ['another composition', [['lie\u0300vre']], [['li\u00e8vre']], ['similar']],
    ['a hidden character', [['do\u200bg']], [['dog']], ['similar']],
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

describe('a name that looks like another one, at a service that trims names', () => {
  const trimming = test.extend<{ trimming: undefined }>({
    trimming: [
      async ({ sandbox }, use) => {
        sandbox.categories.push({ id: exact('1'), name: 'dog' });
        sandbox.react = ({ method, body = '{}' }) => {
          if (method !== 'POST') return undefined;
          const id = sandbox.categories.length + 1;
          const name = JSON.parse(body).name.trim();
          sandbox.categories.push({ id: exact(String(id)), name });
          return reply(201, { id, name });
        };
        await use(undefined);
      },
      { auto: true },
    ],
  });

  trimming('is refused night after night, and never created', async ({ importText, sandbox }) => {
    for (const other of ['line 3', 'which already exists']) {
      const { exitCode, json, events } = await importText('name\n"dog "\nOtter\notter\n');

      expect(exitCode).toBe(7);
      expect(json.items).toMatchObject([
        { outcome: 'refused', message: 'similar to "dog", which already exists' },
        { name: 'Otter' },
        { outcome: 'refused', message: `similar to "Otter", ${other}` },
      ]);
      expect(events().at(-1)).toMatchObject({
        kind: 'partial',
        message: '2 rows refused (2 similar to another name)',
        hint: expect.stringContaining('categories create NAME'),
      });
    }
    expect(creates(sandbox)).toEqual(['Otter']);
  });

  trimming(
    'is refused after a yes, too, and no part of the question',
    async ({ importText, sandbox }) => {
      const questions: string[] = [];
      const yes = async (question: string) => questions.push(question) > 0;
      const text = 'name\n"dog "\ncat\nCat\n" emu"\n';

      const { exitCode, stderr } = await importText(text, ['-o', 'yaml'], atTerminal(yes));
      const again = await importText(text);

      expect(questions).toEqual(['Create 2 categories on production (http://127.0.0.1:4010/v1)?']);
      expect([exitCode, creates(sandbox).sort()]).toEqual([7, [' emu', 'cat']]);
      expect(stderr).toContain('petstore: 2 to create on production, 2 similar to another name\n');
      expect(stderr.replaceAll('\n  ', ' ')).toContain(
        'line 5 (" emu"): the service changed the name to "emu"',
      );
      expect(again.json).toMatchObject({
        counts: { existing: 2, refused: 2 },
        items: [{}, {}, {}, { as: 'emu' }],
      });
    },
  );
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
    [18, 'free', '20 requests: about 23h on Free', { usedToday: 998 }],
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

  test.for([
    ['', 'less than a minute at 60 per minute'],
    ['pro', 'less than a minute on Pro'],
  ])(
    'names plan "%s" only if no response tells a limit',
    async (row, { petstore, importText, sandbox }) => {
      const [plan, says] = row;
      if (plan) await petstore(`config set plan ${plan}`);
      sandbox.react = () => reply(200, '[]');

      const { stderr } = await importText(three, ['--dry-run']);

      expect(stderr).toMatch(
        new RegExp(`^petstore: 3 to create\npetstore: 5 requests: ${says}\n$`),
      );
    },
  );
});
