import { describe } from 'vitest';
import { expect, reply, test } from '../../support/petstore.ts';
import { exact, formats } from '../../support/values.ts';

const animal = (id: string, name: string, description?: string) => ({
  id: exact(id),
  name,
  ...(description !== undefined && { description }),
});

const limitLine = /rate limit: .*\n/;

describe('categories get', () => {
  test.for([
    { what: 'a name', word: 'rabbit', id: '3' },
    { what: 'an id', word: '9223372036854775807', id: '9223372036854775807' },
    { what: 'a neighbour of it', word: '9223372036854775806', id: '9223372036854775806' },
    { what: 'a negative id', word: '-5', id: '-5' },
    { what: 'digits that are a name alone', word: '007', id: '8' },
    { what: 'the id and name of one', word: '12', id: '12' },
    { what: 'a name with capitals', word: 'Rabbit', id: '4' },
  ])('finds $what: $word', async ({ word, id }, { petstore, sandbox }) => {
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
    expect(sandbox.requests.map(({ method, url }) => `${method} ${url.pathname}`)).toEqual([
      'GET /v1/categories',
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
    { names: ['rabbit', 'rabbit'], word: 'rabbit', ids: '1, 2', next: 'get 1' },
    { names: ['2', 'cat'], word: '2', ids: '1, 2', next: 'get 1' },
    { names: ['cat', '1'], word: '1', ids: '1, 2', next: 'get 2' },
  ])('that is ambiguous is exit 2 with the ids: $names', async (row, { petstore, sandbox }) => {
    row.names.forEach((name, n) => {
      sandbox.categories.push(animal(String(n + 1), name));
    });

    const { exitCode, stdout, stderr } = await petstore(['categories', 'get', row.word]);
    const json = await petstore(['categories', 'get', row.word, '--json']);

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr.replace(limitLine, '')).toBe(
      `petstore: "${row.word}" is ambiguous: ids ${row.ids}\npetstore categories ${row.next}\n`,
    );
    expect(json.events().at(-1)).toEqual({
      event: 'error',
      kind: 'usage',
      message: `"${row.word}" is ambiguous: ids ${row.ids}`,
      hint: `petstore categories ${row.next}`,
      exitCode: 2,
    });
  });

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
    {
      word: 'rabit',
      says: '"rabit" not found',
      hint: 'Did you mean petstore categories get rabbit?',
    },
    {
      word: 'guinea pigs',
      says: '"guinea pigs" not found',
      hint: `Did you mean petstore categories get 'guinea pig'?`,
    },
    {
      word: "it'd cat",
      says: `"it'd cat" not found`,
      hint: `Did you mean petstore categories get 'it'"'"'s cat'?`,
    },
    { word: 'horse', says: '"horse" not found', hint: 'petstore categories list --search horse' },
    { word: 'a b', says: '"a b" not found', hint: "petstore categories list --search 'a b'" },
    { word: '99', says: '"99" not found', hint: 'petstore categories list' },
    { word: '01', says: '"01" not found', hint: 'petstore categories list --search 01' },
    {
      word: 'ab\u0007',
      says: '"ab\\u{7}" not found',
      hint: 'petstore categories list --search TEXT',
    },
    {
      word: 'guinea-pig of Peru',
      says: '"guinea-pig of Peru" not found',
      hint: "petstore categories list --search 'guinea-pig of Peru'",
    },
    { word: 'K4jf9-aQz81', says: ' not found', hint: 'petstore categories list --search TEXT' },
  ])(
    'that does not exist is exit 3, with the next command: $word',
    async (row, { petstore, sandbox }) => {
      const names = ['rabbit', 'guinea pig', "it's cat", 'hor\u0007se', '-horse'];
      names.forEach((name, n) => {
        sandbox.categories.push(animal(String(n + 1), name));
      });

      const { exitCode, stdout, stderr } = await petstore(['categories', 'get', row.word, '-q']);
      const json = await petstore(['categories', 'get', row.word, '-q', '--json']);

      const space = row.says.startsWith('"') ? ' ' : '';
      expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
      expect(stderr).toBe(`petstore: category${space}${row.says}\n${row.hint}\n`);
      expect(json.events()).toEqual([
        {
          event: 'error',
          kind: 'refused',
          message: expect.stringMatching(/^category .*not found$/),
          hint: row.hint,
          exitCode: 3,
        },
      ]);
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

  test.for([12_000, 100_000])(
    'finds one of %d, and sees whether it is the only one',
    async (count, { petstore, sandbox }) => {
      const rows = Array.from(
        { length: count },
        (_, n) => `{"id":${n},"name":"${String(n).padStart(100, 'x')}"}`,
      );
      const answer = (last: string) => reply(200, `[${[...rows, last].join()}]`);
      sandbox.reactions.push(
        answer('{"id":-1,"name":"dog"}'),
        answer('{"id":-1,"name":"17"}'),
        answer('{"id":-1,"name":"dgo"}'),
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
