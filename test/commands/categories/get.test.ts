import { expect, reply, test } from '../../support/petstore.ts';
import { category } from '../../support/values.ts';

test.for([
  ['a name', 'rabbit', '3'],
  ['an id', '9223372036854775807', '9223372036854775807'],
  ['a neighbour of it', '9223372036854775806', '9223372036854775806'],
  ['a negative id', '-5', '-5'],
  ['digits that are a name alone', '007', '8'],
  ['the id and name of one', '12', '12'],
  ['a name with capitals', 'Rabbit', '4'],
] as const)('categories get finds %s: %s', async ([, word, id], { petstore, sandbox }) => {
  const ids = ['9223372036854775806 a', '9223372036854775807 b', '-5 c', '7 d', '8 007', '12 12'];
  sandbox.categories.push(...['3 rabbit', '4 Rabbit', ...ids].map(toCategory));

  const { exitCode, stdout } = await petstore(['categories', 'get', word, '-o', 'ndjson']);

  expect(exitCode).toBe(0);
  expect(stdout).toMatch(new RegExp(`^{"id":${id},"name":.*}\\n$`));
  expect(sandbox.requests).toMatchObject([{ method: 'GET', url: { pathname: '/v1/categories' } }]);
});

test.for([
  ['a capital', 'Rabbit', '"rabbit" (id 3)'],
  ['blanks', ' black   cat', '"Black cat" (id 5)'],
  ['the first of two', 'BLACK CAT', '"Black cat" (id 5)'],
  ['blanks around an id', ' 3', '"rabbit" (id 3)'],
  ['zeros before an id', '-0005', '"emu" (id -5)'],
  ['digits of another width', '\uff16', '"caf\u00e9" (id 6)'],
] as const)(
  'categories get names what looks like the word: %s',
  async ([, word, found], { petstore, sandbox }) => {
    const names = ['3 rabbit', '5 Black cat', '6 caf\u00e9', '-5 emu', '8 black cat', '9 rab'];
    sandbox.categories.push(...names.map(toCategory));

    const { exitCode, stderr } = await petstore(['categories', 'get', word, '-q']);

    expect(exitCode).toBe(3);
    expect(stderr).toContain(` not found; ${found} looks like it\n`);
    const [, id] = /id (.*)\)/.exec(found) ?? [];
    expect(stderr).toMatch(new RegExp(`\nSee: petstore categories get ${id}\n$`));
  },
);

test('categories get finds nothing that only begins or ends so', async ({ petstore, sandbox }) => {
  sandbox.categories.push(...['7 dog', '70 doggy', '71 a dog', '72 ı'].map(toCategory));

  for (const word of ['do', '0', '00', '-7', '7 0', 'I']) {
    const { exitCode, stderr } = await petstore(['categories', 'get', word, '-q']);

    expect([exitCode, stderr]).toEqual([
      3,
      `petstore: category "${word}" not found\nSee: petstore categories list --search TEXT\n`,
    ]);
  }
});

test('categories get names the first 20 ids of an ambiguous name', async ({
  petstore,
  sandbox,
}) => {
  const dogs = Array.from({ length: 37 }, (_, id) => category(String(id), 'dog'));
  sandbox.categories.push(...dogs);

  const { stderr } = await petstore('categories get dog');

  const ids = Array.from({ length: 20 }, (_, id) => id).join(', ');
  expect(stderr).toContain(`"dog" is ambiguous: ids ${ids}, …\n`);
});

test('categories get sees at the end of a list above 8 MiB that it is not the only one', async ({
  petstore,
  sandbox,
}) => {
  const rows = Array.from({ length: 100 }, (_, n) => `{"id":${n},"name":"${'x'.repeat(85_000)}"}`);
  sandbox.reactions.push(reply(200, `[${rows.join()},{"id":-1,"name":"17"}]`));

  const { stderr } = await petstore('categories get 17');

  expect(stderr).toContain('ids 17, -1\nSee: petstore categories get -1\n');
});

function toCategory(text: string) {
  const [id = '', ...words] = text.split(' ');
  return category(id, words.join(' '));
}
