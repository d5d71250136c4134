import fc from 'fast-check';
import { describe } from 'vitest';
import { put } from '../support/import-cases.ts';
import { hostileName } from '../support/names.ts';
import { expect, reply, test } from '../support/petstore.ts';
import { trials } from '../support/trials.ts';
import { exact } from '../support/values.ts';

describe('-o raw', () => {
  test.for([
    { of: 'a text', json: '"a \\"b\\" c"', stdout: 'a "b" c\n' },
    { of: 'an empty text', json: '""', stdout: '\n' },
    { of: 'a number', json: '1.50', stdout: '1.50\n' },
    { of: 'an id', json: '-9223372036854775808', stdout: '-9223372036854775808\n' },
    { of: 'true', json: 'true', stdout: 'true\n' },
    { of: 'null', json: 'null', stdout: '\n' },
    { of: 'an object', json: '{"a": [1, "b"]}', stdout: '{"a":[1,"b"]}\n' },
    { of: 'a list', json: '[1, "b", null, "c d"]', stdout: '1\nb\n\nc d\n' },
    { of: 'an empty list', json: '[]', stdout: '' },
    { of: 'a list of lists', json: '[[1, "b"], {"c": null}]', stdout: '[1,"b"]\n{"c":null}\n' },
  ])('prints $of: $stdout', async ({ json, stdout }, { petstore, sandbox }) => {
    sandbox.react = () => reply(200, json);

    expect(await petstore(['api', 'GET', '/any', '-o', 'raw'])).toMatchObject({
      exitCode: 0,
      stdout,
    });
  });

  test.for([
    { text: 'a\nb', shown: 'a\\u{a}b' },
    { text: 'a\r\nb\tc', shown: 'a\\u{d}\\u{a}b\\u{9}c' },
    { text: 'a\u0000b\u001b[2J', shown: 'a\\u{0}b\\u{1b}[2J' },
    { text: 'C:\\Users\\n', shown: 'C:\\Users\\n' },
    { text: 'a\\u{a}b', shown: 'a\\u{5c}u{a}b' },
    { text: 'a\u202eb', shown: 'a\\u{202e}b' },
  ])(
    'prints %j on one line, on which nothing acts',
    async ({ text, shown }, { petstore, sandbox }) => {
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
