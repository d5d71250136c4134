import fc from 'fast-check';
import { describe } from 'vitest';
import { put } from '../support/import-cases.ts';
import { hostileName } from '../support/names.ts';
import { expect, reply, test } from '../support/petstore.ts';
import { trials } from '../support/trials.ts';
import { exact } from '../support/values.ts';

describe('-o raw', () => {
  test.for([
    ['a text', 'a "b" c\n', '"a \\"b\\" c"'],
    ['an empty text', '\n', '""'],
    ['a number', '1.50\n', '1.50'],
    ['an id', '-9223372036854775808\n', '-9223372036854775808'],
    ['true', 'true\n', 'true'],
    ['null', '\n', 'null'],
    ['an object', '{"a":[1,"b"]}\n', '{"a": [1, "b"]}'],
    ['a list', '1\nb\n\nc d\n', '[1, "b", null, "c d"]'],
    ['an empty list', '', '[]'],
    ['a list of lists', '[1,"b"]\n{"c":null}\n', '[[1, "b"], {"c": null}]'],
  ] as const)('prints %s: %s', async ([, stdout, json], { petstore, sandbox }) => {
    sandbox.react = () => reply(200, json);

    expect(await petstore(['api', 'GET', '/any', '-o', 'raw'])).toMatchObject({
      exitCode: 0,
      stdout,
    });
  });

  test.for([
    ['a\nb', 'a\\u{a}b'],
    ['a\r\nb\tc', 'a\\u{d}\\u{a}b\\u{9}c'],
    ['a\u0000b\u001b[2J', 'a\\u{0}b\\u{1b}[2J'],
    ['C:\\Users\\n', 'C:\\Users\\n'],
    ['a\\u{a}b', 'a\\u{5c}u{a}b'],
    ['a\u202eb', 'a\\u{202e}b'],
  ] as const)(
    'prints %j on one line, on which nothing acts',
    async ([text, shown], { petstore, sandbox }) => {
      sandbox.react = () => reply(200, JSON.stringify([text]));

      expect((await petstore(['api', 'GET', '/any', '-o', 'raw'])).stdout).toBe(`${shown}\n`);
    },
  );

  test('prints no two names alike, and each on one line', async ({ petstore, sandbox }) => {
    const names = fc.uniqueArray(hostileName, { minLength: 2, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(names, async (names) => {
        sandbox.react = () => reply(200, JSON.stringify(names));
        const { stdout } = await petstore(['api', 'GET', '/any', '-o', 'raw']);
        const lines = stdout.split('\n').slice(0, -1);
        expect(lines).toHaveLength(names.length);
        expect(new Set(lines)).toHaveLength(names.length);
      }),
      trials(200),
    );
  });

  test('prints a setting or a path as it is', async ({ petstore }) => {
    const env = { PETSTORE_MAX_WAIT: '5m' };

    expect((await petstore(['config', 'get', 'max-wait', '-o', 'raw'], { env })).stdout).toBe(
      '5m\n',
    );
    const path = await petstore(['config', 'path', '-o', 'raw']);
    expect(path.stdout).toBe((await petstore(['config', 'path'])).stdout);
  });

  test('prints a record, or each one of a list, as a line of JSON', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.categories.push(
      { id: exact('1'), name: 'dog', description: 'Loyal' },
      { id: exact('2'), name: 'cat' },
    );

    const created = await petstore(['categories', 'create', 'rabbit', '-o', 'raw']);
    const listed = await petstore(['categories', 'list', '-o', 'raw', '--columns', 'name,id']);

    expect(created.stdout).toBe('{"id":1,"name":"rabbit"}\n');
    expect(listed.stdout).toBe(
      '{"name":"dog","id":1}\n{"name":"cat","id":2}\n{"name":"rabbit","id":1}\n',
    );
  });

  test('prints the rows of a report', async ({ petstore, folder }) => {
    const argv = ['categories', 'import', put(folder, 'name\ndog\n'), '--dry-run', '-o', 'raw'];

    expect((await petstore(argv)).stdout).toBe('{"line":2,"name":"dog","intention":"create"}\n');
  });

  test('leaves stderr as text', async ({ petstore }) => {
    const { stderr } = await petstore(['categories', 'list', '-o', 'raw', '--sort', 'x']);

    expect(stderr).toMatch(/^petstore: invalid value "x" for --sort/);
  });

  test('can be set', async ({ petstore }) => {
    const env = { PETSTORE_OUTPUT: 'raw' };

    expect((await petstore(['config', 'get', 'output'], { env })).stdout).toBe('raw\n');
  });
});
