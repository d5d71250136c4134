import { parse } from 'yaml';
import { put } from '../support/import-cases.ts';
import { expect, reply, test } from '../support/petstore.ts';
import { exact } from '../support/values.ts';

const two = [
  { id: exact('1'), name: 'dog, big', description: 'Says "wuff"\n\tand more' },
  { id: exact('9007199254740993'), name: '123' },
];
const pet =
  '{"id":1,"tags":["a","b"],"size":{"cm":[1.5,9007199254740993]},"price":123456789012345678901234567890,"none":null,"born":"2020-01-02"}';
const rows = 'name,description\nferret,\ndog,Loyal\n';

/** What each command prints, coloured where it may be. */
const prints: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'categories list --columns id,name,description': {
    csv: 'id,name,description\n1,"dog, big","Says ""wuff""\n\tand more"\n9007199254740993,123,\n',
    tsv: 'id\tname\tdescription\n1\tdog, big\tSays "wuff"\\n\\tand more\n9007199254740993\t123\t\n',
    yaml: '- id: 1\n  name: dog, big\n  description: "Says \\"wuff\\"\\n\\tand more"\n- id: 9007199254740993\n  name: "123"\n',
  },
  'categories list --columns name,id': {
    table:
      '┌──────────┬──────────────────┐\n\u001b[1m│ name     │ id               │\u001b[22m\n├──────────┼──────────────────┤\n│ dog, big │ 1                │\n│ 123      │ 9007199254740993 │\n└──────────┴──────────────────┘\n',
    json: '[\n  {\n    "name": "dog, big",\n    "id": 1\n  },\n  {\n    "name": "123",\n    "id": 9007199254740993\n  }\n]\n',
    ndjson: '{"name":"dog, big","id":1}\n{"name":"123","id":9007199254740993}\n',
    csv: 'name,id\n"dog, big",1\n123,9007199254740993\n',
    tsv: 'name\tid\ndog, big\t1\n123\t9007199254740993\n',
    yaml: '- name: dog, big\n  id: 1\n- name: "123"\n  id: 9007199254740993\n',
  },
  'categories list --columns id --no-header --sort name': {
    raw: '9007199254740993\n1\n',
    ndjson: '{"id":9007199254740993}\n{"id":1}\n',
    table:
      '┌──────────────────┐\n│ 9007199254740993 │\n│ 1                │\n└──────────────────┘\n',
    csv: '9007199254740993\n1\n',
    tsv: '9007199254740993\n1\n',
    yaml: '- id: 9007199254740993\n- id: 1\n',
  },
  'categories create cat': {
    raw: '{"id":1,"name":"cat"}\n',
    yaml: 'id: 1\nname: cat\n',
  },
  'categories get 123': {
    raw: '{"id":9007199254740993,"name":"123"}\n',
    csv: 'id,name,description\n9007199254740993,123,\n',
    yaml: 'id: 9007199254740993\nname: "123"\n',
  },
  'pets get 1 --columns size,id --no-header': {
    table:
      '┌──────┬───────────────────────────────┐\n│ size │ {"cm":[1.5,9007199254740993]} │\n│ id   │ 1                             │\n└──────┴───────────────────────────────┘\n',
    raw: '{"size":{"cm":[1.5,9007199254740993]},"id":1}\n',
  },
  'pets get 1 --columns size': { raw: '{"cm":[1.5,9007199254740993]}\n' },
  'pets get 1 --columns none': { raw: '\n' },
  'categories create cat --columns name': { raw: 'cat\n', csv: 'name\ncat\n' },
  'categories create cat --columns description': { raw: '\n' },
  'pets get 1': {
    csv: 'id,tags,size,price,none,born\n1,"[""a"",""b""]","{""cm"":[1.5,9007199254740993]}",123456789012345678901234567890,null,2020-01-02\n',
    yaml: 'id: 1\ntags:\n  - a\n  - b\nsize:\n  cm:\n    - 1.5\n    - 9007199254740993\nprice: 123456789012345678901234567890\nnone: null\nborn: "2020-01-02"\n',
  },
  limits: {
    csv: 'window,limit,remaining,used,resetAt,source\nminute,,,,,unknown\nday,,,,,unknown\n',
    yaml: 'inFlight: 0\nwait: null\nstore: null\nitems:\n- window: minute\n  source: unknown\n- window: day\n  source: unknown\n',
  },
  'categories import FILE --dry-run': {
    raw: '{"change":"create","line":2,"name":"ferret"}\n{"change":"create","line":3,"name":"dog","description":"Loyal"}\n',
    yaml: '- change: create\n  line: 2\n  name: ferret\n- change: create\n  line: 3\n  name: dog\n  description: Loyal\n',
  },
  'categories import FILE --dry-run --columns change,line,description': {
    csv: 'change,line,description\ncreate,2,\ncreate,3,Loyal\n',
  },
  'limits --columns window,source': {
    table:
      '┌────────┬─────────┐\n\u001b[1m│ window │ source  │\u001b[22m\n├────────┼─────────┤\n│ minute │ unknown │\n│ day    │ unknown │\n└────────┴─────────┘\n',
    ndjson: '{"window":"minute","source":"unknown"}\n{"window":"day","source":"unknown"}\n',
  },
  'categories import FILE --yes --columns name': {
    csv: 'name\nferret\ndog\n',
    json: '[\n  {\n    "name": "ferret"\n  },\n  {\n    "name": "dog"\n  }\n]\n',
  },
  'categories import FILE --yes --query items[?line==`3`].{n:name}': {
    table: '┌─────┐\n\u001b[1m│ n   │\u001b[22m\n├─────┤\n│ dog │\n└─────┘\n',
  },
  'categories import FILE --yes': {
    csv: 'line,name,outcome,id,as,status,code,message\n2,ferret,created,9007199254740993,,,,\n3,dog,created,9007199254740994,,,,\n',
    yaml: 'file: "pets.csv"\nrows: 2\ncounts:\n  created: 2\ncopies: []\nitems:\n- line: 2\n  name: ferret\n  outcome: created\n  id: 9007199254740993\n- line: 3\n  name: dog\n  outcome: created\n  id: 9007199254740994\n',
  },
};

