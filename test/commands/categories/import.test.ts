import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe } from 'vitest';
import { apply, countsOf, journals, put, reactTo, three } from '../../support/import-cases.ts';
import { expect, networkError, reply, test, testKey } from '../../support/petstore.ts';
import { exact, interrupted, plans, type Send } from '../../support/values.ts';

/** A service that takes any key for its own. */
function withTestKey(forward: Send): Send {
  const authorization = `Bearer ${testKey}`;
  return (request) => forward({ ...request, headers: { ...request.headers, authorization } });
}

describe('categories import', () => {
  test('creates each row once and looks at the list before and after', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const result = await petstore(['categories', 'import', put(folder, three), ...apply]);

    expect(result.exitCode).toBe(0);
    expect(JSON.parse(result.stdout)).toEqual({
      file: join(folder, 'pets.csv'),
      rows: 3,
      counts: { created: 3 },
      copies: [],
      items: [
        { line: 2, name: 'dog', outcome: 'created', id: 1 },
        { line: 3, name: 'cat', outcome: 'created', id: 2 },
        { line: 4, name: 'emu', outcome: 'created', id: 3 },
      ],
    });
    expect(sandbox.categories.map(({ name, description }) => [name, description])).toEqual([
      ['dog', 'Barks'],
      ['cat', undefined],
      ['emu', 'Runs'],
    ]);
    expect(sandbox.requests.map(({ method }) => method)).toEqual([
      'GET',
      'POST',
      'POST',
      'POST',
      'GET',
    ]);
  });

  test('prints the counts, and the plan on stderr', async ({ petstore, sandbox, folder }) => {
    sandbox.categories.push({ id: exact('7'), name: 'dog', description: 'Bites' });
    const result = await petstore(['categories', 'import', put(folder, `${three}cat,\n`), '--yes']);

    expect(result.stdout).toBe(
      ['created: 2', 'exists with a different description: 1', 'duplicate in the file: 1', ''].join(
        '\n',
      ),
    );
    expect(result.stderr).toContain(
      'petstore: 2 to create, 1 exists with a different description, 1 duplicate in the file\n',
    );
  });

  test.for([
    ['existing', [], 0],
    ['created_before', ['--allow-duplicates'], 1],
  ] as const)(
    'says %s the second time, at the price of one list, with %j',
    async ([outcome, flags, kept], { petstore, sandbox, folder }) => {
      const argv = ['categories', 'import', put(folder, three), ...flags, ...apply];
      await petstore(argv);
      sandbox.requests.length = 0;

      const again = await petstore(argv);

      expect(again.exitCode).toBe(0);
      expect(countsOf(again.stdout)).toEqual({ [outcome]: 3 });
      expect(journals(folder)).toHaveLength(kept);
      expect(sandbox.requests.map(({ method }) => method)).toEqual(['GET']);
    },
  );

  test('creates anew what was removed since', async ({ petstore, sandbox, folder }) => {
    const path = put(folder, three);
    await petstore(['categories', 'import', path, ...apply]);
    sandbox.categories.shift();

    const plan = await petstore(['categories', 'import', path, '--dry-run', '--json']);
    const again = await petstore(['categories', 'import', path, ...apply]);

    expect(countsOf(plan.stdout)).toEqual({ create: 1, existing: 2 });
    expect(countsOf(again.stdout)).toEqual({ created: 1, existing: 2 });
    expect(sandbox.categories).toHaveLength(3);
  });

  test.for([
    ['created something', 5, [], three, 3],
    ['created something', 5, ['--allow-duplicates'], three, 3],
    ['created nothing', 0, [], 'name\nemu\n', 4],
  ] as const)(
    'begun with another account, which %s, ends with exit code %i, with %j',
    async ([, exitCode, flags, text, count], { petstore, sandbox, folder, forward }) => {
      const argv = ['categories', 'import', put(folder, text), ...flags, ...apply];
      sandbox.react = reactTo('emu', reply(401, ''));
      await petstore(argv);
      sandbox.categories.length = 0;
      for (const id of ['1', '2', '3']) {
        sandbox.categories.push({ id: exact(id), name: `other ${id}` });
      }

      const again = await petstore(argv, {
        env: { PETSTORE_API_KEY: 'another-key-0123456789' },
        context: { send: withTestKey(forward) },
      });

      expect(again.exitCode).toBe(exitCode);
      expect(sandbox.categories).toHaveLength(count);
      if (exitCode === 0) return;
      expect(again.events().at(-1)).toMatchObject({
        kind: 'service',
        hint: expect.stringContaining(`delete the journal: rm '${journals(folder)[0]}'`),
      });
    },
  );

  test('says that the rows are created when that cannot be printed', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const full = { isTTY: false, columns: undefined, stream: undefined };
    const stdout = { ...full, write: () => Promise.reject(networkError('ENOSPC')) };

    const result = await petstore(['categories', 'import', put(folder, three), '--yes'], {
      context: { stdout },
    });

    expect(result.exitCode).toBe(74);
    expect(result.stderr).toContain('The import finished: 3 rows were created.\n');
    expect(sandbox.categories).toHaveLength(3);
  });

  test('says its counts when the reader of stdout went away, exit 141', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    sandbox.categories.push({ id: exact('7'), name: 'dog', description: 'Barks' });
    const gone = { isTTY: false, columns: undefined, stream: undefined };
    const stdout = { ...gone, write: () => Promise.reject(networkError('EPIPE')) };
    const argv = ['categories', 'import', put(folder, three), ...apply];

    const result = await petstore(argv, { context: { stdout } });

    expect(result.exitCode).toBe(141);
    expect(result.stderr).toMatch(/2 created in \ds, 1 already exists/);
    expect(sandbox.categories).toHaveLength(3);
  });

  test.for([
    ['on a terminal', { columns: 100 }, '✔ '],
    ['on one that is not UTF-8', { columns: 100, env: { LANG: 'C' } }, ''],
    ['anywhere else', {}, ''],
  ] as const)(
    'says at its end what was created, and how long it took, %s',
    async ([, options, mark], { petstore, sandbox, folder }) => {
      sandbox.categories.push({ id: exact('77'), name: 'pet 0' });
      sandbox.lastId = 77n;
      const names = Array.from({ length: 70 }, (_, n) => `pet ${n}\n`);
      const path = put(folder, `name\n${names.join('')}`);

      const { stderr } = await petstore(['categories', 'import', path, '--yes'], options);

      const [summary = ''] = stderr.split('\n').filter((line) => line.includes('created in'));
      expect(summary).toMatch(
        new RegExp(`^petstore: ${mark}69 created in (5\\ds|1m \\ds), 1 already exists$`),
      );
    },
  );

  test('says nothing of the kind when there was nothing to create', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    sandbox.categories.push({ id: exact('7'), name: 'dog' });

    const { stderr } = await petstore([
      'categories',
      'import',
      put(folder, 'name\ndog\n'),
      '--yes',
    ]);

    expect(stderr.match(/^petstore: .*$/gm)).toEqual(['petstore: 1 already exists']);
  });

  test('with --allow-duplicates creates every row, once', async ({ petstore, sandbox, folder }) => {
    sandbox.categories.push({ id: exact('7'), name: 'dog', description: 'Barks' });
    sandbox.lastId = 7n;
    const path = put(folder, 'name,description\ndog,Barks\ndog,Barks\n');

    const result = await petstore(['categories', 'import', path, '--allow-duplicates', ...apply]);
    const again = await petstore(['categories', 'import', path, '--allow-duplicates', ...apply]);

    expect(countsOf(result.stdout)).toEqual({ created: 2 });
    expect(countsOf(again.stdout)).toEqual({ created_before: 2 });
    expect(sandbox.categories.map(({ id }) => id.text)).toEqual(['7', '8', '9']);
  });

  test('goes on by the same command under another name of the file', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    await petstore(['categories', 'import', put(folder, three), '--allow-duplicates', ...apply]);

    const moved = put(folder, three, 'moved.csv');
    await petstore(['categories', 'import', moved, '--allow-duplicates', ...apply]);

    expect(sandbox.categories).toHaveLength(3);
  });

  test.for([[[]], [['--allow-duplicates']]] as const)(
    'creates each row at each service that the file is imported to, with %j',
    async ([flags], { petstore, sandbox, folder }) => {
      const argv = ['categories', 'import', put(folder, three), ...flags, ...apply];
      await petstore(argv);
      const elsewhere = sandbox.categories.splice(0);

      const env = { PETSTORE_BASE_URL: 'http://127.0.0.1:4011/v1' };
      const { exitCode, stdout } = await petstore(argv, { env });

      expect(exitCode).toBe(0);
      expect(countsOf(stdout)).toEqual({ created: 3 });
      expect(elsewhere.map(({ name }) => name)).toEqual(['dog', 'cat', 'emu']);
      expect(sandbox.categories.map(({ name }) => name)).toEqual(['dog', 'cat', 'emu']);
    },
  );

  test('with --allow-duplicates creates every row of a file that was imported without it', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const path = put(folder, three);
    await petstore(['categories', 'import', path, ...apply]);

    const argv = ['categories', 'import', path, '--allow-duplicates', ...apply];
    const { exitCode, stdout } = await petstore(argv);

    expect(exitCode).toBe(0);
    expect(countsOf(stdout)).toEqual({ created: 3 });
    expect(sandbox.categories).toHaveLength(6);
  });

  test('reads standard input', async ({ petstore, sandbox }) => {
    const argv = ['categories', 'import', '-', '--format', 'ndjson', ...apply];

    const result = await petstore(argv, { stdin: '{"name":"dog"}\n{"name":"cat"}\n' });

    expect(JSON.parse(result.stdout)).toMatchObject({ file: 'standard input', rows: 2 });
    expect(sandbox.categories).toHaveLength(2);
  });
});

