import { Readable } from 'node:stream';
import type { Run } from '../../support/import-cases.ts';
import { test as base, expect, type RunOptions, reply } from '../../support/petstore.ts';
import { category, formats } from '../../support/values.ts';

const test = base.extend<{ list: (flags?: string, options?: RunOptions) => Run }>({
  list: ({ petstore }, use) =>
    use((flags = '', options) => petstore(`categories list ${flags}`, options)),
});

const idsIn = (stdout: string) => stdout.match(/(?<="id":)-?\d+/g)?.join(' ');

test('a description of null is none, and other fields stay in JSON', async ({ list, sandbox }) => {
  const sent = '[{"id":1,"name":"dog","legs":4,"description":null,"__proto__":{"a":1}}]';
  sandbox.react = () => reply(200, sent);

  const shown = sent.slice(1, -1).replace('"description":null,', '');
  expect((await list('-o ndjson')).stdout).toBe(`${shown}\n`);
  expect((await list()).stdout).not.toContain('legs');
});

const [large, larger] = ['9007199254740992', '9007199254740993'];

test.for([
  ['id', `-2 10 ${large} ${larger}`],
  ['-id', `${larger} ${large} 10 -2`],
  ['name', `10 -2 ${larger} ${large}`],
  ['-name', `${larger} ${large} -2 10`],
  ['description', `${larger} ${large} 10 -2`],
  ['-description', `-2 10 ${larger} ${large}`],
])('sorts by %s, and what is equal stays in order', async ([field, order], { list, sandbox }) => {
  sandbox.categories.push(category(larger, 'c'), category(large, 'c'));
  sandbox.categories.push(category('10', 'a', 'x'), category('-2', 'b', 'y'));

  expect(idsIn((await list(`--sort ${field} -o ndjson`)).stdout)).toBe(order);
});

test('sorts a list above 1 MiB, with every field as it came', async ({ list, sandbox }) => {
  const more = `"more":[12345678901234567890,{"n":1}],"text":"${'x'.repeat(1_000)}"`;
  const rows = Array.from({ length: 1_100 }, (_, n) => `{"id":${n},"name":"${9_999 - n}",${more}}`);
  sandbox.react = () => reply(200, `[${rows.join(' , ')}]`);

  const { stdout } = await list('--sort name -o ndjson');

  expect(stdout).toBe(`${rows.toReversed().join('\n')}\n`);
});

test('prints a whole, validated result or nothing, up to 8 MiB', async ({ list, sandbox }) => {
  const row = `{"id":1,"name":"dog"}${' '.repeat(1_000_000)},`;
  const pieces = ['[', ...Array<string>(8).fill(row), '{"id":2}]'].map((text) => Buffer.from(text));
  sandbox.reactions.push(async () => ({ status: 200, headers: {}, body: Readable.from(pieces) }));

  const { exitCode, stdout, stderr } = await list('-o ndjson');

  expect([exitCode, stdout, stderr]).toEqual([
    5,
    '',
    expect.stringContaining('(item 9: name is missing)"'),
  ]);
});

test.for([
  ['--sort -name', '31425', 'table'],
  ['--limit 2', '12', 'json'],
  ['--search Cat --limit 2', '25', 'csv'],
  ['--search cat --sort -id --limit 1', '5', 'raw'],
  ...formats.map((format) => ['--sort -id --limit 2', '54', format] as const),
])(
  'searches names and descriptions in any case, then sorts, then takes the first: %s',
  async (row, { list, sandbox }) => {
    const [flags, order, format] = row;
    for (const [index, name] of ['dog', 'cat', 'fish', 'dog', 'bee'].entries()) {
      sandbox.categories.push(category(String(index + 1), name, name === 'bee' ? 'no CAT' : ''));
    }

    const { exitCode, stdout } = await list(`${flags} -o ${format}`);

    expect([exitCode, stdout.match(/\d/g)?.join('')]).toEqual([0, order]);
  },
);
