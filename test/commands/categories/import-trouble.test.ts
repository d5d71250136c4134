import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe } from 'vitest';
import {
  apply,
  countsOf,
  creates,
  cutAfter,
  cutBefore,
  everyRow,
  journals,
  namesIn,
  pets,
  reactTo,
  test,
  three,
} from '../../support/import-cases.ts';
import { expect, networkError, type Reaction, reply, testKey } from '../../support/petstore.ts';
import { exact, interrupted, plans, type WireAnswer } from '../../support/values.ts';

const dogCatEmu = ['cat', 'dog', 'emu'];

describe('an import that meets trouble', () => {
  async function redirect(_: unknown, forward: () => Promise<WireAnswer>): Promise<WireAnswer> {
    for await (const _ of (await forward()).body);
    return { status: 302, headers: { location: '/v1/categories/2' }, body: Readable.from([]) };
  }

  test.for<[what: string, Reaction, error: string, created: number, absent: number]>([
    ['was created', cutAfter, '127.0.0.1:4010 closed the connection', 1, 0],
    ['was not', cutBefore, '127.0.0.1:4010 closed the connection', 0, 1],
    ['was created, and a redirect followed', redirect, 'the service redirects', 1, 0],
  ])('finds out after 60 s that a row %s', async (row, { importText, sandbox, clock }) => {
    const [, reaction, error, created, absent] = row;
    const start = clock.now();
    sandbox.react = reactTo('cat', reaction);

    const { exitCode, stderr } = await importText(three, ['--yes']);

    expect(exitCode).toBe(0);
    expect(stderr).toContain(`petstore: line 3 ("cat"): ${error}`);
    expect(stderr).toContain('It may have been created; not sent again, checking in 1m or later\n');
    expect(stderr).toContain(
      `petstore: checked: ${created} created, ${absent} not created, which will be sent again\n`,
    );
    expect(namesIn(sandbox)).toEqual(dogCatEmu);
    expect(creates(sandbox)).toHaveLength(3 + absent);
    expect(clock.now() - start).toBeGreaterThanOrEqual(60_000);
  });

  test('refuses a row of unknown outcome once only a similar name is listed, exit 7', async ({
    importText,
    sandbox,
  }) => {
    sandbox.react = reactTo('cat', async (request) => {
      request.onSent();
      sandbox.categories.push({ id: exact('99'), name: 'CAT' });
      throw networkError('ECONNRESET');
    });

    const { exitCode, stdout } = await importText(three);

    expect(exitCode).toBe(7);
    expect(countsOf(stdout)).toEqual({ created: 2, refused: 1 });
    expect(JSON.parse(stdout).items[1]).toMatchObject({
      outcome: 'refused',
      message: 'similar to "CAT", which already exists',
    });
    expect(creates(sandbox)).toHaveLength(3);
  });

  test('stops after three unknown outcomes in a row, when it has looked them up', async ({
    importText,
    sandbox,
  }) => {
    sandbox.react = ({ method }) => (method === 'POST' ? cutBefore : undefined);

    const { exitCode, stdout, events } = await importText(pets(50));

    expect(exitCode).toBe(7);
    expect(countsOf(stdout)).toEqual({ left: 50 });
    expect(events().at(-1)).toMatchObject({
      kind: 'partial',
      message: '50 rows left: the outcomes of three requests in a row are unknown',
      hint: 'Run the same command again to resume.',
    });
    expect(creates(sandbox).length).toBeLessThanOrEqual(8);
  });

  test('goes on where unknown outcomes do not come in a row', async ({ importText, sandbox }) => {
    let posts = 0;
    sandbox.react = ({ method }) => {
      if (method === 'POST') posts += 1;
      return method === 'POST' && posts % 4 === 0 ? cutAfter : undefined;
    };

    const { exitCode, stdout } = await importText(pets(24));

    expect(exitCode).toBe(0);
    expect(countsOf(stdout)).toEqual({ created: 24 });
    expect([posts, new Set(namesIn(sandbox)).size]).toEqual([24, 24]);
  });

  test('tries first what was never tried, so that rows which fail keep none from it', async ({
    importText,
    sandbox,
  }) => {
    const poison = ['pet 0', 'pet 1', 'pet 2'];
    sandbox.react = ({ body = '{}' }) =>
      poison.includes(JSON.parse(body).name) ? reply(500, '') : undefined;

    const codes = [(await importText(pets(30))).exitCode, (await importText(pets(30))).exitCode];

    expect(codes).toEqual([7, 7]);
    expect(sandbox.categories).toHaveLength(27);
  });

  test.for([
    ['each name', apply, { created: 1, existing: 2 }],
    ['each row', everyRow, { created: 1, created_before: 2 }],
  ] as const)(
    'goes on without the rows that the service refuses, exit 7: %s',
    async ([, flags, counts], { importText, sandbox }) => {
      const refusal = { code: 'no_cats', message: 'no cats', status: 422 };
      sandbox.react = reactTo('cat', reply(422, refusal));

      const first = await importText(three, flags);
      const second = await importText(three, flags);
      const third = await importText(three, flags);

      expect([first.exitCode, second.exitCode, third.exitCode]).toEqual([7, 0, 0]);
      expect(countsOf(first.stdout)).toEqual({ created: 2, refused: 1 });
      const { items } = JSON.parse(first.stdout);
      expect(items[1]).toMatchObject({ line: 3, outcome: 'refused', ...refusal });
      expect(first.events().at(-1)).toMatchObject({ kind: 'partial', message: '1 row refused' });
      expect(countsOf(second.stdout)).toEqual(counts);
      expect(namesIn(sandbox)).toEqual(dogCatEmu);
      expect(creates(sandbox)).toHaveLength(4);
    },
  );

  test.for([
    ['a refused key', reply(401, { code: 'gone', message: 'no', status: 401 }), 'the API key'],
    ['a redirect', reply(307, '', { location: '/v2' }), 'the service redirects to'],
    ['a name that has no address', networkError('ENOTFOUND'), 'cannot resolve host'],
  ] as const)(
    'stops at %s, exit 7, sends no more than what is on its way, and goes on later',
    async ([, reaction, says], { importText, sandbox }) => {
      sandbox.plan = plans.business;
      let isBroken = false;
      sandbox.react = ({ method, body = '{}' }) => {
        isBroken ||= JSON.parse(body).name === 'pet 9';
        if (method === 'GET' || !isBroken) return undefined;
        return reaction instanceof Response ? reaction.clone() : reaction;
      };

      const { exitCode, events } = await importText(pets(100));
      sandbox.react = () => undefined;
      const again = await importText(pets(100));

      expect([exitCode, again.exitCode]).toEqual([7, 0]);
      const last = events().at(-1);
      expect(last).toMatchObject({ kind: 'partial', exitCode: 7 });
      expect(last?.message).toMatch(/^\d\d rows left: /);
      expect(last?.message).toContain(says);
      if (says === 'the API key') expect(last).toMatchObject({ code: 'gone', status: 401 });
      expect(creates(sandbox).length).toBeLessThan(200);
      expect(new Set(namesIn(sandbox)).size).toBe(100);
      expect(sandbox.categories).toHaveLength(100);
    },
  );

  test('ends with the day, exit 75, and goes on the next one', async ({
    importText,
    sandbox,
    clock,
  }) => {
    sandbox.plan = { minute: { limit: 60, length: 60_000 }, day: { limit: 100, length: 600_000 } };

    const { exitCode, stdout, events } = await importText(pets(150));
    await clock.sleep(601_000, new AbortController().signal);
    const again = await importText(pets(150));

    expect([exitCode, again.exitCode]).toEqual([75, 0]);
    expect(countsOf(stdout)).toEqual({ created: 99, left: 51 });
    expect(events().at(-1)).toMatchObject({
      kind: 'rate_limited',
      message: '51 rows left: rate limit reached: 100 requests per day',
      hint: expect.stringMatching(/^Run the same command again at 2026-11-20T15:14:0[0-3]Z to /),
      resetAt: expect.stringMatching(/^2026-11-20T15:14:0[0-3]Z$/),
    });
    expect(sandbox.categories).toHaveLength(150);
    expect(sandbox.requests).toHaveLength(150 + 3);
  });

  test.for([
    ['the list fails', reply(503, '')],
    ['the key is refused', reply(401, '')],
  ] as const)(
    'still tells of unknown outcomes when %s at the beginning of the next run',
    async ([, reaction], { importText, sandbox }) => {
      sandbox.react = ({ method, body = '' }) => {
        if (method === 'GET') return sandbox.categories.length > 0 ? reaction.clone() : undefined;
        return JSON.parse(body).name === 'cat' ? cutBefore : undefined;
      };
      await importText(three);

      const { exitCode, stdout, events } = await importText(three);

      expect([exitCode, stdout]).toEqual([6, '']);
      expect(events().at(-1)).toMatchObject({
        kind: 'outcome_unknown',
        outcome: 'unknown',
        hint: expect.stringMatching(/ it checks the unknown rows first\.$/),
      });
    },
  );

  test('sends no more than what is on its way when it is interrupted, exit 130', async ({
    importText,
    sandbox,
  }) => {
    sandbox.plan = plans.business;
    const ctrlC = new AbortController();
    sandbox.react = reactTo('pet 9', async (_request, forward) => {
      ctrlC.abort(interrupted(130));
      return forward();
    });

    const result = await importText(pets(100), apply, { signal: ctrlC.signal });
    const sent = creates(sandbox).length;
    const again = await importText(pets(100));

    expect([result.exitCode, again.exitCode]).toEqual([130, 0]);
    expect(result.events().at(-1)).toMatchObject({ kind: 'interrupted', exitCode: 130 });
    expect(sent).toBeLessThan(50);
    expect(namesIn(sandbox)).toEqual(pets(100).split('\n').slice(1).sort());
  });

  test('ends the wait for a look when it is interrupted, and tells what is unknown', async ({
    importText,
    sandbox,
    clock,
  }) => {
    const ctrlC = new AbortController();
    sandbox.react = reactTo('cat', (request, forward) => {
      const end = () => ctrlC.abort(interrupted(130));
      void clock.sleep(5_000, ctrlC.signal).then(end);
      return cutAfter(request, forward);
    });

    const { stdout, events } = await importText(three, apply, { signal: ctrlC.signal });

    expect(countsOf(stdout)).toEqual({ created: 2, unknown: 1 });
    expect(events().at(-1)).toEqual({
      event: 'error',
      kind: 'interrupted',
      message: '1 row with unknown outcome: interrupted',
      hint: 'Run the same command again to resume; it checks the unknown rows first.',
      outcome: 'unknown',
      exitCode: 130,
    });
  });

  test('does not begin without a journal, exit 74', async ({ importText, sandbox, folder }) => {
    writeFileSync(join(folder, 'state'), 'a file where a folder belongs');

    expect(await importText(three)).toMatchObject({ exitCode: 74, stdout: '' });
    expect(sandbox.requests).toHaveLength(0);
  });

  test.for([401, 422])(
    'with --allow-duplicates refuses such a file until the import is finished that a %i left',
    async (status, { importText, sandbox, folder }) => {
      sandbox.react = reactTo('emu', reply(status, ''));
      await importText(three, everyRow);
      sandbox.requests.length = 0;

      const refused = await importText(`${three}fox,\n`, everyRow);
      const sent = sandbox.requests.length;
      const [journal] = journals(folder);
      const finished = await importText(three, everyRow);
      const changed = await importText(`${three}fox,\n`, everyRow);

      expect([refused.exitCode, refused.stdout, sent]).toEqual([2, '', 0]);
      expect(refused.events()).toMatchObject([
        {
          message:
            'the file has changed since its import was started at 2026-11-20T15:04:00Z: 2 of 3 rows created',
          hint: expect.stringContaining(`rm '${journal}'`),
          outcome: 'not_sent',
        },
      ]);
      expect(countsOf(finished.stdout)).toEqual({ created: 1, created_before: 2 });
      expect(countsOf(changed.stdout)).toEqual({ created: 4 });
    },
  );

  test.for([
    ['each name', apply, everyRow, { created: 3 }, ['cat', 'cat', 'dog', 'dog', 'emu']],
    ['each row', everyRow, apply, { created: 1, existing: 2 }, dogCatEmu],
  ] as const)(
    'goes on after one of the same file in the other mode: %s',
    async ([, flags, otherFlags, counts, names], { importText, sandbox }) => {
      sandbox.react = reactTo('emu', reply(401, ''));
      await importText(three, flags);

      const other = await importText(three, otherFlags);
      const found = namesIn(sandbox);
      const again = await importText(three, flags);

      expect(countsOf(other.stdout)).toEqual(counts);
      expect(found).toEqual(names);
      expect(again.exitCode).toBe(0);
    },
  );

  test('knows a category by its id where the service made a name of the key', async ({
    importText,
    sandbox,
  }) => {
    sandbox.react = reactTo('dog', async () => {
      sandbox.categories.push({ id: exact('7'), name: `my ${testKey}` });
      const body = Readable.from([Buffer.from(`{"id":7,"name":"my ${testKey}"}`)]);
      return { status: 201, headers: {}, body };
    });

    const results = [await importText('name\ndog\n'), await importText('name\ndog\n')];

    expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect([sandbox.categories.length, creates(sandbox)]).toEqual([1, ['dog']]);
  });

  test.for([[[]], [['--allow-duplicates']]] as const)(
    'keeps ids to the last digit, with %j',
    async ([flags], { importText, sandbox }) => {
      sandbox.lastId = 2n ** 53n;
      const loseEmu = reactTo('emu', cutAfter);
      const refuseFox = reactTo('fox', reply(422, ''));
      sandbox.react = (request) => loseEmu(request) ?? refuseFox(request);
      const argv = [...flags, '--yes', '--query', 'items[?id].id', '-o', 'raw'];

      const first = await importText(`${three}fox,\n`, argv);
      const again = await importText(`${three}fox,\n`, argv);

      expect([first.exitCode, again.exitCode]).toEqual([7, 0]);
      const created = '9007199254740993\n9007199254740994\n9007199254740995\n';
      expect([first.stdout, again.stdout]).toEqual([created, `${created}9007199254740996\n`]);
    },
  );

  test.for([
    ['was created', cutAfter, 1],
    ['was not', cutBefore, 2],
  ] as const)(
    'with --allow-duplicates takes no category that was there before for a row that %s',
    async ([, reaction, posts], { importText, sandbox }) => {
      sandbox.categories.push({ id: exact('7'), name: 'dog', description: 'Barks' });
      sandbox.lastId = 7n;
      sandbox.react = reactTo('dog', reaction);

      const { exitCode, stdout } = await importText('name,description\ndog,Barks\n', everyRow);

      expect(exitCode).toBe(0);
      expect(JSON.parse(stdout).items).toMatchObject([{ outcome: 'created', id: 8 }]);
      expect(sandbox.categories.map(({ id }) => id.text)).toEqual(['7', '8']);
      expect(creates(sandbox)).toHaveLength(posts);
    },
  );

  test('with --allow-duplicates tells rows of one name by their descriptions', async ({
    importText,
    sandbox,
  }) => {
    const rest: Record<string, Reaction> = { Barks: cutBefore, Bites: cutAfter };
    sandbox.react = ({ body = '{}' }) => {
      const { description } = JSON.parse(body);
      const reaction = rest[description];
      delete rest[description];
      return reaction;
    };

    const file = 'name,description\ndog,Barks\ndog,Bites\ndog,\n';
    const { exitCode } = await importText(file, everyRow);

    expect(exitCode).toBe(0);
    const created = sandbox.categories.map(({ description }) => String(description));
    expect(created.sort()).toEqual(['Barks', 'Bites', 'undefined']);
  });
});