describe('the input of an import', () => {
  test.for([
    ['a file that is not there', ['nope.csv'], 'file not found: nope.csv'],
    [
      'standard input that is to hold the key as well',
      ['-', '--format', 'csv', '--api-key-file', '-'],
      'cannot be both the file and the API key',
    ],
    [
      'a settle time without an end',
      ['pets.csv', '--settle', 'inf'],
      'invalid duration "inf" from --settle',
    ],
    [
      'a settle time of more than a day',
      ['pets.csv', '--settle', '25h'],
      'invalid duration "25h" from --settle',
    ],
    [
      'a settle time that is none',
      ['pets.csv', '--settle', 'soon'],
      'invalid duration "soon" from --settle',
    ],
    ['another format', ['pets.csv', '--format', 'xml'], 'One of: csv, tsv, json, ndjson'],
    ['no file', [], 'missing required argument <file>'],
  ] as const)(
    'is refused for %s, and nothing is sent',
    async ([, argv, says], { petstore, sandbox }) => {
      const result = await petstore(['categories', 'import', ...argv, '--yes']);

      expect(result).toMatchObject({ exitCode: 2, stdout: '' });
      expect(result.stderr).toContain(says);
      expect(result.stderr).toContain('Nothing was sent.');
      expect(sandbox.requests).toHaveLength(0);
    },
  );

  test('has its only fault among the faults of the event, and in one line of text', async ({
    petstore,
    folder,
  }) => {
    const path = put(folder, 'name,description\ndog,Barks\ncat\n');
    const fault = `${path}:3: expected 2 fields, got 1`;

    const json = await petstore(['categories', 'import', path, ...apply]);
    const text = await petstore(['categories', 'import', path, '--yes']);

    expect(json.events()).toMatchObject([{ event: 'error', message: fault, faults: [fault] }]);
    expect(text.stderr).toBe(`petstore: ${fault}\nNothing was sent.\n`);
  });

  test('has all its faults told before anything is sent', async ({ petstore, sandbox, folder }) => {
    const path = put(folder, 'name,description\ndog,Barks\n,x\ncat\n');

    const result = await petstore(['categories', 'import', path, ...apply]);

    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.events()).toMatchObject([
      {
        event: 'error',
        kind: 'usage',
        faults: [`${path}:3: name must not be blank`, `${path}:4: expected 2 fields, got 1`],
        outcome: 'not_sent',
        exitCode: 2,
      },
    ]);
    expect(sandbox.requests).toHaveLength(0);
  });
});

