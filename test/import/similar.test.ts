import { describe } from 'vitest';
import { atTerminal, test as base } from '../support/import-cases.ts';
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
        message: '1 row refused (1 similar to another name)',
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
      'Create 2 categories on production (http://127.0.0.1:4010/v1), 1 of them similar to other names ("dog " to "dog")?',
    ]);
    expect(exitCode).toBe(0);
    expect(stderr.replaceAll('\n  ', ' ')).toContain(
      'line 2 ("dog "): the service changed the name to "dog"',
    );
    expect(JSON.parse(again.stdout)).toMatchObject({
      counts: { existing: 2 },
      items: [{ id: 2, as: 'dog' }, {}],
    });
    expect(trimming.posts).toEqual(['dog ', 'cat']);
  });
});

describe('names in one file that look alike', () => {
  const pairs = [
    ['Otter', 'otter'],
    ['ﬁsh', 'FISH'],
    ['Straße', 'STRASSE'],
    ['STRAẞE', 'strasse'],
    ['Ｄｏｇ', 'dog'],
    ['do\u200bg', 'dog'],
    ['do\u00adg', 'd\u2060og'],
    ['Όδος', 'ΌΔΟΣ'],
    ['pine\u00a0marten', 'Pine  marten'],
    ['lie\u0300vre', 'LI\u00c8VRE'],
    ['❤\ufe0f', '❤'],
  ] as const;

  test('are refused but for the first, and again in the next run', async ({
    importText,
    sandbox,
  }) => {
    for (const names of pairs) {
      sandbox.categories.length = 0;
      const text = JSON.stringify(names.map((name) => ({ name })));
      const flags = ['--format', 'json', '--yes', '--json'];
      const first = await importText(text, flags);
      const second = await importText(`${text} `, flags);

      expect([first.exitCode, second.exitCode], names[0]).toEqual([7, 7]);
      expect(JSON.parse(first.stdout).items[1]).toMatchObject({
        outcome: 'refused',
        message: `similar to "${names[0]}", line 1`,
      });
      expect(sandbox.categories.map(({ name }) => name)).toEqual([names[0]]);
    }
  });

  test('are part of the question', async ({ importText, sandbox }) => {
    const questions: string[] = [];
    const yes = async (question: string) => questions.push(question) > 0;

    const { exitCode } = await importText('name\nEmu\nemu\nEMU\nemu\n', [], atTerminal(yes));

    expect(exitCode).toBe(0);
    expect(questions).toEqual([
      'Create 3 categories on production (http://127.0.0.1:4010/v1), 2 of them similar to other names ("emu" to "Emu")?',
    ]);
    expect(sandbox.categories.map(({ name }) => name).toSorted()).toEqual(['EMU', 'Emu', 'emu']);
  });

  test('but the Turkish ı is no i, and other accents are other letters', async ({ importText }) => {
    const { exitCode } = await importText('name\nırmak\nirmak\nresume\nrésumé\n');

    expect(exitCode).toBe(0);
  });
});
