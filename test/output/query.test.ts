import { put } from '../support/import-cases.ts';
import { expect, reply, test, testKey } from '../support/petstore.ts';
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

const data = `{
  "pets": [
    {"id": 9007199254740993, "name": "dog", "age": 3, "tags": ["big", "old"], "owner": {"name": "Ann"}},
    {"id": 9007199254740992, "name": "cat", "age": 1.5, "tags": [], "owner": null},
    {"id": 9223372036854775807, "name": "emu", "age": 12, "tags": ["big"]},
    {"id": -9223372036854775808, "name": "ape", "age": 3.0}
  ],
  "numbers": [10, 9, 1, 100],
  "words": ["b", "", "ä", "B", "a"],
  "written": [1.50, 1E+2, -0, 0.10],
  "lists": [[1, 2], 3, [[4]], null],
  "owners": {"a": {"n": "x"}, "b": {"n": "y"}, "c": 1},
  "odd": {"a b": 1, "\\"": 2, "__proto__": 3, "length": 4},
  "no": null, "zero": 0, "text": "äbc", "astronaut": "👩‍🚀"
}`;

/** Of each expression the result. */
const results: readonly (readonly [expression: string, json: string])[] = [
  // Names
  ['odd."\\""', '2'],
  ['odd.__proto__', '3'],
  ['odd.length', '4'],
  ['constructor', 'null'],
  ['odd.toString', 'null'],
  // Slices and projections
  ['owners[0:1]', 'null'],
  ['pets[*].owner.name', '["Ann"]'],
  ['pets[].tags[]', '["big","old","big"]'],
  ['lists[][]', '[1,2,3,4]'],
  ['owners.*.n', '["x","y"]'],
  ['zero.* || `1`', '1'],
  ['numbers[].*', '[]'],
  // Filters and comparisons; only numbers have an order
  ['pets[?id==`9007199254740993`].name', '["dog"]'],
  ['pets[?id>`9007199254740992`].name', '["dog","emu"]'],
  ['pets[?age==`3`].age', '[3,3]'],
  ['pets[?owner==`null`].name', '["cat","emu","ape"]'],
  ['pets[?age<`2` || age>`2` && age<`4`].name', '["dog","cat","ape"]'],
  ['[numbers[?@>=`10`], numbers[?@<=`9`]]', '[[10,100],[9,1]]'],
  ['lists[?@ == `[1, 2.0]`]', '[[1,2]]'],
  ['[zero == `-0`, `1e0` == `1.0`]', '[true,true]'],
  ['owners == `{"c": 1.0, "b": {"n": "y"}, "a": {"n": "x"}}`', 'true'],
  ['owners.a == `{"n": "x", "m": 1}`', 'false'],
  ['text > `1`', 'null'],
  ["pets[?name > 'a']", '[]'],
  // Lists, objects and literals
  ['{z: zero, "a b": text, n: nope}', '{"z":0,"a b":"äbc","n":null}'],
  ["['it\\'s', '\\n', `\"\\`\"`]", '["it\'s","\\\\n","`"]'],
  ['`{"a": [1.50, true, 9007199254740993]}`', '{"a":[1.5,true,9007199254740993]}'],
  ["[`1`, '`', `\"'\"`, `3`]", '[1,"`","\'",3]'],
  ['written[]', '[1.5,100,0,0.1]'],
  // Functions
  ['[abs(`-9223372036854775808`), abs(`-1.50`)]', '[9223372036854775808,1.5]'],
  ['[avg(numbers), avg(`[]`)]', '[30,null]'],
  ['[ceil(`1.2`), ceil(`-0.5`), ceil(pets[0].id)]', '[2,0,9007199254740993]'],
  ['[floor(`-1.2`), floor(pets[0].id)]', '[-2,9007199254740993]'],
  ['contains(pets[].id, `9007199254740993`)', 'true'],
  ["[contains(text, 'bc'), contains(text, `1`)]", '[true,null]'],
  ['keys(odd)', '["a b","\\"","__proto__","length"]'],
  ['values(owners)', '[{"n":"x"},{"n":"y"},1]'],
  ['[length(text), length(astronaut), length(pets), length(owners)]', '[3,3,4,3]'],
  ['map(&owner.name, pets)', '["Ann",null,null,null]'],
  ['[max(numbers), max(words), max(`[]`)]', '[100,"ä",null]'],
  ['[max(pets[].id), min(pets[].id)]', '[9223372036854775807,-9223372036854775808]'],
  ['max_by(pets[?age<`4`], &age).name', '"dog"'],
  ['[min_by(pets, &id).name, min_by(`[]`, &id)]', '["ape",null]'],
  ["[reverse(numbers), reverse('a😀')]", '[[100,1,9,10],"😀a"]'],
  ['[sort(numbers), sort(words)]', '[[1,9,10,100],["","B","a","b","ä"]]'],
  ['sort_by(pets, &id)[].name', '["ape","cat","dog","emu"]'],
  ['sort_by(pets, &age)[].name', '["cat","dog","ape","emu"]'],
  ['group_by(pets, &name).ape[].id', '[-9223372036854775808]'],
  ['[sum(pets[].id), sum(`[9223372036854775807, 1]`)]', '[18014398509481984,9223372036854775808]'],
  ['[sum(`[0.5, 1]`), sum(`[]`)]', '[1.5,0]'],
  ["[to_number('9007199254740993'), to_number('1e3')]", '[9007199254740993,1000]'],
  ["[to_number('x'), to_number('01'), to_number(''), to_number(numbers)]", '[null,null,null,null]'],
  ['[to_string(pets[0].id), to_string(text)]', '["9007199254740993","äbc"]'],
  ['to_string(written)', '"[1.5,100,0,0.1]"'],
  ['[type(no), type(text), type(words), type(@)]', '["null","string","array","object"]'],
  ['[type(pets[0].id), type(`true`)]', '["number","boolean"]'],
];

const print = ['api', 'GET', '/x', '-o', 'ndjson', '--query'];

test('each expression of --query has its result', async ({ petstore, sandbox }) => {
  sandbox.react = () => reply(200, data);

  const expressions = results.map(([expression]) => expression).join(', ');
  const { stdout } = await petstore([...print, `[${expressions}]`]);

  const printed = stdout.trimEnd().split('\n');
  for (const [at, [expression, json]] of results.entries())
    expect(printed[at], expression).toBe(json);
});

test('a query takes long lists and texts', async ({ petstore, sandbox }) => {
  const list = Array.from({ length: 130_000 }, (_, index) => 130_000 - index);
  sandbox.react = () => reply(200, { list, text: 'äb'.repeat(65_000) });

  const query = '[max(list), min(list), sort(list)[1], reverse(list)[2], length(reverse(text))]';
  const { stdout } = await petstore([...print, query]);

  expect(stdout).toBe('130000\n1\n2\n3\n130000\n');
});
