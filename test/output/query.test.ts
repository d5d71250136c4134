import fc from 'fast-check';
import { describe } from 'vitest';
import type { Json, JsonObject } from '../../src/json/exact.ts';
import { createPrinter } from '../../src/output/printer.ts';
import { queried } from '../../src/output/queried.ts';
import { createSink } from '../../src/output/sink.ts';
import { put } from '../support/import-cases.ts';
import { expect, test, testKey } from '../support/petstore.ts';
import { trials } from '../support/trials.ts';
import { exact, type Format, formats } from '../support/values.ts';

const dog = { id: exact('1'), name: 'dog', description: 'Loyal' };
const cat = { id: exact('9007199254740993'), name: 'cat' };
const rabbit = { id: exact('9007199254740992'), name: 'rabbit', description: '' };

const list = ['categories', 'list'];

describe('--query', () => {
  test.for([
    { query: '[].name', format: 'json', stdout: '[\n  "dog",\n  "cat",\n  "rabbit"\n]\n' },
    { query: '[].name', format: 'ndjson', stdout: '"dog"\n"cat"\n"rabbit"\n' },
    { query: '[].name', format: 'yaml', stdout: '- dog\n- cat\n- rabbit\n' },
    { query: '[].name', format: 'csv', stdout: 'value\ndog\ncat\nrabbit\n' },
    { query: '[].name', format: 'tsv', stdout: 'value\ndog\ncat\nrabbit\n' },
    { query: '[].name', format: 'raw', stdout: 'dog\ncat\nrabbit\n' },
    {
      query: '[].{n: name, d: description}',
      format: 'csv',
      stdout: 'n,d\ndog,Loyal\ncat,\nrabbit,""\n',
    },
    { query: '[].{n: name, d: nope}', format: 'tsv', stdout: 'n\td\ndog\t\ncat\t\nrabbit\t\n' },
    {
      query: '[1].{n: name, d: description}',
      format: 'json',
      stdout: '{\n  "n": "cat",\n  "d": null\n}\n',
    },
    { query: '[1]', format: 'raw', stdout: '{"id":9007199254740993,"name":"cat"}\n' },
    { query: '[?id==`9007199254740993`].name', format: 'raw', stdout: 'cat\n' },
    { query: 'sort_by(@, &id)[-1].id', format: 'raw', stdout: '9007199254740993\n' },
    { query: 'length(@)', format: 'json', stdout: '3\n' },
    {
      query: '[?id>`1`] | [].[name, id]',
      format: 'ndjson',
      stdout: '["cat",9007199254740993]\n["rabbit",9007199254740992]\n',
    },
    {
      query: '[].[name, id]',
      format: 'tsv',
      stdout: '1\t2\ndog\t1\ncat\t9007199254740993\nrabbit\t9007199254740992\n',
    },
    { query: '[].[name, description]', format: 'csv', stdout: '1,2\ndog,Loyal\ncat,\nrabbit,""\n' },
    { query: '[?id==`2`].[name, id]', format: 'tsv', stdout: '1\t2\n' },
    { query: '[0]', format: 'csv', stdout: 'id,name,description\n1,dog,Loyal\n' },
    { query: '[0]', format: 'yaml', stdout: 'id: 1\nname: dog\ndescription: Loyal\n' },
    {
      query: '@',
      format: 'csv',
      stdout:
        'id,name,description\n1,dog,Loyal\n9007199254740993,cat,\n9007199254740992,rabbit,""\n',
    },
    // Nothing.
    { query: '[9]', format: 'json', stdout: 'null\n' },
    { query: '[9]', format: 'yaml', stdout: 'null\n' },
    { query: '[9]', format: 'raw', stdout: '\n' },
    { query: '[9]', format: 'csv', stdout: 'value\n' },
    { query: '[9]', format: 'table', stdout: '' },
    { query: '[?id==`2`]', format: 'json', stdout: '[]\n' },
    { query: '[?id==`2`]', format: 'raw', stdout: '' },
    { query: '[?id==`2`].{id: id, name: name}', format: 'csv', stdout: 'id,name\n' },
    { query: 'nope[].{id: id}', format: 'csv', stdout: 'id\n' },
  ])('$query as $format is $stdout', async ({ query, format, stdout }, { petstore, sandbox }) => {
    sandbox.categories.push(dog, cat, rabbit);

    const result = await petstore([...list, '--query', query, '-o', format]);

    expect(result).toMatchObject({ exitCode: 0, stdout });
    expect(sandbox.requests).toHaveLength(1);
  });

  test.for([
    ['[9]', 'The result of --query is null.\n'],
    ['[?id==`2`]', 'The result of --query is an empty list.\n'],
  ] as const)('says %s of a table without rows', async ([query, said], { petstore }) => {
    const { stdout, stderr } = await petstore([...list, '--query', query]);

    expect(stdout).toBe('');
    expect(stderr).toContain(said);
  });

  test('is a table where its result is a list', async ({ petstore, sandbox }) => {
    sandbox.categories.push(dog, cat);

    expect((await petstore([...list, '--query', '[].{id: id, about: description}'])).stdout).toBe(
      `┌──────────────────┬───────┐
│ id               │ about │
├──────────────────┼───────┤
│ 1                │ Loyal │
│ 9007199254740993 │       │
└──────────────────┴───────┘
`,
    );
  });

  test.for([
    { argv: ['config', 'get', 'max-wait'], query: '[setting, value]', json: ['max-wait', '2m'] },
    { argv: ['config', 'path'], query: 'length(keys(@))', json: 1 },
    { argv: ['config', 'list'], query: "[?setting=='output'].source | [0]", json: 'default' },
    { argv: ['limits'], query: 'minute.remaining', json: null },
    { argv: ['limits'], query: 'inFlight', json: 0 },
    { argv: ['auth', 'status'], query: 'keySource', json: 'PETSTORE_API_KEY' },
    { argv: ['orders', 'list'], query: '[].quantity | sum(@)', json: 3 },
    { argv: ['pets', 'get', '1'], query: 'name', json: 'Bello' },
    { argv: ['doctor'], query: "[?check=='node'] | length(@)", json: 1 },
    { argv: ['categories', 'create', 'dog', '--dry-run'], query: 'body.name', json: 'dog' },
    { argv: ['categories', 'create', 'dog'], query: 'id', json: 1 },
    { argv: ['api', 'GET', '/categories'], query: 'length(@)', json: 0 },
    { argv: ['api', 'POST', '/categories', '--data', '{"name":"x"}'], query: 'name', json: 'x' },
  ])(
    'of $argv is of what it prints as JSON: $query',
    async ({ argv, query, json }, { petstore }) => {
      const { stdout, exitCode } = await petstore([...argv, '--query', query, '--json']);

      expect({ exitCode, json: JSON.parse(stdout) }).toEqual({ exitCode: 0, json });
    },
  );

  test.for(formats)(
    'of an import is of its report in each format, as %s',
    async (format, { petstore, folder }) => {
      const file = put(folder, 'name\ndog\ncat\n');
      const argv = ['categories', 'import', file, '--yes', '-o', format];

      const { stdout } = await petstore([
        ...argv,
        '--query',
        "items[?outcome=='created'].name | [0]",
      ]);

      expect(stdout).toContain('dog');
      expect(stdout).not.toContain('cat');
    },
  );

  test('comes before --columns', async ({ petstore, sandbox }) => {
    sandbox.categories.push(dog, cat);

    const argv = [...list, '--query', '[].{id: id, n: name}', '--columns', 'n', '-o'];
    expect((await petstore([...argv, 'csv'])).stdout).toBe('n\ndog\ncat\n');
    expect((await petstore([...argv, 'ndjson'])).stdout).toBe('{"n":"dog"}\n{"n":"cat"}\n');
    const plain = [...list, '--query', '[1]', '--columns', 'name', '-o', 'raw'];
    expect((await petstore(plain)).stdout).toBe('{"name":"cat"}\n');
  });

  test('refuses columns that its result does not have', async ({ petstore, sandbox }) => {
    const argv = [...list, '--query', '[].{id: id, n: name}', '--columns', 'name'];
    const { exitCode, stderr } = await petstore(argv);

    expect(stderr).toBe('petstore: unknown column "name"\nNothing was sent.\nColumns: id, n\n');
    expect(exitCode).toBe(2);
    expect(sandbox.requests).toEqual([]);
  });

  test('is refused before anything is sent when it is invalid', async ({ petstore, sandbox }) => {
    const argv = ['categories', 'create', 'dog', '--query', '[?id == 4]'];
    const text = await petstore(argv);
    const json = await petstore([...argv, '--json']);

    expect(text).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr:
        'petstore: invalid --query: unexpected "4" at column 9\nNothing was sent.\nWrite numbers in backticks: `4`\n',
    });
    expect(json.events()).toEqual([
      {
        event: 'error',
        kind: 'usage',
        message: 'invalid --query: unexpected "4" at column 9',
        hint: 'Write numbers in backticks: `4`',
        outcome: 'not_sent',
        exitCode: 2,
      },
    ]);
    expect(sandbox.requests).toEqual([]);
  });

  test('never shows the key, be it in the result or in the expression', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.categories.push({ ...dog, description: `my ${testKey}` });

    const found = await petstore([...list, '--query', '[].description', '-o', 'raw']);
    const given = await petstore([...list, '--query', `'${testKey}'`, '-o', 'raw']);
    const name = await petstore([...list, '--query', `{"${testKey}": @}`, '-o', 'raw']);
    const fault = await petstore([...list, '--query', `a "${testKey}"`]);

    // What an expression takes apart has lost it before.
    const reversed = await petstore([...list, '--query', '[].reverse(description)', '-o', 'raw']);

    expect(found.stdout).toBe('my [key]\n');
    expect(reversed.stdout).toBe(']yek[ ym\n');
    expect(given.stdout).toBe('[key]\n');
    for (const { stdout, stderr } of [found, given, name, fault]) {
      expect(stdout + stderr).not.toContain(testKey);
    }
  });
});

