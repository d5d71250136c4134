import fc from 'fast-check';
import { describe } from 'vitest';
import { ExactNumber } from '../../../src/json/exact.ts';
import { blocks } from '../../../src/output/blocks.ts';
import { mostWidthOf } from '../../../src/output/layout.ts';
import { expect, reply, test } from '../../support/petstore.ts';
import { trials } from '../../support/trials.ts';

const list = ['categories', 'list', '--no-color'];
const description = 'A loyal friend of people who like to walk in the rain';
const rabbit = { id: new ExactNumber('9007199254740993001'), name: 'rabbit', description };

describe('on a terminal that is too narrow for its columns', () => {
  test('a table is a block of lines for each row, and nothing is cut', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.categories.push(rabbit, { id: new ExactNumber('-1'), name: 'cat' });

    const { stdout } = await petstore(list, { columns: 40 });

    expect(stdout).toBe(
      [
        'id           9007199254740993001',
        'name         rabbit',
        'description  A loyal friend of people',
        '             who like to walk in the',
        '             rain',
        '',
        'id           -1',
        'name         cat',
        'description',
        '',
      ].join('\n'),
    );
  });

  test('the names of the fields are bold', async ({ petstore, sandbox }) => {
    sandbox.categories.push(rabbit);

    const { stdout } = await petstore(['categories', 'list'], { columns: 40 });

    expect(stdout).toContain('\u001b[1mname\u001b[22m         rabbit\n');
  });

  test('a value is below a name that leaves it no room', async ({ petstore, sandbox }) => {
    const order = {
      [`field${'s'.repeat(20)}`]: 'one two three four five',
      b: 'x'.repeat(20),
      c: 'y',
    };
    sandbox.react = () => reply(200, [order, order]);

    const { stdout } = await petstore(['orders', 'list', '--no-color'], { columns: 24 });

    expect(stdout).toContain(`field${'s'.repeat(18)}…\n  one two three four\n  five\nb\n  xx`);
  });

  test('a long list of columns is one, too', async ({ petstore }) => {
    const { stdout } = await petstore(['limits', '--no-color'], { columns: 40 });

    expect(stdout).toMatch(/^window +minute$/m);
    expect(stdout).toMatch(/^window +day$/m);
  });
});

describe('a table stays one', () => {
  test.for([
    { where: 'where each column keeps ten cells', columns: 60, argv: [] },
    { where: 'without a header', columns: 40, argv: ['--no-header'] },
    { where: 'of two columns', columns: 30, argv: ['--columns', 'id,description'] },
    { where: 'in a pipe', columns: undefined, argv: [] },
    { where: 'with --wide', columns: 40, argv: ['--wide'] },
  ])('$where', async ({ columns, argv }, { petstore, sandbox }) => {
    sandbox.categories.push(rabbit);

    const { stdout } = await petstore([...list, ...argv], columns === undefined ? {} : { columns });

    expect(stdout).toMatch(/^│ 9007199254740993001 │.*│$/m);
  });

  test('and with --wide nothing of it is cut, as in a pipe', async ({ petstore, sandbox }) => {
    sandbox.categories.push({ ...rabbit, name: 'x'.repeat(300) });

    const cut = await petstore(list, { columns: 80 });
    const wide = await petstore([...list, '--wide'], { columns: 80 });
    const piped = await petstore(list);

    expect(cut.stdout).toContain('…');
    expect(wide.stdout).toBe(piped.stdout);
  });
});

test('no line of a block is wider than the terminal, and every character is there', async () => {
  const word = fc.constantFrom(
    'dog',
    '犬と猫',
    '👩\u200d👩\u200d👧',
    'नमस्ते',
    'x'.repeat(50),
    'a\u0301',
    ' ',
  );
  const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '));
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { minLength: 1 }),
      fc.integer({ min: 20, max: 60 }),
      async (texts, width) => {
        const short = texts.filter((text) => mostWidthOf(text) <= 200);
        const lines = blocks(
          ['a field'],
          short.map((text) => [text]),
          width,
          '…',
        );

        const shown = lines.map((line) =>
          typeof line === 'object' && 'look' in line ? line.begin + line.rest : line,
        );
        for (const line of shown.join('\n').split('\n'))
          expect(mostWidthOf(String(line))).toBeLessThanOrEqual(width);
        const rest = shown.join('').replaceAll('a field', '').replace(/\s/g, '');
        expect(rest).toBe(short.join('').replace(/\s/g, ''));
      },
    ),
    trials(500),
  );
});