describe('the progress of an import', () => {
  test.for([
    ['within a window', 50, plans.free, 2_500],
    ['with a wait', 70, plans.free, 100],
    ['with a wait for the last list alone', 59, plans.free, 100],
    ['with many waits', 200, plans.free, 20],
    ['at a service that is slower than the limit', 70, plans.pro, 2_000],
  ] as const)(
    'says when it will be done, %s',
    async ([, rows, plan, each], { petstore, sandbox, folder, clock }) => {
      sandbox.plan = plan;
      sandbox.react = () => async (_request, forward) => {
        await clock.sleep(each, new AbortController().signal);
        return forward();
      };
      const ends: number[] = [];
      const stderr = {
        isTTY: false,
        columns: undefined,
        stream: undefined,
        async write(line: string) {
          const { event, leftMs } = JSON.parse(line);
          if (event === 'progress') ends.push(clock.now() + leftMs);
        },
      };
      const names = Array.from({ length: rows }, (_, n) => `pet ${n}\n`);
      const path = put(folder, `name\n${names.join('')}`);
      const argv = ['categories', 'import', path, '--max-wait', 'inf', ...apply];

      const start = clock.now();
      const { exitCode } = await petstore(argv, { context: { stderr } });

      expect(exitCode).toBe(0);
      expect(ends.length).toBeGreaterThan(0);
      const taken = clock.now() - start;
      for (const end of ends) {
        expect(clock.now() - end).toBeLessThan(3_000 + each + 0.03 * taken);
        // The average so far counts waits that the last rows may not need.
        expect(end - clock.now()).toBeLessThan(60_000);
      }
    },
  );
});

