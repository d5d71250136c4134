import { describe } from 'vitest';
import { expect, reply, test } from '../../support/petstore.ts';
import { exact, formats, interrupted } from '../../support/values.ts';

const animal = (id: string, name: string, description?: string) => ({
  id: exact(id),
  name,
  ...(description !== undefined && { description }),
});

describe('categories list', () => {
  test('prints a table and the remaining rate limit', async ({ petstore, sandbox }) => {
    sandbox.categories.push(animal('1', 'dog', 'Loyal'), animal('20', 'cat'));

    const result = await petstore(['categories', 'list']);

    expect(result).toMatchObject({ exitCode: 0 });
    expect(result.stdout).toBe(
      [
        '┌────┬──────┬─────────────┐',
        '│ id │ name │ description │',
        '├────┼──────┼─────────────┤',
        '│ 1  │ dog  │ Loyal       │',
        '│ 20 │ cat  │             │',
        '└────┴──────┴─────────────┘',
        '',
      ].join('\n'),
    );
    expect(result.stderr).toBe('rate limit: 59 of 60 left, resets in 1m (15:05:00Z)\n');
  });

  test('prints JSON on stdout and nothing but JSON lines on stderr', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.categories.push(animal('1', 'dog'));

    const result = await petstore(['categories', 'list', '--json']);

    expect(result.stdout).toBe('[\n  {\n    "id": 1,\n    "name": "dog"\n  }\n]\n');
    expect(result.events()).toEqual([
      { event: 'rate_limit', limit: 60, remaining: 59, resetAt: '2026-11-20T15:05:00Z' },
    ]);
  });

  test.for([
    [['-o', 'json'], '[]\n'],
    [['-o', 'ndjson'], ''],
    [['-o', 'yaml'], '[]\n'],
    [['-o', 'csv'], 'id,name,description\n'],
    [['-o', 'tsv'], 'id\tname\tdescription\n'],
  ] as const)(
    'an empty list is a success, and no more is said of it: %j',
    async ([argv, stdout], { petstore }) => {
      const result = await petstore(['categories', 'list', ...argv]);

      expect(result).toMatchObject({ exitCode: 0, stdout });
      expect(result.stderr).not.toMatch(/categories/);
    },
  );

  test.for([
    [[], 'petstore: No categories yet.'],
    [['--columns', 'name'], 'petstore: No categories yet.'],
    [['--search', 'fish'], 'petstore: No categories match "fish".'],
    [['--search', 'a\u001b[1m'], 'petstore: No categories match "a\\u{1b}[1m".'],
  ] as const)(
    'in place of a table without rows a sentence on stderr: %j',
    async ([argv, says], { petstore }) => {
      const inPipe = await petstore(['categories', 'list', ...argv]);
      const onTerminal = await petstore(['categories', 'list', ...argv], { columns: 80 });
      const quiet = await petstore(['categories', 'list', '--quiet', ...argv]);

      expect(inPipe).toMatchObject({ exitCode: 0, stdout: '' });
      expect(inPipe.stderr.split('\n')[0]).toBe(says);
      expect(onTerminal).toMatchObject({ exitCode: 0, stdout: '' });
      expect(onTerminal.stderr.split('\n')[0]).toBe(says);
      expect(quiet).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
    },
  );

  test.for(['9223372036854775807', '-9223372036854775808', '9007199254740993', '0', '-1'])(
    'id %s comes through to the last digit in every format',
    async (id, { petstore, sandbox }) => {
      sandbox.categories.push(animal(id, 'dog'));

      for (const format of formats) {
        const { stdout } = await petstore(['categories', 'list', '-o', format]);
        expect(stdout.match(/-?\d+/g)).toEqual([id]);
      }
    },
  );

  test('keeps fields that the document does not name in JSON, __proto__ too', async ({
    petstore,
    sandbox,
  }) => {
    const sent = '[{"id":1,"name":"dog","legs":4.0,"__proto__":{"a":1}}]';
    sandbox.reactions.push(reply(200, sent), reply(200, sent));

    const json = await petstore(['categories', 'list', '-o', 'ndjson']);
    const table = await petstore(['categories', 'list']);

    expect(json.stdout).toBe('{"id":1,"name":"dog","legs":4.0,"__proto__":{"a":1}}\n');
    expect(table.stdout).not.toContain('legs');
  });

  test('shows ids that come as text as the integers they stand for, and says so once', async ({
    petstore,
    sandbox,
  }) => {
    // More than is decoded at once.
    const ids = Array.from({ length: 5_000 }, (_, n) => String(n));
    sandbox.reactions.push(reply(200, JSON.stringify(ids.map((id) => ({ id, name: 'dog' })))));

    const result = await petstore(['categories', 'list', '-o', 'ndjson']);

    expect(result.stdout).toBe(ids.map((id) => `{"id":${id},"name":"dog"}\n`).join(''));
    expect(result.events().filter(({ event }) => event === 'notice')).toHaveLength(1);
  });

  test('searches name and description in any case', async ({ petstore, sandbox }) => {
    sandbox.categories.push(animal('1', 'Dog'), animal('2', 'cat', 'no DOG'), animal('3', 'fish'));

    const { stdout } = await petstore(['categories', 'list', '--search', 'dog', '-o', 'ndjson']);

    expect(stdout.match(/"id":\d/g)).toEqual(['"id":1', '"id":2']);
  });

  test.for([
    ['id', ['-2', '9', '10']],
    ['name', ['10', '-2', '9']],
    ['description', ['9', '10', '-2']],
    ['-id', ['10', '9', '-2']],
    ['-name', ['9', '-2', '10']],
    ['-description', ['-2', '10', '9']],
  ] as const)('sorts by %s', async ([field, order], { petstore, sandbox }) => {
    sandbox.categories.push(animal('9', 'c'), animal('10', 'a', 'x'), animal('-2', 'b', 'y'));

    const { stdout } = await petstore(['categories', 'list', '--sort', field, '-o', 'ndjson']);

    expect(stdout.match(/(?<="id":)-?\d+/g)).toEqual(order);
  });

  test.for([
    ['id', ['9007199254740992', '9007199254740993', '9007199254740994']],
    ['name', ['9007199254740993', '9007199254740992', '9007199254740994']],
  ] as const)(
    'sorts by %s to the last digit, and what is equal stays in order',
    async ([field, order], { petstore, sandbox }) => {
      sandbox.categories.push(
        animal('9007199254740993', 'dog'),
        animal('9007199254740992', 'dog'),
        animal('9007199254740994', 'dog'),
      );

      const { stdout } = await petstore(['categories', 'list', '--sort', field, '-o', 'ndjson']);

      expect(stdout.match(/(?<="id":)\d+/g)).toEqual(order);
    },
  );

  test.for(['name'])(
    'sorts a list above 1 MiB by %s, with every field as it came',
    async (field, { petstore, sandbox }) => {
      const rows = Array.from({ length: 12_000 }, (_, n) => {
        const name = `pet ${String(12_000 - n).padStart(5, '0')}`;
        return `{"id":${12_000 - n},"name":"${name}","more":[12345678901234567890.50,{"n":${n}}],"text":"${'x'.repeat(40)}"}`;
      });
      sandbox.react = () => reply(200, `[${rows.join(' , ')}]`);

      const { stdout } = await petstore(['categories', 'list', '--sort', field, '-o', 'ndjson']);

      expect(stdout).toBe(`${rows.toReversed().join('\n')}\n`);
    },
  );

  test.for([
    [
      ['--sort', '-name'],
      ['3', '1', '4', '2', '5'],
    ],
    [['--sort=-name'], ['3', '1', '4', '2', '5']],
    [
      ['--limit', '2'],
      ['1', '2'],
    ],
    [['--limit=9'], ['1', '2', '3', '4', '5']],
    [
      ['--sort', '-id', '--limit', '2'],
      ['5', '4'],
    ],
    [
      ['--search', 'cat', '--limit', '2'],
      ['2', '5'],
    ],
    [['--search', 'cat', '--sort', '-id', '--limit', '1'], ['5']],
  ] as const)(
    'takes the first after searching and sorting, in which equal names keep their order: %j',
    async ([argv, order], { petstore, sandbox }) => {
      const names = ['dog', 'cat', 'fish', 'dog', 'cat'];
      names.forEach((name, n) => {
        sandbox.categories.push(animal(String(n + 1), name));
      });

      for (const format of formats) {
        const { exitCode, stdout } = await petstore(['categories', 'list', ...argv, '-o', format]);

        expect(exitCode).toBe(0);
        expect(stdout.match(/\d/g)).toEqual(order);
      }
    },
  );

  test('prints the first of a list above 1 MiB', async ({ petstore, sandbox }) => {
    const rows = Array.from(
      { length: 12_000 },
      (_, n) => `{"id":${n},"name":"${'x'.repeat(100)}"}`,
    );
    sandbox.react = () => reply(200, `[${rows.join()}]`);

    const first = await petstore(['categories', 'list', '--limit', '5000', '-o', 'ndjson']);
    const last = await petstore(['categories', 'list', '--sort=-id', '--limit=3', '-o', 'ndjson']);

    expect(first.stdout).toBe(`${rows.slice(0, 5_000).join('\n')}\n`);
    expect(last.stdout).toBe(`${rows.slice(-3).reverse().join('\n')}\n`);
  });

  test('says of a limited list without rows what it says of any', async ({ petstore }) => {
    const { exitCode, stdout, stderr } = await petstore(['categories', 'list', '--limit', '1']);

    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
    expect(stderr.split('\n')[0]).toBe('petstore: No categories yet.');
  });

  test.for(['0', '-1', '1.5', 'all', '', '1e3'])(
    'refuses --limit "%s" before anything is sent',
    async (limit, { petstore, sandbox }) => {
      const { exitCode, stderr } = await petstore(['categories', 'list', '--limit', limit]);

      expect(exitCode).toBe(2);
      expect(stderr).toBe(
        `petstore: invalid value "${limit}" for --limit: must be a positive integer\nNothing was sent.\nFor example: --limit 10\n`,
      );
      expect(sandbox.requests).toHaveLength(0);
    },
  );

  test('refuses an unknown field to sort by, also one with a sign', async ({ petstore }) => {
    const { exitCode, stderr } = await petstore(['categories', 'list', '--sort', '-size']);

    expect(exitCode).toBe(2);
    expect(stderr).toBe(
      'petstore: invalid value "-size" for --sort\nNothing was sent.\nOne of: id, name, description, -id, -name, -description\n',
    );
  });

  test('fits a terminal: the widest column gives way, and a cell of it has several lines', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.categories.push(animal('1', 'dog', 'x'.repeat(100)));

    const narrow = await petstore(['categories', 'list', '--no-color'], { columns: 40 });
    const piped = await petstore(['categories', 'list']);

    for (const line of narrow.stdout.trimEnd().split('\n')) expect([...line]).toHaveLength(40);
    expect(narrow.stdout.replace(/[^x]/g, '')).toBe('x'.repeat(100));
    expect(piped.stdout).toContain('x'.repeat(100));
  });

  test('more than a thousand rows come in plain columns, each on its line', async ({
    petstore,
    sandbox,
  }) => {
    for (let id = 1; id <= 1_001; id += 1) sandbox.categories.push(animal(String(id), 'dog'));

    const lines = (await petstore(['categories', 'list'])).stdout.split('\n');

    expect(lines.slice(0, 2)).toEqual([
      `${'id'.padEnd(22)}name  description`,
      `${'1'.padEnd(22)}dog`,
    ]);
    expect(lines).toHaveLength(1_003);
  });

  test.for([
    ['on a terminal', 80, {}, [], true],
    ['with NO_COLOR', 80, { NO_COLOR: '1' }, [], false],
    ['with --no-color', 80, {}, ['--no-color'], false],
    ['on a dumb terminal', 80, { TERM: 'dumb' }, [], false],
    ['in a pipe', undefined, {}, [], false],
    ['with FORCE_COLOR', undefined, { FORCE_COLOR: '1' }, [], true],
  ] as const)(
    'the header is bold or not %s',
    async ([, columns, env, argv, bold], { petstore, sandbox }) => {
      sandbox.categories.push(animal('1', 'dog'));
      const options = columns === undefined ? { env } : { env, columns };

      const { stdout } = await petstore(['categories', 'list', ...argv], options);

      expect(stdout.includes('\u001b[1m')).toBe(bold);
    },
  );

  test('Ctrl-C ends it while the reader of the result takes its time', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.categories.push(animal('1', 'dog'));
    const ctrlC = new AbortController();
    const stdout = {
      isTTY: false,
      columns: undefined,
      stream: undefined,
      write() {
        ctrlC.abort(interrupted(130));
        return new Promise<void>(() => {});
      },
    };

    const result = await petstore(['categories', 'list'], {
      signal: ctrlC.signal,
      context: { stdout },
    });

    expect(result.exitCode).toBe(130);
  });

  test('says nothing besides the result when quiet', async ({ petstore }) => {
    expect(await petstore(['categories', 'list', '-q'])).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('says each request and answer when verbose, never the key', async ({ petstore }) => {
    const { stderr } = await petstore(['categories', 'list', '--verbose']);

    expect(stderr.split('\n')).toEqual(
      expect.arrayContaining([
        'petstore: profile production: http://127.0.0.1:4010/v1',
        'petstore: The key comes from PETSTORE_API_KEY and ends in cdef.',
        'petstore: > GET http://127.0.0.1:4010/v1/categories',
        'petstore: > accept: application/json',
        'petstore: > authorization: Bearer [key]',
        'petstore: < 200, 2 bytes (0 ms)',
        'petstore: < x-ratelimit-limit: 60',
      ]),
    );
    expect(stderr).not.toContain('test-key');
  });
});