const cases = Object.entries(prints).flatMap(([command, printed]) =>
  Object.entries(printed).map(([format, stdout]) => ({ command, format, stdout })),
);

test.for(cases)(
  '$command as $format',
  async ({ command, format, stdout }, { petstore, sandbox, folder }) => {
    if (/^categories (?:list|get)/.test(command)) sandbox.categories.push(...two);
    if (command.startsWith('pets')) sandbox.reactions.push(reply(200, pet));
    if (command.endsWith('--yes')) sandbox.lastId = 2n ** 53n;
    const file = put(folder, rows);
    const argv = command.split(' ').map((word) => (word === 'FILE' ? file : word));

    const result = await petstore([...argv, '-o', format], { env: { FORCE_COLOR: '1' } });

    expect(result).toMatchObject({ exitCode: 0, stdout: stdout.replace('pets.csv', file) });
    expect(result.stderr.startsWith('{"event"')).toBe(format.endsWith('json'));
  },
);

test.for([
  [
    'an object',
    '{"total":2,"a":[{}]}',
    '│ a     │ [{}]  │',
    'total,a\n2,[{}]\n',
    'total: 2\na:\n  - {}\n',
  ],
  ['a list of words', '["a","b"]', '│ a     │', 'value\na\nb\n', '- a\n- b\n'],
  ['a mixed list', '[1,{"a":2}]', '│ 1       │', 'value\n1\n"{""a"":2}"\n', '- 1\n- a: 2\n'],
  [
    'records that differ',
    '[{"a":1},{"b":null}]',
    '│   │ null │',
    'a,b\n1,\n,null\n',
    '- a: 1\n- b: null\n',
  ],
  ['an empty list', '[]', '', 'value\n', '[]\n'],
] as const)('%s of orders keeps its shape', async (row, { petstore, sandbox }) => {
  const [, body, table, csv, yaml] = row;
  sandbox.react = () => reply(200, body);

  expect((await petstore('orders list')).stdout).toContain(table);
  expect((await petstore('orders list --json')).stdout.replace(/\s/g, '')).toBe(body);
  expect((await petstore('orders list -o csv')).stdout).toBe(csv);
  expect((await petstore('orders list -o yaml')).stdout).toBe(yaml);
});

test('a report of many pieces is one document, in order', async ({ petstore, folder }) => {
  const names = Array.from({ length: 1_001 }, (_, n) => `pet ${n}`);
  const argv = ['categories', 'import', put(folder, ['name', ...names].join('\n')), '--dry-run'];
  const print = async (format: string) => (await petstore([...argv, '-o', format])).stdout;

  const [json, yaml, csv] = [await print('json'), await print('yaml'), await print('csv')];

  const named = (items: { name: string }[]) => items.map(({ name }) => name);
  expect(named(JSON.parse(json))).toEqual(names);
  expect(named(parse(yaml))).toEqual(names);
  expect(csv.split('\n').filter((line) => line.startsWith('change,'))).toHaveLength(1);
  expect(csv.split('\n')).toHaveLength(names.length + 2);
});

test.for<[line: string, stdin: string]>([
  ['categories import - --format csv --yes', 'name\n'],
  ['categories import - --format json --yes', '[]'],
  ['categories import - --format csv --dry-run', 'name\n'],
  ['categories list', ''],
  ['categories list --no-header -o csv', ''],
])('of %s nothing is printed, not an empty line', async ([line, stdin], { petstore }) => {
  const { exitCode, stdout, stderr } = await petstore(line, { stdin });

  expect([exitCode, stdout]).toEqual([0, '']);
  expect(stderr).not.toMatch(/^petstore: $/m);
});
