import fc from 'fast-check';
import { describe } from 'vitest';
import { expect, reply, test } from '../support/petstore.ts';
import { trials } from '../support/random.ts';
import { drawings, screenOf } from '../support/screen.ts';
import { category, exact } from '../support/values.ts';

const columns = ['--columns', 'id,name,description'];
const list = ['categories', 'list', ...columns, '--no-color', '-q'];
const longestId = '-9223372036854775808';
const description = 'A loyal friend of people who like to walk in the rain';
const rabbit = category(longestId, 'rabbit', description);

const cellsOf = (line: string) => line.normalize('NFC').replace(/[\u3000-\u9fff]/g, '12').length;
const linesOf = (stdout: string) => stdout.trimEnd().split('\n');
const jsonOf = ({ id, ...texts }: { id: string }) =>
  JSON.stringify({ id: 0, ...texts }).replace('0', id);
/** All that is no space, since texts may be wrapped. */
const inkOf = (text: string) => text.replace(/\s/g, '');

describe('on a terminal a list', () => {
  test('is no wider than it, and breaks no id', async ({ petstore, sandbox }) => {
    // Terminals agree on the width of these.
    const pieces = ['dog', ' ', '\u3000', 'x'.repeat(30), '犬と猫', 'a\u0301', 'walks in the rain'];
    const piece = fc.constantFrom(...pieces);
    const text = fc.array(piece, { maxLength: 6 }).map((pieces) => ` a${pieces.join('')}`);
    const id = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
    const rows = fc.array(fc.tuple(id, text, text), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 40, max: 120 }), async (all, columns) => {
        const categories = all.map(([id, name, description]) => ({ id, name, description }));
        sandbox.react = () => reply(200, `[${categories.map(jsonOf)}]`);

        const { stdout } = await petstore(list, { columns });

        for (const drawing of drawings) {
          const rows = await screenOf(stdout, columns, drawing);
          expect(rows).toHaveLength(linesOf(stdout).filter(Boolean).length);
          const widths = new Set(rows.map(cellsOf));
          expect(Math.max(...widths)).toBeLessThanOrEqual(columns);
          if (stdout.startsWith('┌')) expect(widths.size).toBe(1);
        }
        for (const [id] of all) expect(stdout.split(/[\s│]+/)).toContain(id);
      }),
      trials(100),
    );
  });

  test.for([1, 40, 70, 120])(
    'loses no text at %i columns',
    async (columns, { petstore, sandbox }) => {
      const names = [
        ...['👍🏽 thumbs', '👩\u200d👩\u200d👧 family', 'می\u200cخواهم', '🇩🇪 dog', 'x'.repeat(198)],
        ...['犬と猫は雨の中を歩くのが好き'.repeat(7), '🐕 नमस्ते สวัสดี '.repeat(9)],
        ...['𠀀'.repeat(60), '  two  spaces  and\u3000others'],
      ];
      const named = names.map((name, n) => category(`${n}`, name, `${n} ${name}`));
      sandbox.categories.push(rabbit, ...named);

      const { stdout } = await petstore([...list, '--no-header'], { columns });

      const all = sandbox.categories.map(({ id, name, description = '' }) => [
        String(id),
        inkOf(name),
        inkOf(description),
      ]);
      expect(stdout.startsWith('┌')).toBe(columns >= 70);
      if (columns < 70) return expect(inkOf(stdout)).toBe(all.flat().join(''));
      const rows: string[][] = [];
      for (const line of linesOf(stdout).slice(1, -1)) {
        const [id = '', ...texts] = line.split('│').slice(1, -1).map(inkOf);
        if (id !== '') rows.push([id, '', '']);
        const last = rows.at(-1) ?? [];
        for (const [n, text] of texts.entries()) last[n + 1] += text;
      }
      expect(rows).toEqual(all);
    },
  );

  test('has a frame up to 1,000 rows', async ({ petstore, sandbox }) => {
    sandbox.categories.push(...rows.slice(0, 1_000));

    expect((await petstore(list)).stdout).toMatch(/^┌/);
    sandbox.categories.push(rabbit);
    expect((await petstore(list)).stdout).toMatch(/^id/);
  });

  test('is wrapped by words, and fills the width', async ({ petstore, sandbox }) => {
    sandbox.categories.push({ ...rabbit, id: exact('12') });

    const { stdout } = await petstore(list, { columns: 40 });

    expect(stdout).toBe(`┌────┬────────┬────────────────────────┐
│ id │ name   │ description            │
├────┼────────┼────────────────────────┤
│ 12 │ rabbit │ A loyal friend of      │
│    │        │ people who like to     │
│    │        │ walk in the rain       │
└────┴────────┴────────────────────────┘
`);
  });

  test('with no room for its words is one record a block', async ({ petstore, sandbox }) => {
    sandbox.categories.push(rabbit, category('7', 'dog'));

    const { stdout } = await petstore(list, { columns: 40 });

    expect(stdout).toBe(`id: ${longestId}
name: rabbit
description: A loyal friend of people
  who like to walk in the rain

id: 7
name: dog
description:
`);
  });

  test.for([
    'limits',
    'profile list',
    'config list',
    'auth status',
    'pets get 1',
    'api GET /pets/1 -o table',
  ])(
    'of %s breaks no short word at 40, 80 and 120 columns',
    async (line, { petstore, sandbox }) => {
      sandbox.react = () =>
        reply(200, { id: 1, name: 'Bello', owner: { nickname: 'x'.repeat(50) } });
      const wordsOf = (text: string) => text.match(/\b\w{3,16}\b/g) ?? [];
      const { stdout: piped } = await petstore(`${line} -q`);
      for (const columns of [40, 80, 120]) {
        const { stdout } = await petstore(`${line} --no-color -q`, { columns });

        expect(Math.max(...linesOf(stdout).map(cellsOf))).toBeLessThanOrEqual(columns);
        expect(wordsOf(stdout)).toEqual(expect.arrayContaining(wordsOf(piped)));
      }
    },
  );
});

const long = 'x'.repeat(100_000);
const rows = Array.from({ length: 2_100 }, (_, n) => category(`${n}`, `n${n}`, description));

test.for([
  [
    'more than a thousand rows, of which the first tell the widths',
    [...rows, category('3001', 'x'.repeat(500))],
    [`id    name   description\n0     n0     ${description}\n`, `\n3001  ${'x'.repeat(500)}\n`],
  ],
  [
    'a text of more than a thousand characters',
    [category('1', long), rabbit],
    [`\n1                     ${long}\n`],
  ],
] as const)(
  'a list with %s has plain columns in which nothing is cut',
  async (row, { petstore, sandbox }) => {
    const [, categories, parts] = row;
    sandbox.categories.push(...categories);

    const shown = await petstore(list, { columns: 40 });
    const piped = await petstore(list);

    expect(shown.stdout).toBe(piped.stdout);
    for (const part of parts) expect(piped.stdout).toContain(part);
    expect(piped.stdout.length).toBeLessThan(2 * long.length);
  },
);