describe('the plan of an import', () => {
  test('is the result of --dry-run, which spends one request and leaves no trace', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    sandbox.categories.push({ id: exact('9007199254740993'), name: 'DOG' });
    const path = put(folder, three);

    const result = await petstore(['categories', 'import', path, '--dry-run', '--json']);

    expect(result.exitCode).toBe(0);
    expect(JSON.parse(result.stdout)).toEqual({
      file: path,
      rows: 3,
      counts: { similar: 1, create: 2 },
      requests: 4,
      forecast: { plan: null, todayMs: 0, moreDays: null },
      items: [
        { line: 2, name: 'dog', intention: 'similar', looksLike: 'DOG' },
        { line: 3, name: 'cat', intention: 'create' },
        { line: 4, name: 'emu', intention: 'create' },
      ],
    });
    expect(sandbox.requests.map(({ method }) => method)).toEqual(['GET']);
    expect(journals(folder)).toEqual([]);
  });

  test('is all that --dry-run makes, also with --yes', async ({ petstore, sandbox, folder }) => {
    const argv = ['categories', 'import', put(folder, three), '--dry-run', ...apply];

    const { exitCode, stdout } = await petstore(argv);

    expect(exitCode).toBe(0);
    expect(countsOf(stdout)).toEqual({ create: 3 });
    expect(sandbox.requests.map(({ method }) => method)).toEqual(['GET']);
  });

  test.for([[[]], [['--allow-duplicates']]] as const)(
    'has what an unfinished import has left, with %j',
    async ([flags], { petstore, sandbox, folder }) => {
      const argv = ['categories', 'import', put(folder, three), ...flags];
      sandbox.react = reactTo('emu', reply(401, ''));
      await petstore([...argv, ...apply]);
      sandbox.requests.length = 0;

      const { exitCode, stdout } = await petstore([...argv, '--dry-run', '--json']);

      expect(exitCode).toBe(0);
      expect(countsOf(stdout)).toEqual({ create: 1, created_before: 2 });
      expect(sandbox.requests.map(({ method }) => method)).toEqual(['GET']);
    },
  );

  test('counts what exists and what is listed twice in words of one and of several', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    sandbox.categories.push(
      { id: exact('7'), name: 'dog', description: 'Barks' },
      { id: exact('8'), name: 'cat' },
      { id: exact('9'), name: 'EMU' },
    );
    const path = put(folder, `${three}ant,\nant,Bites\nant,\n`);

    const { stderr } = await petstore(['categories', 'import', path, '--dry-run']);

    expect(stderr.split('\n').slice(0, 4)).toEqual([
      'petstore: 1 to create, 2 already exist, 1 similar to an existing name, 2 duplicates in the file',
      'petstore: 3 requests: less than a minute at 60 per minute',
      'petstore: line 6: "ant" is a duplicate of line 5 with a different description; line 5 is used',
      'petstore: line 4: "emu" is similar to "EMU", which already exists',
    ]);
  });

  const days = (limit: number) => ({
    minute: { limit: 60, length: 60_000 },
    day: { limit, length: 7_200_000 },
  });
  test.for([
    ['on a limit that is not reached', 20, [], plans.business, undefined, undefined],
    ['with waits', 150, [], plans.free, undefined, undefined],
    ['with --allow-duplicates', 20, ['--allow-duplicates'], plans.free, undefined, undefined],
    ['where some names exist', 20, [], plans.free, 7, undefined],
    ['where all names exist', 20, [], plans.free, 20, undefined],
    ['where all but one exist', 20, [], plans.free, 19, undefined],
    ['over days', 150, ['--max-wait', 'inf'], days(100), undefined, '60/min,100/day'],
  ] as const)(
    'counts the requests that are made then, %s',
    async ([, rows, flags, plan, existing = 0, setting], { petstore, sandbox, folder }) => {
      const names = Array.from({ length: rows }, (_, n) => `pet ${n}`);
      for (const [id, name] of names.slice(0, existing).entries()) {
        sandbox.categories.push({ id: exact(`${id + 1}`), name });
      }
      if (setting) await petstore(['config', 'set', 'plan', setting]);
      sandbox.plan = plan;
      sandbox.lastId = 100n;
      const path = put(folder, ['name', ...names].join('\n'));
      const argv = ['categories', 'import', path, ...flags];

      const { requests } = JSON.parse((await petstore([...argv, '--dry-run', '--json'])).stdout);
      sandbox.requests.length = 0;
      const { exitCode, stderr } = await petstore([...argv, '--yes']);

      expect(exitCode).toBe(0);
      expect(sandbox.requests).toHaveLength(requests);
      const told = stderr.match(/^petstore: ([\d,]+) requests/m)?.[1];
      if (existing < rows) expect(Number(told)).toBe(requests);
    },
  );

  const terminal = {
    columns: 100,
    context: { stdin: Object.assign(Readable.from(['']), { isTTY: true }) },
  };
  test.for([
    ['this is not a terminal', [], {}],
    ['the output is JSON', ['--json'], terminal],
    ['the plan is hidden by --quiet', ['--quiet'], terminal],
    ['--no-input is set', ['--no-input'], terminal],
    ['CI is set', [], { ...terminal, env: { CI: 'true' } }],
  ] as const)(
    'needs --yes where %s, and sends nothing without it',
    async ([why, flags, options], { petstore, sandbox, folder }) => {
      const argv = ['categories', 'import', put(folder, three), ...flags];
      const result = await petstore(argv, options);

      expect(result).toMatchObject({ exitCode: 2, stdout: '' });
      expect(result.stderr).toContain(`confirmation needed, but ${why} (use --yes)`);
      expect(sandbox.requests).toHaveLength(0);
    },
  );

  test('needs --yes for standard input, also where that is a terminal', async ({
    petstore,
    sandbox,
  }) => {
    const confirm = async () => true;
    const stdin = Object.assign(Readable.from([three]), { isTTY: true });

    const result = await petstore(['categories', 'import', '-', '--format', 'csv'], {
      columns: 100,
      context: { confirm, stdin },
    });

    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(sandbox.requests).toHaveLength(0);
  });

  test.for([
    { what: 'an invalid option', text: three, flags: ['--settle', 'soon'], says: 'from --settle' },
    { what: 'a faulty row', text: 'name\n""\n', flags: [], says: ':2: name must not be blank' },
    { what: 'no row', text: 'name\n', flags: [], says: 'has no rows' },
  ])('$what is said first, and nothing is sent', async (row, { petstore, sandbox, folder }) => {
    const { text, flags, says } = row;

    const result = await petstore(['categories', 'import', put(folder, text), ...flags]);

    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain(says);
    expect(result.stderr).not.toContain('confirmation needed');
    expect(sandbox.requests).toHaveLength(0);
  });

  test('is asked about on a terminal', async ({ petstore, sandbox, folder }) => {
    const asked: string[] = [];
    const confirm = async (question: string) => {
      asked.push(question);
      return true;
    };

    const result = await petstore(['categories', 'import', put(folder, three)], {
      columns: 100,
      context: { confirm, stdin: Object.assign(Readable.from(['']), { isTTY: true }) },
    });

    expect(asked).toEqual(['Create 3 categories at http://127.0.0.1:4010/v1?']);
    expect(result.exitCode).toBe(0);
    expect(sandbox.categories).toHaveLength(3);
  });

  const interruptedAnswer = (): Promise<boolean> => Promise.reject(interrupted(130));
  test.for([
    [2, 'the answer is no', () => Promise.resolve(false), 'petstore: cancelled\n'],
    [130, 'Ctrl-C comes', interruptedAnswer, 'petstore: interrupted\n'],
  ] as const)(
    'ends with exit code %i when %s, and creates nothing',
    async ([exitCode, , answer, says], { petstore, sandbox, folder }) => {
      const argv = ['categories', 'import', put(folder, three), '--no-color'];
      const result = await petstore(argv, {
        columns: 100,
        context: { confirm: answer, stdin: Object.assign(Readable.from(['']), { isTTY: true }) },
      });

      expect(result).toMatchObject({ exitCode, stdout: '' });
      expect(result.stderr).toContain(`${says}Nothing was created.\n`);
      expect(sandbox.requests.map(({ method }) => method)).toEqual(['GET']);
      expect(journals(folder)).toEqual([]);
    },
  );

  test('that is cancelled on a resumed import says what is done, exit 2', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const path = put(folder, three);
    sandbox.react = reactTo('emu', reply(401, ''));
    await petstore(['categories', 'import', path, ...apply]);
    sandbox.react = () => undefined;

    const result = await petstore(['categories', 'import', path, '--no-color'], {
      columns: 100,
      context: {
        confirm: async () => false,
        stdin: Object.assign(Readable.from(['']), { isTTY: true }),
      },
    });

    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain(
      'petstore: cancelled\n2 of 3 rows are done; nothing was lost.\nRun the same command again to resume.\n',
    );
  });
});
