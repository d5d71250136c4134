import { expect, reply, test } from '../support/petstore.ts';

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
  "no": null, "zero": 0, "empty": "", "text": "äbc", "astronaut": "👩‍🚀"
}`;

/** Of each expression the result, as JSON without spaces. */
const results: Readonly<Record<string, readonly (readonly [expression: string, json: string])[]>> =
  {
    'A name': [
      ['odd."\\""', '2'],
      ['odd.__proto__', '3'],
      ['odd.length', '4'],
      ['constructor', 'null'],
      ['odd.toString', 'null'],
    ],
    'An index or a slice': [['owners[0:1]', 'null']],
    'A projection': [
      ['pets[*].owner.name', '["Ann"]'],
      ['pets[].tags[]', '["big","old","big"]'],
      ['lists[][]', '[1,2,3,4]'],
      ['owners.*.n', '["x","y"]'],
    ],
    'A filter': [
      ['pets[?id==`9007199254740993`].name', '["dog"]'],
      ['pets[?id>`9007199254740992`].name', '["dog","emu"]'],
      ['pets[?age==`3`].age', '[3,3]'],
      ['pets[?owner==`null`].name', '["cat","emu","ape"]'],
      ['pets[?age<`2` || age>`2` && age<`4`].name', '["dog","cat","ape"]'],
      ['lists[?@ == `[1, 2.0]`]', '[[1,2]]'],
    ],
    'A comparison': [
      ['zero == `-0`', 'true'],
      ['`1e0` == `1.0`', 'true'],
      ['owners == `{"c": 1.0, "b": {"n": "y"}, "a": {"n": "x"}}`', 'true'],
      ['owners.a == `{"n": "x", "m": 1}`', 'false'],
      // Only numbers have an order.
      ['text > `1`', 'null'],
      ["pets[?name > 'a']", '[]'],
    ],
    'What holds': [
      ["zero || 'x'", '0'],
      ['no || text && zero', '0'],
    ],
    'A list or an object that is made': [
      ['[zero, no, text]', '[0,null,"äbc"]'],
      ['{z: zero, "a b": text, n: nope}', '{"z":0,"a b":"äbc","n":null}'],
    ],
    'A literal': [
      ["'it\\'s'", '"it\'s"'],
      ["'\\n'", '"\\\\n"'],
      ['`"\\`"`', '"`"'],
      ['`{"a": [1.50, true, 9007199254740993]}`', '{"a":[1.5,true,9007199254740993]}'],
      ["[`1`, '`', `\"'\"`, `3`]", '[1,"`","\'",3]'],
      ['written[]', '[1.5,100,0,0.1]'],
    ],
    'A function': [
      ['abs(`-9223372036854775808`)', '9223372036854775808'],
      ['abs(`-1.50`)', '1.5'],
      ['avg(numbers)', '30'],
      ['[ceil(`1.2`), ceil(`-0.5`), ceil(pets[0].id)]', '[2,0,9007199254740993]'],
      ['[floor(`-1.2`), floor(pets[0].id)]', '[-2,9007199254740993]'],
      ['contains(pets[].id, `9007199254740993`)', 'true'],
      ["[contains(text, 'bc'), contains(text, `1`)]", '[true,null]'],
      ["[starts_with(text, 'ä'), ends_with(text, 'b')]", '[true,false]'],
      ["[join('-', pets[].name), join('-', `[]`)]", '["dog-cat-emu-ape",""]'],
      ['[not_null(no, nope, zero), not_null(no)]', '[0,null]'],
      ['[to_array(zero), to_array(numbers)]', '[[0],[10,9,1,100]]'],
      ['keys(odd)', '["a b","\\"","__proto__","length"]'],
      ['values(owners)', '[{"n":"x"},{"n":"y"},1]'],
      ['[length(text), length(astronaut), length(pets), length(owners)]', '[3,3,4,3]'],
      ['map(&owner.name, pets)', '["Ann",null,null,null]'],
      ['[max(numbers), max(words), max(`[]`)]', '[100,"ä",null]'],
      ['[max(pets[].id), min(pets[].id)]', '[9223372036854775807,-9223372036854775808]'],
      ['max_by(pets[?age<`4`], &age).name', '"dog"'],
      ['[min_by(pets, &id).name, min_by(`[]`, &id)]', '["ape",null]'],
      ['merge(owners.a, `{"m": 1, "n": "z"}`)', '{"n":"z","m":1}'],
      ["[reverse(numbers), reverse('a😀')]", '[[100,1,9,10],"😀a"]'],
      ['sort(numbers)', '[1,9,10,100]'],
      ['sort(words)', '["","B","a","b","ä"]'],
      ['sort_by(pets, &id)[].name', '["ape","cat","dog","emu"]'],
      ['sort_by(pets, &age)[].name', '["cat","dog","ape","emu"]'],
      ['group_by(pets, &name).ape[].id', '[-9223372036854775808]'],
      ['sum(pets[].id)', '18014398509481984'],
      ['sum(`[9223372036854775807, 1]`)', '9223372036854775808'],
      ['[sum(`[0.5, 1]`), sum(`[]`)]', '[1.5,0]'],
      ["[to_number('9007199254740993'), to_number('1.50')]", '[9007199254740993,1.5]'],
      ["[to_number('x'), to_number(''), to_number(numbers)]", '[null,null,null]'],
      ['[to_string(pets[0].id), to_string(text)]', '["9007199254740993","äbc"]'],
      ['to_string(written)', '"[1.5,100,0,0.1]"'],
      [
        '[type(no), type(text), type(words), type(@), type(pets[0].id), type(`true`)]',
        '["null","string","array","object","number","boolean"]',
      ],
    ],
    // The library on which an evaluator may rest does otherwise.
    'What is easily wrong': [
      ['zero.* || `1`', '1'],
      ['numbers[].*', '[]'],
      ["[to_number('1e3'), to_number('01')]", '[1000,null]'],
    ],
  };

