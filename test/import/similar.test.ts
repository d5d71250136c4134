import { Readable } from 'node:stream';
import { describe } from 'vitest';
import { apply, countsOf, put } from '../support/import-cases.ts';
import { test as base, expect, reply } from '../support/petstore.ts';
import { exact } from '../support/values.ts';

/** A service that takes the spaces off each name, and has a dog. */
const test = base.extend<{ trimming: { posts: string[] } }>({
  trimming: async ({ sandbox }, use) => {
    const posts: string[] = [];
    sandbox.categories.push({ id: exact('1'), name: 'dog' });
    sandbox.react = ({ method, body = '' }) => {
      if (method !== 'POST') return undefined;
      const asked: string = JSON.parse(body).name;
      posts.push(asked);
      const id = sandbox.categories.length + 1;
      sandbox.categories.push({ id: exact(String(id)), name: asked.trim() });
      return reply(201, { id, name: asked.trim() });
    };
    await use({ posts });
  },
});

const terminal = (confirm: (question: string) => Promise<boolean>) => ({
  columns: 100,
  context: { confirm, stdin: Object.assign(Readable.from(['']), { isTTY: true }) },
});

describe('a name that differs from a listed one only by case, space or composition', () => {
  test('is refused night after night, and never created', async ({
    petstore,
    sandbox,
    folder,
    trimming,
  }) => {
    for (const night of [1, 2, 3, 4]) {
      const path = put(folder, `name\n"dog "\npet ${night}\n`);
      const result = await petstore(['categories', 'import', path, ...apply]);

      expect(result.exitCode).toBe(7);
      expect(countsOf(result.stdout)).toEqual({ refused: 1, created: 1 });
      expect(JSON.parse(result.stdout).items[0]).toEqual({
        line: 2,
        name: 'dog ',
        outcome: 'refused',
        message: 'similar to "dog", which already exists',
      });
      expect(result.events().at(-1)).toMatchObject({
        kind: 'partial',
        message: '1 row refused (1 similar to an existing name)',
        hint: expect.stringContaining('--allow-duplicates'),
      });
    }
    expect(trimming.posts).toEqual(['pet 1', 'pet 2', 'pet 3', 'pet 4']);
    expect(sandbox.categories.filter(({ name }) => name === 'dog')).toHaveLength(1);
  });

  test.for(['Dog', 'dog ', 'd\u006fg\u00a0'])(
    'is refused where it is all that the file has, %j, and nothing is sent',
    async (name, { petstore, folder, trimming }) => {
      const path = put(folder, `name\n"${name}"\n`);

      const result = await petstore(['categories', 'import', path, ...apply]);

      expect(result.exitCode).toBe(7);
      expect(countsOf(result.stdout)).toEqual({ refused: 1 });
      expect(trimming.posts).toEqual([]);
    },
  );

  test('is shown as such by --dry-run', async ({ petstore, folder, trimming }) => {
    const path = put(folder, 'name\n"dog "\ncat\n');

    const result = await petstore(['categories', 'import', path, '--dry-run', '--json']);

    expect(countsOf(result.stdout)).toEqual({ similar: 1, create: 1 });
    expect(JSON.parse(result.stdout).items[0]).toEqual({
      line: 2,
      name: 'dog ',
      intention: 'similar',
      looksLike: 'dog',
    });
    expect(trimming.posts).toEqual([]);
  });

  test('is created with --allow-duplicates', async ({ petstore, folder, trimming }) => {
    const path = put(folder, 'name\n"dog "\n');

    const argv = ['categories', 'import', path, '--allow-duplicates', ...apply];
    const result = await petstore(argv);

    expect(result.exitCode).toBe(0);
    expect(trimming.posts).toEqual(['dog ']);
  });

  test('is a part of the question on a terminal, and named when the service changes it', async ({
    petstore,
    folder,
    trimming,
  }) => {
    const questions: string[] = [];
    const path = put(folder, 'name\n"dog "\ncat\n');
    const yes = async (question: string) => {
      questions.push(question);
      return true;
    };

    const result = await petstore(['categories', 'import', path, '-o', 'yaml'], terminal(yes));
    const again = await petstore(['categories', 'import', path, ...apply]);

    expect(questions).toEqual([
      'Create 2 categories at http://127.0.0.1:4010/v1, 1 of them similar to an existing name?',
    ]);
    expect(result.exitCode).toBe(0);
    expect(result.stderr.replaceAll('\n  ', ' ')).toContain(
      'line 2 ("dog "): the service changed the name to "dog"',
    );
    expect(JSON.parse(again.stdout)).toMatchObject({
      counts: { created_before: 2 },
      items: [{ id: 2, as: 'dog' }, {}],
    });
    expect(trimming.posts).toEqual(['dog ', 'cat']);
  });

  test('is not sent when the answer is no', async ({ petstore, folder, trimming }) => {
    const path = put(folder, 'name\n"dog "\n');

    const result = await petstore(
      ['categories', 'import', path],
      terminal(async () => false),
    );

    expect(result.exitCode).toBe(2);
    expect(trimming.posts).toEqual([]);
  });
});

describe('names in one file that differ only by case, space or composition', () => {
  test('are created, and named when the service changes them', async ({
    petstore,
    folder,
    trimming,
  }) => {
    const path = put(folder, 'name\ncat\n" cat"\n');

    const result = await petstore(['categories', 'import', path, ...apply]);

    expect(result.exitCode).toBe(0);
    expect(trimming.posts.sort()).toEqual([' cat', 'cat']);
    expect(result.events()).toContainEqual({
      event: 'notice',
      message: 'line 3 (" cat"): the service changed the name to "cat"',
    });
  });

  test('are created each where the service keeps them apart, and after a stop as well', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const path = put(folder, 'name\nemu\nEmu\n');
    let refusals = 1;
    sandbox.react = ({ method, body = '' }) =>
      method === 'POST' && JSON.parse(body).name === 'Emu' && refusals-- > 0
        ? reply(401, '')
        : undefined;

    const first = await petstore(['categories', 'import', path, ...apply]);
    const again = await petstore(['categories', 'import', path, ...apply]);

    expect([first.exitCode, again.exitCode]).toEqual([7, 0]);
    expect(sandbox.categories.map(({ name }) => name)).toEqual(['emu', 'Emu']);
  });
});

test('a category whose name the service changed is not created again if it was deleted since', async ({
  petstore,
  sandbox,
  folder,
  trimming,
}) => {
  const argv = ['categories', 'import', put(folder, 'name\ncat\n" emu"\n'), ...apply];
  await petstore(argv);
  sandbox.categories.splice(2, 1);

  const again = await petstore(argv);

  expect(again.exitCode).toBe(5);
  expect(again.stderr).toContain('are missing from the list: line 3 (\\" emu\\")');
  expect(again.stderr).toContain('To start over, delete the journal: rm ');
  expect(trimming.posts).toEqual(['cat', ' emu']);
});
