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
  methods,
  namesIn,
  pets,
  reactTo,
  test,
  three,
} from '../support/import-cases.ts';
import { expect, networkError, type Reaction, reply, testKey } from '../support/petstore.ts';
import { exact, interrupted, plans } from '../support/values.ts';

const dogCatEmu = ['cat', 'dog', 'emu'];

describe('an import that meets trouble', () => {
  test.for<[what: string, Reaction, created: number, absent: number]>([
    ['was created', cutAfter, 1, 0],
    ['was not', cutBefore, 0, 1],
  ])('finds out after 60 s that a row %s', async (row, { importText, sandbox, clock }) => {
    const [, reaction, created, absent] = row;
    const start = clock.now();
    sandbox.react = reactTo('cat', reaction);

    const { exitCode, stderr } = await importText(three, ['--yes']);

    expect(exitCode).toBe(0);
    expect(stderr).toContain('petstore: line 3 ("cat"): 127.0.0.1:4010 closed the connection');
    expect(stderr).toContain('It may have been created; not sent again, checking in 1m or later\n');
    expect(stderr).toContain(
      `petstore: checked: ${created} created, ${absent} not created, which will be sent again\n`,
    );
    expect(namesIn(sandbox)).toEqual(dogCatEmu);
    expect(creates(sandbox)).toHaveLength(3 + absent);
    expect(clock.now() - start).toBeGreaterThanOrEqual(60_000);
  });

  test('looks after three unknown outcomes, three times', async ({ importText, sandbox }) => {
    // So few a minute are sent one at a time.
    sandbox.plan = { ...sandbox.plan, minute: { limit: 6, length: 60_000 } };
    sandbox.react = ({ method }) => (method === 'POST' ? cutBefore : undefined);

    const { exitCode, stdout, events } = await importText(pets(50), [
      ...apply,
      '--max-wait',
      'inf',
    ]);

    expect(exitCode).toBe(7);
    expect(countsOf(stdout)).toEqual({ left: 50 });
    expect(events().at(-1)).toMatchObject({
      kind: 'partial',
      message: '50 rows left: the outcomes of three requests in a row are unknown',
      hint: 'Run the same command again to resume.',
    });
    expect(creates(sandbox)).toHaveLength(3 * 3);
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
    expect(methods(sandbox).match(/GET/g), 'lists: one look for all').toHaveLength(2);
  });

  test('tries rows that failed after all others', async ({ importText, sandbox }) => {
    const poison = ['pet 0', 'pet 1', 'pet 2'];
    sandbox.react = ({ body = '{}' }) =>
      poison.includes(JSON.parse(body).name) ? reply(500, '') : undefined;

    const codes = [(await importText(pets(30))).exitCode, (await importText(pets(30))).exitCode];

    expect(codes).toEqual([7, 7]);
    expect(sandbox.categories).toHaveLength(27);
  });

  test('goes on without rows that the service refuses', async ({ importText, sandbox }) => {
    const refusal = { code: 'no_cats', message: 'no cats', status: 422 };
    sandbox.react = reactTo('cat', reply(422, refusal));

    const first = await importText(three);
    const second = await importText(three);
    const third = await importText(three);

    expect([first.exitCode, second.exitCode, third.exitCode]).toEqual([7, 0, 0]);
    expect(countsOf(first.stdout)).toEqual({ created: 2, refused: 1 });
    const { items } = JSON.parse(first.stdout);
    expect(items[1]).toMatchObject({ line: 3, outcome: 'refused', ...refusal });
    expect(first.events().at(-1)).toMatchObject({ kind: 'partial', message: '1 row refused' });
    expect(countsOf(second.stdout)).toEqual({ created: 1, existing: 2 });
    expect(namesIn(sandbox)).toEqual(dogCatEmu);
    expect(creates(sandbox)).toHaveLength(4);
  });

  test.for([
    ['a refused key', reply(401, { code: 'gone', message: 'no', status: 401 }), 'the API key'],
    ['a redirect', reply(307, '', { location: '/v2' }), 'the service redirects to'],
    ['a name that has no address', networkError('ENOTFOUND'), 'cannot resolve'],
  ] as const)('stops at %s, and resumes', async ([, reaction, says], { importText, sandbox }) => {
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
  });

  test('ends with the day, and goes on the next one', async ({ importText, sandbox, clock }) => {
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
    ['the list fails', reply(503, ''), 5],
    ['the key is refused', reply(401, ''), 4],
  ] as const)('tells what is unknown though %s', async (row, { importText, sandbox }) => {
    const [, reaction, code] = row;
    sandbox.react = ({ method, body = '' }) => {
      if (method === 'GET') return sandbox.categories.length > 0 ? reaction.clone() : undefined;
      return JSON.parse(body).name === 'cat' ? cutBefore : undefined;
    };

    const first = await importText(three);
    const second = await importText(three);

    expect([first.exitCode, countsOf(first.stdout).unknown]).toEqual([6, 1]);
    expect(first.events().at(-1)).toMatchObject({
      kind: 'outcome_unknown',
      outcome: 'unknown',
      hint: expect.stringMatching(/ it checks the unknown rows first\./),
    });
    expect([second.exitCode, second.stdout]).toEqual([code, '']);
    expect(creates(sandbox)).toEqual(['dog', 'cat', 'emu']);
  });

  test('sends no more once it is interrupted, exit 130', async ({ importText, sandbox }) => {
    sandbox.plan = plans.business;
    const ctrlC = new AbortController();
    sandbox.react = reactTo('pet 9', async ({ onSent }, forward) => {
      onSent();
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

  test('tells what is unknown if its wait is ended', async ({ importText, sandbox, clock }) => {
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

  test('does not begin without a state folder, exit 74', async ({
    importText,
    sandbox,
    folder,
  }) => {
    writeFileSync(join(folder, 'state'), 'a file where a folder belongs');

    expect(await importText(three)).toMatchObject({ exitCode: 74, stdout: '' });
    expect(sandbox.requests).toHaveLength(0);
  });

  test('knows a category whose name has the key by its id', async ({ importText, sandbox }) => {
    sandbox.react = reactTo('dog', async () => {
      sandbox.categories.push({ id: exact('7'), name: `my ${testKey}` });
      const body = Readable.from([Buffer.from(`{"id":7,"name":"my ${testKey}"}`)]);
      return { status: 201, headers: {}, body };
    });

    const results = [await importText('name\ndog\n'), await importText('name\ndog\n')];

    expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect([sandbox.categories.length, creates(sandbox)]).toEqual([1, ['dog']]);
  });
});