const print = ['api', 'GET', '/x', '-o', 'json', '--query'];

test.for(Object.entries(results))('%s of --query', async ([, rows], { petstore, sandbox }) => {
  sandbox.react = () => reply(200, data);
  for (const [expression, json] of rows) {
    const { exitCode, stdout } = await petstore([...print, expression]);

    expect(exitCode, expression).toBe(0);
    expect(stdout.replace(/\n */g, '').replaceAll('": ', '":'), expression).toBe(json);
  }
});

test.for(['ceil(`1e400`)', 'sum(`[1e400, 1]`)', 'avg(`[1e400, -1e400]`)'])(
  'a number that is too large for JavaScript is JSON all the same, or refused: %s',
  async (expression, { petstore, sandbox }) => {
    sandbox.react = () => reply(200, data);

    const { exitCode, stdout } = await petstore([...print, expression]);

    if (exitCode === 2) expect(stdout).toBe('');
    else expect(stdout).toMatch(/^(-?\d[\d.e+]*|null)\n$/);
  },
);

test('a query takes long lists and texts', async ({ petstore, sandbox }) => {
  const list = Array.from({ length: 200_000 }, (_, index) => 200_000 - index);
  sandbox.react = () => reply(200, { list, text: 'äb'.repeat(100_000) });

  const query = '[max(list), min(list), sort(list)[1], reverse(list)[2], length(reverse(text))]';
  const { stdout } = await petstore([...print, query]);

  expect(JSON.parse(stdout)).toEqual([200_000, 1, 2, 3, 200_000]);
});

const invalid = [
  ...['foo.', '.foo', 'foo..bar', 'foo bar', 'foo[bar]', 'foo.[0]', 'foo{a: b}', 'name)'],
  ...['[', '[0', '[0:', '[?', '{a: }', '{a', '{a: b,}', "{'a': b}", '[a,]', 'a ||'],
  ...['[1:2:3:4]', 'length(@', '(foo)(bar)', '"length"(@)', 'näme', 'a ; b', '  ', '\n'],
  ...['[?id == 4]', '[?id == -4]', '[?name==`dog`]', "[?name=='dog'", '``', '`1`2`', '"open'],
  ...['lenght(@)', '[::x]'],
  ...["'open", 'length()', "join(',', @, @)", 'constructor(@)'],
];

test('an invalid --query is refused before anything is sent', async ({ petstore, sandbox }) => {
  for (const query of invalid) {
    const argv = ['categories', 'create', 'dog', '--query', query];
    const { exitCode, stdout, stderr } = await petstore(argv);

    expect({ exitCode, stdout }, query).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/^petstore: .*--query.*\nNothing was sent\.\n/);
  }
  expect(sandbox.requests).toEqual([]);
});

const list = [
  { id: 1, name: 'dog', description: 'Loyal' },
  { id: 2, name: 'cat' },
];

