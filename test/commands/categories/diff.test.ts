import { put } from '../../support/import-cases.ts';
import { expect, reply, test } from '../../support/petstore.ts';
import { category } from '../../support/values.ts';

const listed = [
  category('9007199254740993', 'dog', 'Loyal'),
  category('2', 'cat'),
  category('-3', 'emu', 'Runs'),
  category('4', 'fish', 'Swims'),
];
const file = 'name,description\nparrot,Talks\ncat,Purrs\ndog,Barks\nFish,\nfish,Swims\nparrot,\n';
const header = 'change,line,name,id,looksLike,description,serviceDescription';
const similar = 'similar,5,Fish,,fish,,';
const differences = [
  'create,2,parrot,,,Talks,',
  'differs,3,cat,2,,Purrs,',
  'differs,4,dog,9007199254740993,,Barks,Loyal',
  similar,
  'only_in_service,,emu,-3,,,Runs',
];

test.for([
  ['all kinds', file, 7, differences],
  ['a new name', 'name\ndog\ncat\nemu\nfish\nowl\n', 7, ['create,6,owl,,,,']],
  ['a similar name', 'name\ndog\ncat\nemu\nfish\n Emu\n', 7, ['similar,6, Emu,,emu,,']],
  [
    'another description',
    'name,description\ndog,\ncat,Purrs\nemu,\nfish,\n',
    0,
    ['differs,3,cat,2,,Purrs,'],
  ],
  ['the same', 'name,description\ncat,\ndog,Loyal\nemu,\nfish,Swims\n', 0, []],
  ['fewer in the file', 'name\ndog\ncat\nfish\n', 0, ['only_in_service,,emu,-3,,,Runs']],
] as const)(
  'categories diff prints what differs from the list, by one request: %s',
  async ([, text, exitCode, lines], { petstore, sandbox, folder }) => {
    sandbox.categories.push(...listed);

    const flags = ['--columns', header, '-o', 'csv', '-q'];
    const result = await petstore(['categories', 'diff', put(folder, text), ...flags]);

    const stdout = `${[header, ...lines].join('\n')}\n`;
    expect(result).toMatchObject({ exitCode, stdout, stderr: '' });
    expect(sandbox.requests.map(({ method }) => method)).toEqual(['GET']);
  },
);

test('categories diff reads standard input, and says in words that nothing differs', async ({
  petstore,
  sandbox,
}) => {
  sandbox.categories.push(
    category('1', 'dog'),
    category('2', 'cat', 'a'),
    category('3', 'cat', 'b'),
  );

  // Of two cats the one that is the same counts.
  const stdin = '{"id":7,"name":"dog"}\n{"name":"cat","description":"b"}\n';
  const result = await petstore('categories diff - --format ndjson', { stdin });

  expect(result).toMatchObject({ exitCode: 0, stdout: '' });
  expect(result.stderr).toContain('petstore: No differences.\n');
});

test('categories diff takes a list above 8 MiB', async ({ petstore, sandbox, folder }) => {
  const description = 'x'.repeat(85_000);
  const rows = Array.from({ length: 100 }, (_, id) => ({ id, name: `n${id}`, description }));
  sandbox.react = () => reply(200, rows);

  const file = put(folder, 'name\nn7\nN8\n');
  const { exitCode, stdout } = await petstore(`categories diff ${file} -o raw --query length(@)`);

  expect([exitCode, stdout]).toEqual([7, '100\n']);
});
