import { describe } from 'vitest';
import { category } from '../../support/categories.ts';
import { expect, reply, test } from '../../support/petstore.ts';
import { formats } from '../../support/values.ts';

describe('categories get', () => {
  test.for([
    ['a name', 'rabbit', '3'],
    ['an id', '9223372036854775807', '9223372036854775807'],
    ['a neighbour of it', '9223372036854775806', '9223372036854775806'],
    ['a negative id', '-5', '-5'],
    ['digits that are a name alone', '007', '8'],
    ['the id and name of one', '12', '12'],
    ['a name with capitals', 'Rabbit', '4'],
  ] as const)('finds %s: %s', async ([, word, id], { petstore, sandbox }) => {
    sandbox.categories.push(
      category('3', 'rabbit'),
      category('4', 'Rabbit'),
      category('9223372036854775806', 'a'),
      category('9223372036854775807', 'b'),
      category('-5', 'c'),
      category('7', 'd'),
      category('8', '007'),
      category('12', '12'),
    );

    const { exitCode, stdout } = await petstore(['categories', 'get', word, '-o', 'ndjson']);

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(new RegExp(`^{"id":${id},"name":.*}\\n$`));
    expect(sandbox.requests).toMatchObject([
      { method: 'GET', url: { pathname: '/v1/categories' } },
    ]);
  });

  test('prints it as create does, in every format', async ({ petstore, sandbox }) => {
    const created = category('1', 'dog', 'Loyal, loud');
    for (const format of formats) {
      sandbox.reactions.push(reply(201, '{"id":1,"name":"dog","description":"Loyal, loud"}'));
      const create = await petstore(['categories', 'create', 'dog', '-o', format]);
      sandbox.categories.splice(0, 2, category('7', 'cat'), created);

      const got = await petstore(['categories', 'get', 'dog', '-o', format]);

      expect(got).toMatchObject({ exitCode: 0, stdout: create.stdout });
    }
  });

  test.for([
    ['rabbit', [category('1', 'rabbit'), category('2', 'rabbit')], '1, 2', 'get 1'],
    ['2', [category('1', '2'), category('2', 'cat')], '1, 2', 'get 1'],
    ['1', [category('1', 'cat'), category('2', '1')], '1, 2', 'get 2'],
    ['7', [category('7', 'dog'), category('7', 'cat')], '7, 7', 'list'],
  ] as const)(
    'that is ambiguous is exit 2 with the ids: %s of %j',
    async ([word, categories, ids, next], { petstore, sandbox }) => {
      sandbox.categories.push(...categories);

      const { exitCode, stdout, stderr } = await petstore(['categories', 'get', word, '-q']);
      const json = await petstore(['categories', 'get', word, '--json']);

      const message = `"${word}" is ambiguous: ids ${ids}`;
      const hint = `See: petstore categories ${next}`;
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toBe(`petstore: ${message}\n${hint}\n`);
      const error = { event: 'error', kind: 'usage', message, hint, exitCode: 2 };
      expect(json.events().at(-1)).toEqual(error);
    },
  );

  test('names no more than the first 20 ids of an ambiguous name', async ({
    petstore,
    sandbox,
  }) => {
    for (let id = 1; id <= 2_437; id += 1) sandbox.categories.push(category(String(id), 'dog'));

    const { stderr } = await petstore('categories get dog -q');

    const ids = Array.from({ length: 20 }, (_, n) => n + 1).join(', ');
    expect(stderr).toContain(`"dog" is ambiguous: ids ${ids} and 2417 more\n`);
  });

  test('finds one behind 8 MiB, and sees whether it is the only one', async ({
    petstore,
    sandbox,
  }) => {
    const rows = Array.from(
      { length: 9_000 },
      (_, n) => `{"id":${n},"name":"${String(n).padStart(1_000, 'x')}"}`,
    );
    sandbox.reactions.push(
      reply(200, `[${rows.join()},{"id":-1,"name":"dog"}]`),
      reply(200, `[${rows.join()},{"id":-1,"name":"17"}]`),
    );

    const one = await petstore('categories get dog -q -o ndjson');
    const two = await petstore('categories get 17 -q');

    expect(one).toMatchObject({ exitCode: 0, stdout: '{"id":-1,"name":"dog"}\n' });
    expect(two.stderr).toContain(
      '"17" is ambiguous: ids 17, -1\nSee: petstore categories get -1\n',
    );
  });
});