/** Of each expression what is said, and the hint without its example. */
const unfit = [
  [
    "[?ends_with(description, 'o')]",
    'ends_with() takes a string as argument 1, and was given null',
    'default',
  ],
  [
    '[].length(description)',
    'length() takes a string or an array or an object as argument 1, and was given null',
    'default',
  ],
  [
    "[?contains(id, '1')]",
    'contains() takes a string or an array as argument 1, and was given a number',
    'Convert',
  ],
  [
    '[?starts_with(name, `1`)]',
    'starts_with() takes a string as argument 2, and was given a number',
    'Convert',
  ],
  [
    "join(', ', [].id)",
    'join() takes an array of strings as argument 2, and was given one of other values',
    'convert',
  ],
  [
    'sum([].name)',
    'sum() takes an array of numbers as argument 1, and was given one of other values',
    'Pick numbers',
  ],
  ['abs(@)', 'abs() takes a number as argument 1, and was given an array', 'Pick numbers'],
  ['keys(@)', 'keys() takes an object as argument 1, and was given an array', 'Pick one object'],
  ['map(&n, [0])', 'map() takes an array as argument 2, and was given an object', 'Pick an array'],
  [
    'from_items(@)',
    'from_items() takes an array of arrays as argument 1, and was given one of other values',
    'Pick strings',
  ],
  ['group_by(@, &description)', 'the expression gives null where a string is needed', 'default'],
  ['sort_by(@, &description)', 'cannot order null and a string', 'default'],
  ['max_by(@, &[name])', 'cannot order an array and an array', 'Put numbers'],
] as const;

test('a --query that does not fit says what it was given, and shows one that works', async ({
  petstore,
  sandbox,
}) => {
  sandbox.react = () => reply(200, list);
  for (const [query, message, help] of unfit) {
    const { exitCode, stdout, events } = await petstore([...print, query, '--json']);

    expect({ exitCode, stdout }, query).toEqual({ exitCode: 2, stdout: '' });
    const [error] = events();
    expect(error, query).toMatchObject({ message: `--query failed: ${message}` });
    expect(error?.hint, query).toContain(help);
    expect(error).not.toHaveProperty('outcome');
    const [, example = ''] = /: (.*?)(?:, \[\?name.*)?\.$/.exec(String(error?.hint)) ?? [];
    const shown = await petstore([...print, example]);
    expect(shown.exitCode, example).toBe(0);
  }
});

test.for([
  ["[?id=='1']", '--query compares id, a number, with a string: write `1`'],
  ["[?'1'!=id].name", '--query compares id, a number, with a string: write `1`'],
  ["[?id=='dog']", '--query compares id, a number, with a string'],
  ["[?id > '1']", '--query compares id, a number, with a string: write `1`'],
  ['[?name==`7`]', "--query compares name, a string, with a number: write '7'"],
  ["[?length(name)=='3']", '--query compares a value, a number, with a string: write `3`'],
  ["[?name>='cat']", '--query orders name, a string: only numbers have an order'],
] as const)(
  '%s is a comparison that never holds, which is said',
  async ([query, said], { petstore, sandbox }) => {
    sandbox.react = () => reply(200, list);

    const { exitCode, events } = await petstore([...print, query]);

    expect(exitCode).toBe(0);
    expect(events()).toContainEqual({ event: 'notice', message: said });
  },
);

test.for([
  "[?name=='1']",
  "[?description=='Loyal']",
  '[?id==`7`]',
  "[].[id, name][?@=='dog'][]",
  '[?id!=name]',
])('nothing is said of %s', async (query, { petstore, sandbox }) => {
  sandbox.react = () => reply(200, list);

  const { stderr } = await petstore([...print, query]);

  expect(stderr).not.toContain('--query');
});

test.for([
  ['name)', 'unexpected ")"'],
  ['foo bar', 'unexpected "bar"'],
  ['[?id == 4]', 'unexpected "4"'],
  ['[::x]', 'unexpected "x"'],
  ['[?id', 'the expression ends too early'],
  ['[a,]', 'a bracket is missing or in the wrong place'],
  ['[?name=="dog"}', 'a bracket is missing or in the wrong place'],
  ["{'a': b}", 'expected a name'],
  ['foo[bar]', 'brackets take a number, *, ?CONDITION or a list'],
  ["[?name='dog']", '"=" compares nothing; write "=="'],
  ['lenght(@)', 'unknown function lenght()'],
] as const)('%s is refused in our words: %s', async ([query, said], { petstore }) => {
  const { exitCode, events } = await petstore([...print, query]);

  expect(exitCode).toBe(2);
  expect(events()[0]?.message).toBe(`invalid --query: ${said}`);
});