const fails = ['--query', 'length(id)'];
const wrong =
  '--query failed at column 1: length() needs a string, an array or an object as its argument';

describe('A --query that fails on the result', () => {
  test('of a read says nothing of what was sent', async ({ petstore, sandbox }) => {
    const { exitCode, stdout, stderr } = await petstore([...list, ...fails]);

    expect(stderr).toContain(`petstore: ${wrong}, got null\n`);
    expect(stderr).not.toContain('Nothing was sent');
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(sandbox.requests).toHaveLength(1);
  });

  test('of a create says that it was created', async ({ petstore, sandbox }) => {
    const { exitCode, events } = await petstore([
      'categories',
      'create',
      'dog',
      ...fails,
      '--json',
    ]);
    const text = await petstore(['categories', 'create', 'cat', ...fails]);

    expect(events().at(-1)).toEqual({
      event: 'error',
      kind: 'usage',
      message: `${wrong}, got a number`,
      outcome: 'created',
      exitCode: 2,
    });
    expect(exitCode).toBe(2);
    expect(text.stderr).toContain(`${wrong}, got a number\nThe category was created with id 2.\n`);
    expect(sandbox.categories).toHaveLength(2);
  });

  test('of an import says that it finished', async ({ petstore, folder, sandbox }) => {
    const file = put(folder, 'name\ndog\ncat\n');
    const { exitCode, events } = await petstore([
      ...['categories', 'import', file, '--yes', '--json'],
      ...['--query', 'length(rows)'],
    ]);

    expect(events().find(({ event }) => event === 'error')).toMatchObject({
      kind: 'usage',
      message: `${wrong}, got a number`,
      outcome: 'created',
    });
    expect(exitCode).toBe(2);
    expect(sandbox.categories).toHaveLength(2);
  });

  test('of an import that is not finished is said besides that', async ({
    petstore,
    folder,
    sandbox,
  }) => {
    sandbox.categories.push({ id: exact('1'), name: 'dog' });
    const file = put(folder, 'name\nDog\n');

    const { exitCode, stdout, stderr } = await petstore([
      ...['categories', 'import', file, '--yes', '--query', 'length(rows)'],
    ]);

    expect(stderr).toContain(`petstore: ${wrong}, got a number\n`);
    expect(stderr).toContain('petstore: 1 row refused');
    expect({ exitCode, stdout }).toEqual({ exitCode: 7, stdout: '' });
  });

  test('of any write says that the service accepted it', async ({ petstore, sandbox }) => {
    const argv = ['api', 'POST', '/categories', '--data', '{"name":"dog"}', ...fails];
    const { exitCode, stderr } = await petstore(argv);

    expect(stderr).toContain(`${wrong}, got a number\nThe service accepted the request.\n`);
    expect(exitCode).toBe(2);
    expect(sandbox.categories).toHaveLength(1);
  });
});

