import { cpSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe } from 'vitest';
import { type Clock, startTime } from '../../support/clock.ts';
import {
  apply,
  countsOf,
  cutAfter,
  cutBefore,
  journals,
  put,
  reactTo,
  three,
} from '../../support/import-cases.ts';
import {
  expect,
  networkError,
  type Reaction,
  reply,
  test,
  testKey,
} from '../../support/petstore.ts';
import { stateFiles } from '../../support/state-files.ts';
import {
  stateFiles as disk,
  exact,
  interrupted,
  plans,
  type Send,
  type WireAnswer,
} from '../../support/values.ts';

/** Cuts the answer, and five seconds later somebody presses Ctrl-C. */
const thenInterrupt =
  (ctrlC: AbortController, clock: Clock): Reaction =>
  (request, forward) => {
    const end = () => ctrlC.abort(interrupted(130));
    void clock.sleep(5_000, ctrlC.signal).then(end);
    return cutAfter(request, forward);
  };

describe('an import that meets trouble', () => {
  test.for([
    [5, 24],
    [1, 4],
  ] as const)(
    'runs to its end at %i a minute with the default --max-wait',
    async ([limit, rows], { petstore, sandbox, folder, clock }) => {
      sandbox.plan = { ...sandbox.plan, minute: { limit, length: 60_000 } };
      const names = Array.from({ length: rows }, (_, row) => `pet ${row}\n`);
      const start = clock.now();

      const file = put(folder, `name\n${names.join('')}`);
      const result = await petstore(['categories', 'import', file, ...apply]);

      expect(result.events().at(-1)).toMatchObject({ event: 'rate_limit' });
      expect(result.exitCode).toBe(0);
      expect(sandbox.categories).toHaveLength(rows);
      // The list before and the one after take their place among the rows.
      const windows = Math.ceil((rows + 2) / limit) - 1;
      expect(clock.now() - start).toBeLessThan((windows + 1) * 62_000);
      const waits = result.events().filter(({ event }) => event === 'wait');
      expect(Math.max(...waits.map(({ waitMs }) => Number(waitMs)))).toBeLessThanOrEqual(62_000);
    },
  );

  test('killed while a request waits again before its first byte, resumes at once', async ({
    petstore,
    sandbox,
    folder,
    forward,
    clock,
  }) => {
    const file = put(folder, 'name\ndog\n');
    const left = join(folder, 'left');
    let told = false;
    let returned = false;
    const send: Send = async (request) => {
      if (request.method === 'POST' && !told) {
        // While this connection is being made, another process is told to wait.
        told = true;
        sandbox.reactions.push(reply(429, '', { 'retry-after': '30' }));
        const release = clock.hold();
        await petstore(['pets', 'get', '1', '--max-wait', '0']);
        release();
      }
      await request.lastCheck?.().catch((error) => {
        returned = true;
        throw error;
      });
      return forward(request);
    };
    const sleep: Clock['sleep'] = (ms, signal) => {
      if (returned && !existsSync(left)) cpSync(join(folder, 'state'), left, { recursive: true });
      return clock.sleep(ms, signal);
    };

    const argv = ['categories', 'import', file, ...apply];
    const result = await petstore(argv, { context: { send, sleep } });

    expect(result.exitCode).toBe(0);
    expect(sandbox.categories.map(({ name }) => name)).toEqual(['dog']);
    expect(clock.now()).toBeGreaterThanOrEqual(startTime + 30_000);

    // With the state that a kill in that wait leaves behind.
    sandbox.categories.length = 0;
    rmSync(join(folder, 'state'), { recursive: true });
    renameSync(left, join(folder, 'state'));
    const start = clock.now();
    const resumed = await petstore(argv);

    expect(resumed.exitCode).toBe(0);
    expect(sandbox.categories.map(({ name }) => name)).toEqual(['dog']);
    expect(clock.now() - start).toBeLessThan(3_000);
  });

  test.for([302, 303])(
    'does not send a row again whose creation was answered with a redirect by %s',
    async (status, { petstore, sandbox, folder }) => {
      sandbox.react = reactTo('cat', async (_request, forward) => {
        for await (const _ of (await forward()).body);
        const headers = { location: '/v1/categories/2' };
        return { status, headers, body: Readable.from([]) };
      });

      const result = await petstore(['categories', 'import', put(folder, three), ...apply]);

      expect(result.exitCode).toBe(0);
      expect(countsOf(result.stdout)).toEqual({ created: 3 });
      expect(sandbox.categories.map(({ name }) => name)).toEqual(['dog', 'cat', 'emu']);
    },
  );

  test.for([
    ['was created', cutAfter, 1, 0, 3],
    ['was not', cutBefore, 0, 1, 4],
  ] as const)(
    'looks after 60 s whether it %s, and sends again what was not',
    async ([, reaction, created, absent, posts], { petstore, sandbox, folder, clock }) => {
      const start = clock.now();
      sandbox.react = reactTo('cat', reaction);

      const result = await petstore(['categories', 'import', put(folder, three), '--yes']);

      expect(result.exitCode).toBe(0);
      expect(result.stderr).toContain(
        'petstore: line 3 ("cat"): 127.0.0.1:4010 closed the connection. It may have been created; not sent again, checking in 1m or later\n',
      );
      expect(result.stderr).toContain(
        `petstore: checked: ${created} created, ${absent} not created and safe to send again\n`,
      );
      expect(sandbox.categories.map(({ name }) => name).sort()).toEqual(['cat', 'dog', 'emu']);
      expect(sandbox.requests.filter(({ method }) => method === 'POST')).toHaveLength(posts);
      expect(clock.now() - start).toBeGreaterThanOrEqual(60_000);
    },
  );

  test('refuses a row of unknown outcome once only a similar name is listed, exit 7', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    sandbox.react = reactTo('cat', async (request) => {
      request.onSent();
      sandbox.categories.push({ id: exact('99'), name: 'CAT' });
      throw networkError('ECONNRESET');
    });

    const result = await petstore(['categories', 'import', put(folder, three), ...apply]);

    expect(result.exitCode).toBe(7);
    expect(countsOf(result.stdout)).toEqual({ created: 2, refused: 1 });
    expect(JSON.parse(result.stdout).items[1]).toMatchObject({
      outcome: 'refused',
      message: 'similar to "CAT", which already exists',
    });
    expect(sandbox.requests.filter(({ method }) => method === 'POST')).toHaveLength(3);
  });

  test('stops after three unknown outcomes in a row, when it has looked them up', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const rows = Array.from({ length: 50 }, (_, n) => `pet ${n}`);
    sandbox.react = ({ method }) => (method === 'POST' ? cutBefore : undefined);

    const result = await petstore([
      'categories',
      'import',
      put(folder, ['name', ...rows].join('\n')),
      ...apply,
    ]);

    expect(result.exitCode).toBe(7);
    expect(countsOf(result.stdout)).toEqual({ left: 50 });
    expect(result.events().at(-1)).toMatchObject({
      kind: 'partial',
      message: '50 rows left: three outcomes in a row were unknown',
      hint: 'Run the same command again to resume.',
    });
    const posts = sandbox.requests.filter(({ method }) => method === 'POST');
    expect(posts.length).toBeLessThanOrEqual(8);
  });

  test('goes on without the rows that the service refuses, exit 7', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const refusal = reply(422, { code: 'no_cats', message: 'no cats', status: 422 });
    sandbox.react = reactTo('cat', refusal);
    const path = put(folder, three);

    const result = await petstore(['categories', 'import', path, ...apply]);

    expect(result.exitCode).toBe(7);
    expect(JSON.parse(result.stdout)).toMatchObject({
      counts: { created: 2, refused: 1 },
      items: [
        {},
        { line: 3, outcome: 'refused', status: 422, code: 'no_cats', message: 'no cats' },
        {},
      ],
    });
    expect(result.events().at(-1)).toMatchObject({ kind: 'partial', message: '1 row refused' });

    const again = await petstore(['categories', 'import', path, ...apply]);
    expect(countsOf(again.stdout)).toEqual({ created: 1, existing: 2 });
  });

  test.for([
    [
      'a key that is refused',
      reply(401, { code: 'x', message: 'no', status: 401 }),
      'the API key was rejected',
    ],
    ['a redirect', reply(307, '', { location: '/v2' }), 'the service redirects to'],
    ['a name that cannot be found any more', networkError('ENOTFOUND'), 'cannot resolve host'],
  ] as const)(
    'stops at %s, exit 7, and goes on later',
    async ([, reaction, says], { petstore, sandbox, folder }) => {
      const rows = Array.from({ length: 30 }, (_, n) => `pet ${n}`);
      const path = put(folder, ['name', ...rows].join('\n'));
      sandbox.react = reactTo('pet 9', reaction, 9);

      const result = await petstore(['categories', 'import', path, ...apply]);

      expect(result.exitCode).toBe(7);
      expect(result.events().at(-1)).toMatchObject({ kind: 'partial', exitCode: 7 });
      expect(String(result.events().at(-1)?.message)).toContain(says);

      sandbox.react = () => undefined;
      const again = await petstore(['categories', 'import', path, ...apply]);
      expect(again.exitCode).toBe(0);
      expect(new Set(sandbox.categories.map(({ name }) => name)).size).toBe(30);
      expect(sandbox.categories).toHaveLength(30);
    },
  );

  test('with --allow-duplicates sends again only what was refused', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    sandbox.react = reactTo('cat', reply(422, ''));
    const path = put(folder, three);
    const argv = ['categories', 'import', path, '--allow-duplicates', ...apply];

    const results = [await petstore(argv), await petstore(argv), await petstore(argv)];

    expect(results.map(({ exitCode }) => exitCode)).toEqual([7, 0, 0]);
    expect(sandbox.categories.map(({ name }) => name).sort()).toEqual(['cat', 'dog', 'emu']);
    expect(sandbox.requests.filter(({ method }) => method === 'POST')).toHaveLength(4);
  });

  test.for([
    ['the key is refused', reply(401, '')],
    ['the service redirects', reply(307, '', { location: '/v2' })],
  ] as const)(
    'sends no more than what is on its way when %s',
    async ([, reaction], { petstore, sandbox, folder }) => {
      const names = Array.from({ length: 100 }, (_, n) => `pet ${n}`);
      const path = put(folder, ['name', ...names].join('\n'));
      sandbox.plan = plans.business;
      sandbox.react = ({ method }) => (method === 'POST' ? reaction.clone() : undefined);

      const result = await petstore(['categories', 'import', path, ...apply]);

      expect(result.exitCode).toBe(7);
      expect(countsOf(result.stdout)).toEqual({ left: 100 });
      const posts = sandbox.requests.filter(({ method }) => method === 'POST');
      expect(posts.length).toBeLessThan(30);
    },
  );

  test('ends with the day, exit 75, and goes on the next one', async ({
    petstore,
    sandbox,
    folder,
    clock,
  }) => {
    sandbox.plan = { minute: { limit: 60, length: 60_000 }, day: { limit: 100, length: 600_000 } };
    const rows = Array.from({ length: 150 }, (_, n) => `pet ${n}`);
    const path = put(folder, ['name', ...rows].join('\n'));

    const result = await petstore(['categories', 'import', path, ...apply]);

    expect(result.exitCode).toBe(75);
    expect(countsOf(result.stdout)).toEqual({ created: 99, left: 51 });
    expect(result.events().at(-1)).toMatchObject({
      kind: 'rate_limited',
      message: '51 rows left: rate limit reached: 100 requests per day',
      hint: expect.stringMatching(/^Run the same command again at 2026-11-20T15:14:0[0-3]Z to /),
      resetAt: expect.stringMatching(/^2026-11-20T15:14:0[0-3]Z$/),
    });

    await clock.sleep(601_000, new AbortController().signal);
    const again = await petstore(['categories', 'import', path, ...apply]);
    expect(again.exitCode).toBe(0);
    expect(sandbox.categories).toHaveLength(150);
    expect(
      sandbox.requests.map(({ method }) => method).filter((method) => method === 'GET'),
    ).toHaveLength(3);
  });

  test.for([
    ['the list fails', reply(503, '')],
    ['the key is refused', reply(401, '')],
  ] as const)(
    'still tells of unknown outcomes when %s at the beginning of the next run',
    async ([, reaction], { petstore, sandbox, folder }) => {
      const path = put(folder, three);
      sandbox.react = ({ method, body = '' }) => {
        if (method === 'GET') return sandbox.categories.length > 0 ? reaction.clone() : undefined;
        return JSON.parse(body).name === 'cat' ? cutBefore : undefined;
      };
      await petstore(['categories', 'import', path, ...apply]);

      const result = await petstore(['categories', 'import', path, ...apply]);

      expect(result).toMatchObject({ exitCode: 6, stdout: '' });
      expect(result.events().at(-1)).toMatchObject({
        kind: 'outcome_unknown',
        outcome: 'unknown',
        hint: expect.stringMatching(
          /un the same command again to resume; it checks the unknown rows first\.$/,
        ),
      });
    },
  );

  test('ends at once when it is interrupted, exit 130, and goes on later', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const ctrlC = new AbortController();
    const path = put(folder, three);
    sandbox.react = reactTo('cat', async (_request, forward) => {
      ctrlC.abort(interrupted(130));
      return forward();
    });

    const result = await petstore(['categories', 'import', path, ...apply], {
      signal: ctrlC.signal,
    });
    expect(result.exitCode).toBe(130);
    expect(result.events().at(-1)).toMatchObject({ kind: 'interrupted', exitCode: 130 });

    const again = await petstore(['categories', 'import', path, ...apply]);
    expect(again.exitCode).toBe(0);
    expect(sandbox.categories).toHaveLength(3);
  });

  test('sends no more than what is on its way when it is interrupted', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    sandbox.plan = plans.business;
    const ctrlC = new AbortController();
    const names = Array.from({ length: 100 }, (_, n) => `pet ${n}`);
    const argv = ['categories', 'import', put(folder, ['name', ...names].join('\n')), ...apply];
    sandbox.react = reactTo('pet 9', async (_request, forward) => {
      ctrlC.abort(interrupted(130));
      return forward();
    });

    const result = await petstore(argv, { signal: ctrlC.signal });
    const sent = sandbox.requests.filter(({ method }) => method === 'POST').length;
    const again = await petstore(argv);

    expect([result.exitCode, again.exitCode]).toEqual([130, 0]);
    expect(sent).toBeLessThan(50);
    expect(sandbox.categories.map(({ name }) => name).sort()).toEqual(names.sort());
  });

  test('stops before the next request when the disk is full, exit 74, and nothing is lost', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const rows = Array.from({ length: 100 }, (_, n) => `pet ${n}`);
    const path = put(folder, ['name', ...rows].join('\n'));
    let appends = 0;
    const append: typeof disk.append = (file, text) => {
      appends += 1;
      // Half a line still fits.
      disk.append(file, appends > 20 ? text.slice(0, 9) : text);
      if (appends > 20) throw networkError('ENOSPC');
    };

    const result = await petstore(['categories', 'import', path, ...apply], {
      context: { stateFiles: { ...disk, append } },
    });

    expect(result.exitCode).toBe(74);
    expect(result.events().at(-1)).toMatchObject({ kind: 'output' });
    const sent = sandbox.categories.length;
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThan(100);

    const again = await petstore(['categories', 'import', path, ...apply]);
    expect(again.exitCode).toBe(0);
    expect(sandbox.categories).toHaveLength(100);
  });

  test.for([[[]], [['--allow-duplicates']]] as const)(
    'leaves each row once after a write that the disk took half of, with %j',
    async ([flags], { petstore, sandbox, folder }) => {
      sandbox.plan = plans.business;
      const names = Array.from({ length: 12 }, (_, n) => `pet ${n}`);
      for (let failing = 1, hasFailed = true; hasFailed; failing += 1) {
        let writes = 0;
        const append = (file: string, text: string) => {
          writes += 1;
          if (writes !== failing) return disk.append(file, text);
          disk.append(file, text.slice(0, text.length / 2));
          throw networkError('ENOSPC');
        };
        const half = { ...disk, append };
        sandbox.categories.length = 0;
        const path = put(folder, ['name', ...names].join('\n'), `${failing}.csv`);
        const env = { PETSTORE_STATE_DIR: join(folder, `state-${failing}`) };
        const argv = ['categories', 'import', path, ...flags, ...apply];

        const first = await petstore(argv, { env, context: { stateFiles: half } });
        hasFailed = writes >= failing;
        const again = await petstore(argv, { env });

        expect([0, 6, 74], `write ${failing}`).toContain(first.exitCode);
        expect(again.exitCode, `write ${failing}`).toBe(0);
        const created = sandbox.categories.map(({ name }) => name).sort();
        expect(created, `write ${failing}`).toEqual(names.toSorted());
      }
    },
  );

  test('does not begin without a journal, exit 74', async ({ petstore, sandbox, folder }) => {
    writeFileSync(join(folder, 'state'), 'a file where a folder belongs');

    const result = await petstore(['categories', 'import', put(folder, three), ...apply]);

    expect(result).toMatchObject({ exitCode: 74, stdout: '' });
    expect(sandbox.requests).toHaveLength(0);
  });

  test.for([
    [[], { created: 2, existing: 2 }, 4],
    [['--allow-duplicates'], { created: 4 }, 6],
  ] as const)(
    'imports a file that changed while its import was not finished, with %j',
    async ([flags, counts, count], { petstore, sandbox, folder }) => {
      const path = put(folder, three);
      sandbox.react = reactTo('emu', reply(401, ''));
      await petstore(['categories', 'import', path, ...apply]);
      put(folder, `${three}fox,\n`);

      const result = await petstore(['categories', 'import', path, ...flags, ...apply]);

      expect(result.exitCode).toBe(0);
      expect(countsOf(result.stdout)).toEqual(counts);
      expect(sandbox.categories).toHaveLength(count);
    },
  );

  test.for([401, 422])(
    'with --allow-duplicates refuses such a file until the import is finished that a %i left',
    async (status, { petstore, sandbox, folder }) => {
      const path = put(folder, three);
      const argv = ['categories', 'import', path, '--allow-duplicates', ...apply];
      sandbox.react = reactTo('emu', reply(status, ''));
      await petstore(argv);
      put(folder, `${three}fox,\n`);
      sandbox.requests.length = 0;

      const refused = await petstore(argv);

      expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
      expect(refused.events()).toMatchObject([
        {
          message:
            'the file has changed since its import was started at 2026-11-20T15:04:00Z: 2 of 3 rows created',
          hint: expect.stringContaining(`rm '${journals(folder)[0]}'`),
          outcome: 'not_sent',
        },
      ]);
      expect(sandbox.requests).toHaveLength(0);

      put(folder, three);
      const finished = await petstore(argv);
      put(folder, `${three}fox,\n`);
      const changed = await petstore(argv);

      expect(countsOf(finished.stdout)).toEqual({ created: 1, created_before: 2 });
      expect(countsOf(changed.stdout)).toEqual({ created: 4 });
    },
  );

  test('ends the wait for a look when it is interrupted, and tells what is unknown', async ({
    petstore,
    sandbox,
    folder,
    clock,
  }) => {
    const ctrlC = new AbortController();
    sandbox.react = reactTo('cat', thenInterrupt(ctrlC, clock));

    const result = await petstore(['categories', 'import', put(folder, three), ...apply], {
      signal: ctrlC.signal,
    });

    expect(result.exitCode).toBe(130);
    expect(countsOf(result.stdout)).toEqual({ created: 2, unknown: 1 });
    expect(result.events().at(-1)).toEqual({
      event: 'error',
      kind: 'interrupted',
      message: '1 row with unknown outcome: interrupted',
      hint: 'Run the same command again to resume; it checks the unknown rows first.',
      outcome: 'unknown',
      exitCode: 130,
    });
  });

  test.for([
    ['a refusal repeats', 422, { code: testKey, message: `not for ${testKey}` }],
    ['the service made a name', 201, { id: 7, name: `my ${testKey}`, tags: [testKey] }],
  ] as const)('keeps no key, not even one that %s', async (row, { petstore, sandbox, folder }) => {
    const [, status, body] = row;
    sandbox.react = ({ method }) => (method === 'POST' ? reply(status, body) : undefined);

    await petstore(['categories', 'import', put(folder, three), ...apply]);

    const kept = stateFiles(folder).map(({ text }) => text);
    if (status === 201) expect(kept.join('\n')).toContain('my [key]');
    expect(kept.join('\n')).not.toContain(testKey);
  });

  test.for([[[]], [['--allow-duplicates']]] as const)(
    'keeps ids to the last digit, with %j',
    async ([flags], { petstore, sandbox, folder }) => {
      sandbox.lastId = 2n ** 53n;
      const loseEmu = reactTo('emu', cutAfter);
      const refuseFox = reactTo('fox', reply(422, ''));
      sandbox.react = (request) => loseEmu(request) ?? refuseFox(request);
      const path = put(folder, `${three}fox,\n`);
      const argv = ['categories', 'import', path, ...flags, '--yes'];
      const ids = ['--query', 'items[?id].id', '-o', 'raw'];

      const first = await petstore([...argv, ...ids]);
      const again = await petstore([...argv, ...ids]);

      expect([first.exitCode, again.exitCode]).toEqual([7, 0]);
      const created = '9007199254740993\n9007199254740994\n9007199254740995\n';
      expect(first.stdout).toBe(created);
      expect(again.stdout).toBe(`${created}9007199254740996\n`);
      expect(sandbox.categories).toHaveLength(4);
    },
  );

  test('knows a category by its id where the service made a name of the key', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const argv = ['categories', 'import', put(folder, 'name\ndog\n'), ...apply];
    sandbox.react = reactTo('dog', async () => {
      sandbox.categories.push({ id: exact('7'), name: `my ${testKey}` });
      const body = Readable.from([Buffer.from(`{"id":7,"name":"my ${testKey}"}`)]);
      return { status: 201, headers: {}, body };
    });

    const results = [await petstore(argv), await petstore(argv)];

    expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(sandbox.categories).toHaveLength(1);
    expect(sandbox.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  test('does not believe a list that lacks what was created', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const path = put(folder, three);
    sandbox.react = ({ method }) =>
      method === 'GET' && sandbox.categories.length > 0 ? reply(200, []) : undefined;

    const result = await petstore(['categories', 'import', path, ...apply]);

    expect(result.exitCode).toBe(5);
    expect(countsOf(result.stdout)).toEqual({ created: 3 });
    expect(result.events().at(-1)).toMatchObject({
      kind: 'service',
      message:
        'categories created by this import are missing from the list: line 2 ("dog") and 2 more',
    });
  });

  test('names a copy that came before its end', async ({ petstore, sandbox, folder }) => {
    sandbox.react = reactTo('emu', (_request, forward) => {
      sandbox.categories.push({ id: exact('99'), name: 'cat' });
      return forward();
    });

    const result = await petstore(['categories', 'import', put(folder, three), ...apply]);

    expect(result.exitCode).toBe(0);
    expect(JSON.parse(result.stdout).copies).toEqual([{ id: 99, name: 'cat' }]);
    expect(result.events()).toContainEqual({
      event: 'notice',
      message: expect.stringContaining('"cat" also exists with id 99'),
    });
  });

  test.for([
    ['was created', cutAfter, ['7', '8'], 1],
    ['was not', cutBefore, ['7', '8'], 2],
  ] as const)(
    'with --allow-duplicates takes no category that was there before for a row that %s',
    async ([, reaction, ids, posts], { petstore, sandbox, folder }) => {
      sandbox.categories.push({ id: exact('7'), name: 'dog', description: 'Barks' });
      sandbox.lastId = 7n;
      sandbox.react = reactTo('dog', reaction);
      const path = put(folder, 'name,description\ndog,Barks\n');

      const argv = ['categories', 'import', path, '--allow-duplicates', ...apply];
      const result = await petstore(argv);

      expect(result.exitCode).toBe(0);
      expect(JSON.parse(result.stdout).items).toMatchObject([{ outcome: 'created', id: 8 }]);
      expect(sandbox.categories.map(({ id }) => id.text)).toEqual(ids);
      expect(sandbox.requests.filter(({ method }) => method === 'POST')).toHaveLength(posts);
    },
  );

  test('with --allow-duplicates tells rows of one name by their descriptions', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const path = put(folder, 'name,description\ndog,Barks\ndog,Bites\ndog,\n');
    sandbox.react = ({ body = '{}' }) => {
      const { description } = JSON.parse(body);
      const posts = sandbox.requests.filter(({ body = '' }) => body.includes(description));
      if (posts.length > 1) return undefined;
      return { Barks: cutBefore, Bites: cutAfter }[String(description)];
    };

    const argv = ['categories', 'import', path, '--allow-duplicates', ...apply];
    const result = await petstore(argv);

    expect(result.exitCode).toBe(0);
    const created = sandbox.categories.map(({ description }) => String(description));
    expect(created.sort()).toEqual(['Barks', 'Bites', 'undefined']);
  });

  test('goes on where unknown outcomes do not come in a row', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const names = Array.from({ length: 24 }, (_, n) => `pet ${n}`);
    let posts = 0;
    sandbox.react = ({ method }) => {
      if (method === 'POST') posts += 1;
      return method === 'POST' && posts % 4 === 0 ? cutAfter : undefined;
    };

    const path = put(folder, ['name', ...names].join('\n'));
    const result = await petstore(['categories', 'import', path, ...apply]);

    expect(result.exitCode).toBe(0);
    expect(countsOf(result.stdout)).toEqual({ created: 24 });
    expect(sandbox.categories.map(({ name }) => name).sort()).toEqual(names.sort());
    expect(posts).toBe(24);
  });

  test('exits 6 when the limit stops it with an outcome unknown, and ends later', async ({
    petstore,
    sandbox,
    folder,
    clock,
  }) => {
    sandbox.plan = { minute: { limit: 60, length: 60_000 }, day: { limit: 9, length: 600_000 } };
    const names = Array.from({ length: 12 }, (_, n) => `pet ${n}`);
    const path = put(folder, ['name', ...names].join('\n'));
    sandbox.react = reactTo('pet 7', cutAfter);

    const stopped = await petstore(['categories', 'import', path, ...apply]);
    await clock.sleep(601_000, new AbortController().signal);
    const again = await petstore(['categories', 'import', path, ...apply]);

    expect([stopped.exitCode, again.exitCode]).toEqual([6, 0]);
    expect(stopped.events().at(-1)).toMatchObject({ kind: 'outcome_unknown', outcome: 'unknown' });
    expect(sandbox.categories.map(({ name }) => name).sort()).toEqual(names.sort());
  });

  test('tries first what was never tried, so that rows which fail keep none from it', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const rows = Array.from({ length: 30 }, (_, n) => `pet ${n}`);
    const path = put(folder, ['name', ...rows].join('\n'));
    sandbox.react = ({ body = '{}' }) =>
      ['pet 0', 'pet 1', 'pet 2'].includes(JSON.parse(body).name) ? reply(500, '') : undefined;

    const first = await petstore(['categories', 'import', path, ...apply]);
    const second = await petstore(['categories', 'import', path, ...apply]);

    expect(first.exitCode).toBe(7);
    expect(second.exitCode).toBe(7);
    expect(sandbox.categories).toHaveLength(27);
  });

  test('leaves a row open when something nobody foresaw happens to its request', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const path = put(folder, 'name\ndog\n');
    const answerOfNoKind = { status: 201, headers: undefined, body: undefined };
    sandbox.react = reactTo('dog', async (_request, forward) => {
      for await (const _ of (await forward()).body);
      return answerOfNoKind as unknown as WireAnswer;
    });
    await petstore(['categories', 'import', path, ...apply]);

    const again = await petstore(['categories', 'import', path, ...apply]);

    expect(again.exitCode).toBe(0);
    expect(sandbox.categories).toHaveLength(1);
  });

  test('says what is unknown when the network is gone, exit 6, and looks it up later', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const path = put(folder, three);
    const gone = [...Array(4)].map(() => networkError('ENOTFOUND'));
    sandbox.react = (request) => {
      if (request.method === 'GET') return undefined;
      return reactTo('cat', cutAfter)(request) ?? gone.pop();
    };

    const result = await petstore(['categories', 'import', path, ...apply]);
    sandbox.react = () => undefined;
    const again = await petstore(['categories', 'import', path, ...apply]);

    expect(result.exitCode).toBe(6);
    expect(countsOf(result.stdout)).toEqual({ unknown: 1, left: 2 });
    expect(countsOf(again.stdout)).toEqual({ created: 2, created_before: 1 });
    expect(sandbox.categories).toHaveLength(3);
  });

  const [names, rows] = [[], ['--allow-duplicates']];
  test.for([
    ['with --allow-duplicates', names, rows, { created: 3 }, ['cat', 'cat', 'dog', 'dog', 'emu']],
    ['without it', rows, names, { created: 1, existing: 2 }, ['cat', 'dog', 'emu']],
  ] as const)(
    'unfinished, goes on beside one of the same file %s',
    async ([, flags, others, counts, created], { petstore, sandbox, folder }) => {
      sandbox.react = reactTo('emu', reply(401, ''));
      const argv = ['categories', 'import', put(folder, three), ...apply];
      await petstore([...argv, ...flags]);

      const other = await petstore([...argv, ...others]);
      const found = sandbox.categories.map(({ name }) => name).sort();
      const again = await petstore([...argv, ...flags]);

      expect(countsOf(other.stdout)).toEqual(counts);
      expect(found).toEqual(created);
      expect(again.exitCode).toBe(0);
    },
  );

  test('says in JSON who refused it, and still what is left', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    sandbox.react = reactTo('emu', reply(401, { code: 'gone', message: 'no', status: 401 }));

    const result = await petstore(['categories', 'import', put(folder, three), ...apply]);

    expect(result.events().at(-1)).toMatchObject({
      kind: 'partial',
      message: expect.stringMatching(/^1 row left: the API key was rejected/),
      code: 'gone',
      status: 401,
    });
  });
});
