import { describe } from 'vitest';
import { atTerminal, test as base, reactTo } from '../support/import-cases.ts';
import { expect, reply } from '../support/petstore.ts';
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

describe('a name that differs from a listed one only by case, space or composition', () => {
  test('is refused night after night, and never created', async ({ importText, trimming }) => {
    for (const others of [['pet 1'], ['pet 2'], []]) {
      const { exitCode, stdout, events } = await importText(
        ['name', '"dog "', ...others].join('\n'),
      );

      expect(exitCode).toBe(7);
      expect(JSON.parse(stdout)).toMatchObject({
        items: [
          { outcome: 'refused', message: 'similar to "dog", which already exists' },
          ...others.map(() => ({ outcome: 'created' })),
        ],
      });
      expect(events().at(-1)).toMatchObject({
        kind: 'partial',
        message: '1 row refused (1 similar to an existing name)',
        hint: expect.stringContaining('categories create NAME'),
      });
    }
    expect(trimming.posts).toEqual(['pet 1', 'pet 2']);
  });

  test('is part of the question, and named if changed', async ({ importText, trimming }) => {
    const questions: string[] = [];
    const yes = async (question: string) => questions.push(question) > 0;
    const text = 'name\n"dog "\ncat\n';

    const { exitCode, stderr } = await importText(text, ['-o', 'yaml'], atTerminal(yes));
    const again = await importText(text);

    expect(questions).toEqual([
      'Create 2 categories on production (http://127.0.0.1:4010/v1), 1 of them similar to existing names ("dog " to "dog")?',
    ]);
    expect(exitCode).toBe(0);
    expect(stderr.replaceAll('\n  ', ' ')).toContain(
      'line 2 ("dog "): the service changed the name to "dog"',
    );
    expect(JSON.parse(again.stdout)).toMatchObject({
      counts: { created_before: 2 },
      items: [{ id: 2, as: 'dog' }, {}],
    });
    expect(trimming.posts).toEqual(['dog ', 'cat']);
  });
});

describe('names in one file that differ only by case, space or composition', () => {
  test('are created each where the service tells them apart', async ({ importText, sandbox }) => {
    sandbox.react = reactTo('Emu', reply(401, ''));

    const codes = [];
    for (const _ of [1, 2]) codes.push((await importText('name\nemu\nEmu\n')).exitCode);

    expect(codes).toEqual([7, 0]);
    expect(sandbox.categories.map(({ name }) => name)).toEqual(['emu', 'Emu']);
  });
});
