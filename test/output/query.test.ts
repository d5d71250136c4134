import { put } from '../support/import-cases.ts';
import { expect, test, testKey } from '../support/petstore.ts';
import { exact } from '../support/values.ts';

const dog = { id: exact('1'), name: 'dog', description: 'Loyal' };
const cat = { id: exact('9007199254740993'), name: 'cat' };
const rabbit = { id: exact('9007199254740992'), name: 'rabbit', description: '' };

const list = ['categories', 'list'];

test.for([
  ['[].name', 'ndjson', '"dog"\n"cat"\n"rabbit"\n'],
  ['[].name', 'csv', 'value\ndog\ncat\nrabbit\n'],
  ['[].{n: name, d: description}', 'csv', 'n,d\ndog,Loyal\ncat,\nrabbit,""\n'],
  ['[1].{n: name, d: description}', 'json', '{\n  "n": "cat",\n  "d": null\n}\n'],
  ['[?id==`9007199254740993`].name', 'raw', 'cat\n'],
  ['[?id>`1`] | [].[id]', 'ndjson', '[9007199254740993]\n[9007199254740992]\n'],
  ['[:2].[name, id]', 'tsv', '1\t2\ndog\t1\ncat\t9007199254740993\n'],
  ['[0]', 'csv', 'id,name,description\n1,dog,Loyal\n'],
  ['[9]', 'json', 'null\n'],
  ['[9]', 'raw', '\n'],
  ['[?id==`2`].{id: id, name: name}', 'csv', 'value\n'],
] as const)('--query %s as %s is %j', async ([query, format, stdout], { petstore, sandbox }) => {
  sandbox.categories.push(dog, cat, rabbit);

  const result = await petstore([...list, '--query', query, '-o', format]);

  expect(result).toMatchObject({ exitCode: 0, stdout });
  expect(sandbox.requests).toHaveLength(1);
});

test.for([
  ['config list', "[?setting=='output'].source | [0]", 'default'],
  ['limits', 'items[0].remaining', null],
  ['orders list', '[].quantity | sum(@)', 3],
  ['pets get 1', 'name', 'Bello'],
  ['categories create dog --dry-run', 'body.name', 'dog'],
  ['api POST /categories --data {"name":"x"}', 'name', 'x'],
] as const)('--query of %s is of its JSON: %s', async ([line, query, json], { petstore }) => {
  const argv = [...line.split(' '), '--query', query, '--json'];

  expect(await petstore(argv)).toMatchObject({ exitCode: 0, json });
});

test('--query of an import is of its report, in a table too', async ({ petstore, folder }) => {
  const argv = ['categories', 'import', put(folder, 'name\ndog\ncat\n'), '--yes'];

  const { stdout } = await petstore([...argv, '--query', "items[?outcome=='created'].{n: name}"]);

  expect(stdout).toBe('┌─────┐\n│ n   │\n├─────┤\n│ dog │\n│ cat │\n└─────┘\n');
});

test('--query comes before --columns', async ({ petstore, sandbox }) => {
  sandbox.categories.push(dog, cat);

  const argv = [...list, '--query', '[].{id: id, n: name}', '--columns', 'n', '-o'];
  expect((await petstore([...argv, 'csv'])).stdout).toBe('n\ndog\ncat\n');
  expect((await petstore([...argv, 'ndjson'])).stdout).toBe('{"n":"dog"}\n{"n":"cat"}\n');

  const unknown = await petstore([...argv, 'raw', '--columns', 'name']);
  expect(unknown).toMatchObject({ exitCode: 0, stdout: '\n\n' });
  const notice = 'petstore: unknown column "name"; the response has "id", "n"\n';
  expect(unknown.stderr).toContain(notice);
});

test('--query finds no key, and what it takes apart has lost it before', async ({
  petstore,
  sandbox,
}) => {
  sandbox.categories.push({ ...dog, description: `my ${testKey}` });

  const query = `[[].description, [].reverse(description), ['${testKey}']][]`;
  const { stdout } = await petstore([...list, '--query', query, '-o', 'raw']);

  expect(stdout).toBe('my [key]\n]yek[ ym\n[key]\n');
});

test('a --query that fails on an unfinished import is said besides that', async ({
  petstore,
  folder,
  sandbox,
}) => {
  sandbox.categories.push({ id: exact('1'), name: 'dog' });
  const argv = ['categories', 'import', put(folder, 'name\nDog\n'), '--yes'];

  const { exitCode, stdout, stderr } = await petstore([...argv, '--query', 'length(rows)']);

  expect(stderr).toContain('petstore: --query failed: Invalid type: length() expected');
  expect(stderr).toContain('petstore: 1 row refused');
  expect({ exitCode, stdout }).toEqual({ exitCode: 7, stdout: '' });
});
