import { Readable } from 'node:stream';
import { describe } from 'vitest';
import {
  apply,
  creates,
  cutAfter,
  cutBefore,
  methods,
  namesIn,
  patient,
  pets,
  reactTo,
  test,
  three,
} from '../support/import-cases.ts';
import { expect, networkError, type Reaction, reply, testKey } from '../support/petstore.ts';
import { second } from '../support/told.ts';
import { exact, interrupted, plans } from '../support/values.ts';

const dogCatEmu = ['cat', 'dog', 'emu'];
const again = 'Run the same command again';

describe('an import', () => {
  test.for<[what: string, Reaction, created: number, absent: number]>([
    ['was created', cutAfter, 1, 0],
    ['was not', cutBefore, 0, 1],
  ])('finds out after 60 s that a row %s', async (row, { importText, sandbox, clock }) => {
    const [, reaction, created, absent] = row;
    const start = clock.now();
    sandbox.react = reactTo('cat', reaction);

    // A repeated row is no row that was not created.
    const { exitCode, stderr } = await importText(`${three}dog,\n`, ['--yes']);

    expect(exitCode).toBe(0);
    expect(stderr).toContain('petstore: line 3 ("cat"): 127.0.0.1:4010 closed the connection');
    expect(stderr).toContain('It may have been created; not sent again, checking in 1m or later\n');
    expect(stderr).toContain(
      `petstore: checked: ${created} created, ${absent} not created, which will be sent again\n`,
    );
    expect([namesIn(sandbox), creates(sandbox).length]).toEqual([dogCatEmu, 3 + absent]);
    expect(clock.now() - start).toBeGreaterThanOrEqual(60 * second);
  });

  test('looks after three unknown outcomes, three times', async ({ importText, sandbox }) => {
    // So few a minute are sent one at a time.
    sandbox.plan = { ...sandbox.plan, minute: { limit: 6, length: 60_000 } };
    sandbox.react = ({ method }) => (method === 'POST' ? cutBefore : undefined);

    const { exitCode, json, events } = await importText(pets(12), [...apply, ...patient]);

    expect([exitCode, json.counts, creates(sandbox).length]).toEqual([7, { left: 12 }, 3 * 3]);
    expect(events().at(-1)).toMatchObject({
      kind: 'partial',
      message: '12 rows left: the outcomes of three requests in a row are unknown',
      hint: `${again} to resume.`,
    });
  });

  test('goes on where unknown outcomes do not come in a row', async ({ importText, sandbox }) => {
    sandbox.react = ({ method }) =>
      method === 'POST' && creates(sandbox).length % 4 === 0 ? cutAfter : undefined;

    const { exitCode, json } = await importText(pets(24));

    expect([exitCode, json.counts]).toEqual([0, { created: 24 }]);
    expect([creates(sandbox).length, new Set(namesIn(sandbox)).size]).toEqual([24, 24]);
    expect(methods(sandbox).match(/GET/g), 'lists: one look for all').toHaveLength(2);
  });

  test('tries rows that failed after all others', async ({ importText, sandbox }) => {
    const poison = ['pet 0', 'pet 1', 'pet 2'];
    sandbox.react = ({ body = '{}' }) =>
      poison.includes(JSON.parse(body).name) ? reply(500, '') : undefined;

    const codes = [(await importText(pets(30))).exitCode, (await importText(pets(30))).exitCode];

    expect([codes, sandbox.categories.length]).toEqual([[7, 7], 27]);
  });

  test('goes on without rows that the service refuses', async ({ importText, sandbox }) => {
    const refusal = { code: 'no_cats', message: 'no cats', status: 422 };
    sandbox.react = reactTo('cat', reply(422, refusal));

    const first = await importText(three);
    const next = await importText(three);

    expect([first.exitCode, next.exitCode]).toEqual([7, 0]);
    expect(first.json.counts).toEqual({ created: 2, refused: 1 });
    expect(first.json.items[1]).toMatchObject({ line: 3, outcome: 'refused', ...refusal });
    expect(first.events().at(-1)).toMatchObject({ kind: 'partial', message: '1 row refused' });
    expect(next.json.counts).toEqual({ created: 1, existing: 2 });
    expect([namesIn(sandbox), creates(sandbox).length]).toEqual([dogCatEmu, 4]);
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
      return method === 'POST' && isBroken ? reaction : undefined;
    };

    const { exitCode, events } = await importText(pets(50));
    sandbox.react = () => undefined;
    const next = await importText(pets(50));

    expect([exitCode, next.exitCode]).toEqual([7, 0]);
    const last = events().at(-1);
    expect(last?.message).toMatch(new RegExp(`^\\d\\d rows left: .*${says}`));
    if (says === 'the API key') expect(last).toMatchObject({ code: 'gone', status: 401 });
    expect(creates(sandbox).length).toBeLessThan(100);
    expect(new Set(namesIn(sandbox)).size).toBe(50);
    expect(sandbox.categories).toHaveLength(50);
  });

  test.for([
    ['the list fails', reply(503, ''), 5],
    ['the key is refused', reply(401, ''), 4],
  ] as const)('tells what is unknown though %s', async (row, { importText, sandbox }) => {
    const [, reaction, code] = row;
    sandbox.react = ({ method, body = '' }) => {
      if (method === 'GET') return sandbox.categories.length > 0 ? reaction : undefined;
      return JSON.parse(body).name === 'cat' ? cutBefore : undefined;
    };

    const first = await importText(three);
    const next = await importText(three);

    expect([first.exitCode, first.json.counts.unknown]).toEqual([6, 1]);
    expect(first.events().at(-1)).toMatchObject({
      kind: 'outcome_unknown',
      outcome: 'unknown',
      hint: expect.stringContaining('; it checks the unknown rows first.'),
    });
    expect([next.exitCode, next.stdout]).toEqual([code, '']);
    expect(creates(sandbox)).toEqual(['dog', 'cat', 'emu']);
  });

  test('sends no more once it is interrupted', async ({ importText, sandbox }) => {
    sandbox.plan = plans.business;
    const ctrlC = new AbortController();
    sandbox.react = reactTo('pet 9', async ({ onSent }, forward) => {
      onSent();
      ctrlC.abort(interrupted(130));
      return forward();
    });

    const result = await importText(pets(60), apply, { signal: ctrlC.signal });
    const sent = creates(sandbox).length;
    const next = await importText(pets(60));

    expect([result.exitCode, next.exitCode]).toEqual([130, 0]);
    expect(result.events().at(-1)).toMatchObject({ kind: 'interrupted' });
    expect(sent).toBeLessThan(40);
    expect(namesIn(sandbox)).toEqual(pets(60).split('\n').slice(1).sort());
  });

  test('tells what is unknown if its wait is ended', async ({ importText, sandbox, clock }) => {
    const ctrlC = new AbortController();
    sandbox.react = reactTo('cat', (request, forward) => {
      const end = () => ctrlC.abort(interrupted(130));
      void clock.sleep(5 * second, ctrlC.signal).then(end);
      return cutAfter(request, forward);
    });

    const { json, events } = await importText(three, apply, { signal: ctrlC.signal });

    expect(json.counts).toEqual({ created: 2, unknown: 1 });
    expect(events().at(-1)).toEqual({
      event: 'error',
      kind: 'interrupted',
      message: '1 row with unknown outcome: interrupted',
      hint: `${again} to resume; it checks the unknown rows first.`,
      outcome: 'unknown',
      exitCode: 130,
    });
  });

  test('knows a category whose name has the key by its id', async ({ importText, sandbox }) => {
    const name = `my ${testKey}`;
    sandbox.react = reactTo('dog', async () => {
      sandbox.categories.push({ id: exact('7'), name });
      const body = Readable.from([Buffer.from(JSON.stringify({ id: 7, name }))]);
      return { status: 201, headers: {}, body };
    });

    const results = [await importText('name\ndog\n'), await importText('name\ndog\n')];

    expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect([sandbox.categories.length, creates(sandbox)]).toEqual([1, ['dog']]);
  });
});
