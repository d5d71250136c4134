import { describe } from 'vitest';
import { expect, reply, test } from '../../support/petstore.ts';
import { exact, formats } from '../../support/values.ts';

const animal = (id: string, name: string, description?: string) => ({
  id: exact(id),
  name,
  ...(description !== undefined && { description }),
});

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
      animal('3', 'rabbit'),
      animal('4', 'Rabbit'),
      animal('9223372036854775806', 'a'),
      animal('9223372036854775807', 'b'),
      animal('-5', 'c'),
      animal('7', 'd'),
      animal('8', '007'),
      animal('12', '12'),
    );

    const { exitCode, stdout } = await petstore(['categories', 'get', word, '-o', 'ndjson']);

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(new RegExp(`^{"id":${id},"name":.*}\\n$`));
    expect(sandbox.requests).toMatchObject([
      { method: 'GET', url: { pathname: '/v1/categories' } },
    ]);
  });

  test('prints it as create does, in every format', async ({ petstore, sandbox }) => {
    const created = animal('1', 'dog', 'Loyal, loud');
    for (const format of formats) {
      sandbox.reactions.push(reply(201, '{"id":1,"name":"dog","description":"Loyal, loud"}'));
      const create = await petstore(['categories', 'create', 'dog', '-o', format]);
      sandbox.categories.splice(0, 2, animal('7', 'cat'), created);

      const got = await petstore(['categories', 'get', 'dog', '-o', format]);

      expect(got).toMatchObject({ exitCode: 0, stdout: create.stdout });
    }
  });

  test('keeps fields that the document does not name', async ({ petstore, sandbox }) => {
    sandbox.reactions.push(reply(200, '[{"id":"7","name":"dog","legs":4.0}]'));

    const { stdout } = await petstore(['categories', 'get', '7', '-o', 'ndjson']);

    expect(stdout).toBe('{"id":7,"name":"dog","legs":4.0}\n');
  });

  test.for([
    ['rabbit', ['rabbit', 'rabbit'], 'get 1'],
    ['2', ['2', 'cat'], 'get 1'],
    ['1', ['cat', '1'], 'get 2'],
  ] as const)(
    'that is ambiguous is exit 2 with the ids: %s of %j',
    async (row, { petstore, sandbox }) => {
      const [word, names, next] = row;
      for (const [n, name] of names.entries()) sandbox.categories.push(animal(String(n + 1), name));

      const { exitCode, stdout, stderr } = await petstore(['categories', 'get', word, '-q']);
      const json = await petstore(['categories', 'get', word, '--json']);

      const message = `"${word}" is ambiguous: ids 1, 2`;
      const hint = `petstore categories ${next}`;
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toBe(`petstore: ${message}\n${hint}\n`);
      const error = { event: 'error', kind: 'usage', message, hint, exitCode: 2 };
      expect(json.events().at(-1)).toEqual(error);
    },
  );

  test('keeps to the profile in what it suggests', async ({ petstore, sandbox }) => {
    sandbox.categories.push(animal('1', 'rabbit'));

    const { stderr } = await petstore(['categories', 'get', 'rabit', '-p', 'staging', '-q']);

    expect(stderr).toContain('Did you mean petstore categories get rabbit --profile staging?');
  });

  test('names no more than the first 20 ids of an ambiguous name', async ({
    petstore,
    sandbox,
  }) => {
    for (let id = 1; id <= 2_437; id += 1) sandbox.categories.push(animal(String(id), 'dog'));

    const { stderr } = await petstore(['categories', 'get', 'dog', '-q']);

    const ids = Array.from({ length: 20 }, (_, n) => n + 1).join(', ');
    expect(stderr).toContain(`"dog" is ambiguous: ids ${ids} and 2417 more\n`);
  });

  test('an id that the service has twice is ambiguous, and no command for it is given', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.reactions.push(reply(200, '[{"id":7,"name":"dog"},{"id":7,"name":"cat"}]'));

    const { exitCode, stderr } = await petstore(['categories', 'get', '7', '-q']);

    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: 'petstore: "7" is ambiguous: ids 7, 7\npetstore categories list\n',
    });
  });

  test.for([
    ['rabit', '"rabit" ', 'Did you mean petstore categories get rabbit?'],
    ['guinea pigs', '"guinea pigs" ', "Did you mean petstore categories get 'guinea pig'?"],
    ["it'd cat", `"it'd cat" `, 'petstore categories list --search TEXT'],
    ['horse', '"horse" ', 'petstore categories list --search horse'],
    ['a b', '"a b" ', "petstore categories list --search 'a b'"],
    ['99', '"99" ', 'petstore categories list'],
    ['01', '"01" ', 'petstore categories list --search 01'],
    ['ab\u0007', '"ab\\u{7}" ', 'petstore categories list --search TEXT'],
    ['guinea of Peru', '"guinea of Peru" ', "petstore categories list --search 'guinea of Peru'"],
    ['K4jf9-aQz81', '', 'petstore categories list --search TEXT'],
  ] as const)(
    'that does not exist is exit 3, with the next command: %s',
    async (row, { petstore, sandbox }) => {
      const [word, quoted, hint] = row;
      const names = ['rabbit', 'guinea pig', "it's cat", 'hor\u0007se', '-horse'];
      for (const [n, name] of names.entries()) sandbox.categories.push(animal(String(n + 1), name));

      const { exitCode, stdout, stderr } = await petstore(['categories', 'get', word, '-q']);
      const json = await petstore(['categories', 'get', word, '-q', '--json']);

      expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
      expect(stderr).toBe(`petstore: category ${quoted}not found\n${hint}\n`);
      const message = expect.stringMatching(/^category .*not found$/);
      const error = { event: 'error', kind: 'refused', message, hint, exitCode: 3 };
      expect(json.events()).toEqual([error]);
    },
  );

  test('a list of long names is compared with none of them', async ({ petstore, sandbox }) => {
    const long = 'ab'.repeat(50_000);
    sandbox.categories.push(animal('1', `${long}c`));

    const { stderr } = await petstore(['categories', 'get', `x${long}`, '-q']);

    expect(stderr).toBe('petstore: category not found\npetstore categories list --search TEXT\n');
  });

  test.for(['', ' ', '\t'])(
    'a blank "%s" is refused before anything is sent',
    async (word, { petstore, sandbox }) => {
      const { exitCode, stderr } = await petstore(['categories', 'get', word]);

      expect({ exitCode, stderr }).toEqual({
        exitCode: 2,
        stderr:
          'petstore: invalid id or name: must not be blank\nNothing was sent.\npetstore categories list\n',
      });
      expect(sandbox.requests).toHaveLength(0);
    },
  );

  test('an unknown column is refused before anything is sent', async ({ petstore, sandbox }) => {
    const argv = ['categories', 'get', 'dog', '--columns', 'size'];

    expect(await petstore(argv)).toMatchObject({ exitCode: 2, stdout: '' });
    expect(sandbox.requests).toHaveLength(0);
  });

  // A list above 8 MiB is searched while it comes.
  test.for([
    [12_000, 100],
    [9_000, 1_000],
  ] as const)(
    'finds one of %i with names of %i characters, and sees whether it is the only one',
    async (size, { petstore, sandbox }) => {
      const [count, length] = size;
      const rows = Array.from(
        { length: count },
        (_, n) => `{"id":${n},"name":"${String(n).padStart(length, 'x')}"}`,
      );
      const answer = (...all: string[]) => reply(200, `[${all.join()}]`);
      sandbox.reactions.push(
        answer(...rows, '{"id":-1,"name":"dog"}'),
        answer(...rows, '{"id":-1,"name":"17"}'),
        answer('{"id":-1,"name":"dgo"}', ...rows),
      );

      const one = await petstore(['categories', 'get', 'dog', '-q', '-o', 'ndjson']);
      const two = await petstore(['categories', 'get', '17', '-q']);
      const none = await petstore(['categories', 'get', 'dog', '-q']);

      expect(one).toMatchObject({ exitCode: 0, stdout: '{"id":-1,"name":"dog"}\n' });
      expect(two.stderr).toContain('"17" is ambiguous: ids 17, -1\npetstore categories get -1\n');
      expect(none.stderr).toContain('Did you mean petstore categories get dgo?');
    },
  );
});