describe('A list that comes in pieces', () => {
  const number = fc.constantFrom('1', '2', '9007199254740993', '1.50');
  const id = number.map((text) => exact(text));
  const record: fc.Arbitrary<JsonObject> = fc.record(
    {
      id,
      name: fc.constantFrom('dog', 'cat', 'a\nb', ''),
      tags: fc.array(fc.constantFrom('x', 'y'), { maxLength: 3 }),
      description: fc.constantFrom('Loyal', null),
    },
    { requiredKeys: ['id', 'name'] },
  );
  const records = fc.array(record, { maxLength: 12 });
  const expression = fc.constantFrom(
    ...['@', '[]', '[*]', '[].name', '[*].tags', '[].tags[]', '[?id>`1`]', '[?id>`1`].name'],
    ...[
      '[].{n: name, d: description}',
      '[?tags].{n: name} | [?n]',
      '[].[id, name]',
      '@[*].description',
    ],
    ...[
      '[?id==`1`][].tags | []',
      '[].tags[].{t: @}',
      '[0]',
      '[-2:].name',
      'length(@)',
      'sort_by(@, &id)',
    ],
    ...['[*] | [1]', '[].name | [0]', '{all: [].id}', 'nope', 'reverse([].{id: id})', '[::2]', '*'],
  );
  const columns = fc.constantFrom(undefined, ['name'], ['id', 'name']);

  async function printed(
    format: Format,
    query: string,
    asked: readonly string[] | undefined,
    all: readonly JsonObject[],
    length: number,
  ) {
    let text = '';
    const output = {
      write: async (part: string) => {
        text += part;
      },
      isTTY: false,
      columns: undefined,
      stream: undefined,
    };
    const context = {
      stdout: output,
      stderr: output,
      signal: new AbortController().signal,
      sleep: async () => {},
      platform: 'linux',
      turn: async () => {},
    };
    const options = {
      format,
      columns: asked,
      header: true,
      ascii: false,
      wide: false,
      color: false,
    };
    const report = () => {};
    const printer = createPrinter(context, createSink(context).laid, report, options);
    const picked = queried(printer, query, { format, columns: asked });
    const names = ['id', 'name', 'tags', 'description'];
    if (length === 0) await picked.records(all, names);
    else {
      const pieces: Json[][] = [];
      for (let at = 0; at < all.length; at += length) pieces.push(all.slice(at, at + length));
      const list = { [Symbol.asyncIterator]: () => ReadableStream.from(pieces).values() };
      if (length % 2)
        await picked.stream(list as AsyncIterable<JsonObject[]>, names, { what: 'rows' });
      else await picked.anything(list as AsyncIterable<Json>);
    }
    return text;
  }

  test('prints what the whole list prints', async () => {
    const isSame = fc.asyncProperty(
      fc.constantFrom(...formats.filter((format) => format !== 'table')),
      expression,
      columns,
      records,
      fc.integer({ min: 1, max: 4 }),
      async (format, query, columns, all, length) => {
        const attempt = (length: number) =>
          printed(format, query, columns, all, length).catch((error) => String(error));
        expect(await attempt(length)).toBe(await attempt(0));
      },
    );
    await fc.assert(isSame, trials(1_000));
  });
});
