import fc from 'fast-check';
import { describe } from 'vitest';
import { put } from '../support/import-cases.ts';
import { expect, reply, test } from '../support/petstore.ts';
import { drawings, screenOf } from '../support/screen.ts';
import { trials } from '../support/trials.ts';
import { exact } from '../support/values.ts';

const columns = ['--columns', 'id,name,description'];
const list = ['categories', 'list', ...columns, '--no-color', '-q'];
const longestId = '-9223372036854775808';
const description = 'A loyal friend of people who like to walk in the rain';
const rabbit = { id: exact(longestId), name: 'rabbit', description };

const cellsOf = (line: string) => line.normalize('NFC').replace(/[\u3040-\u9fff]/g, '12').length;
const linesOf = (stdout: string) => stdout.trimEnd().split('\n');
const jsonOf = ({ id, ...texts }: { id: string }) =>
  JSON.stringify({ id: 0, ...texts }).replace('0', id);
/** All that is no space, since texts may be wrapped. */
const inkOf = (text: string) => text.replace(/\s/g, '');

describe('on a terminal a list', () => {
  test('is no wider than it, and cuts no id', async ({ petstore, sandbox }) => {
    // Terminals agree on the width of these.
    const pieces = ['dog', ' ', 'x'.repeat(30), '犬と猫', 'a\u0301', 'walks in the rain'];
    const piece = fc.constantFrom(...pieces);
    // A space at the end may still leave one cell too many.
    const text = fc.array(piece, { maxLength: 6 }).map((pieces) => `a${pieces.join('')}`.trimEnd());
    const id = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
    const rows = fc.array(fc.tuple(id, text, text), { minLength: 1, maxLength: 6 });
    const env = fc.constantFrom('C', 'C.UTF-8').map((LANG) => ({ LANG }));
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 40, max: 120 }), env, async (all, columns, env) => {
        const categories = all.map(([id, name, description]) => ({ id, name, description }));
        sandbox.react = () => reply(200, `[${categories.map(jsonOf)}]`);

        const { stdout } = await petstore(list, { columns, env });

        for (const drawing of drawings) {
          const { rows, sideEffects } = await screenOf(stdout, columns, drawing);
          expect(sideEffects).toEqual([]);
          if (stdout.startsWith('id: ')) continue;
          expect(rows).toHaveLength(linesOf(stdout).length);
          if (stdout.startsWith('┌')) expect(new Set(rows.map(cellsOf)).size).toBe(1);
        }
        for (const [id] of all) expect(stdout.split(/[\s│|]+/)).toContain(id);
      }),
      trials(200),
    );
  });

  test.for([40, 120])('loses no text at %i columns', async (columns, { petstore, sandbox }) => {
    const names = [
      ...['👍🏽 thumbs', '👩\u200d👩\u200d👧 family', 'می\u200cخواهم', '🇩🇪 dog', 'x'.repeat(198)],
      ...['犬と猫は雨の中を歩くのが好き'.repeat(7), '🐕 नमस्ते สวัสดี '.repeat(9)],
    ];
    sandbox.categories.push(
      rabbit,
      ...names.map((name, n) => ({ id: exact(`${n}`), name, description: `${n} ${name}` })),
    );

    const { stdout } = await petstore([...list, '--no-header'], { columns });

    const rows: string[][] = [];
    for (const line of linesOf(stdout).slice(1, -1)) {
      const [id = '', ...texts] = line.split('│').slice(1, -1).map(inkOf);
      if (id !== '') rows.push([id, '', '']);
      const last = rows.at(-1) ?? [];
      for (const [n, text] of texts.entries()) last[n + 1] += text;
    }
    expect(rows).toEqual(
      sandbox.categories.map(({ id, name, description = '' }) => [
        String(id),
        inkOf(name),
        inkOf(description),
      ]),
    );
    // Each field has lines of its own where a header would be too narrow.
    expect(inkOf((await petstore(list, { columns: 40 })).stdout)).toContain(names[4]);
  });

  test.for([
    ['with a table where each column has ten cells', 60, [], longestId],
    ['with a table without a header', 25, ['--no-header'], '12'],
  ] as const)('fills the width %s', async ([, columns, argv, id], { petstore, sandbox }) => {
    sandbox.categories.push({ ...rabbit, id: exact(id) });

    const { stdout } = await petstore([...list, ...argv], { columns });

    expect(stdout).toMatch(new RegExp(`^│ ${id} +│.*│$`, 'm'));
    for (const line of linesOf(stdout)) expect(line.length).toBe(columns);
  });

  test('has a line for each field on a narrow one', async ({ petstore, sandbox }) => {
    const name = 'x'.repeat(100);
    sandbox.categories.push(rabbit, { id: exact('-1'), name });

    const { stdout } = await petstore(list, { columns: 40 });

    expect(linesOf(stdout)).toEqual([
      `id: ${longestId}`,
      'name: rabbit',
      `description: ${description}`,
      '',
      'id: -1',
      `name: ${name}`,
      'description:',
    ]);
  });

  test.for([
    ['id,name', 1_000],
    ['name,id', 1_000],
  ] as const)(
    'of more than a thousand rows fits too, also a longer one that comes last: %s, texts of %i',
    async ([columns, length], { petstore, sandbox }) => {
      const description = 'y'.repeat(length);
      for (let id = 1; id <= 1_200; id += 1) {
        sandbox.categories.push({ id: exact(`${id}`), name: 'dog', description });
      }
      sandbox.categories.push({ id: exact(longestId), name: 'x'.repeat(500) });

      const { stdout } = await petstore([...list, '--columns', columns], { columns: 40 });

      for (const line of linesOf(stdout)) expect(line.length).toBeLessThanOrEqual(40);
      expect(stdout).toMatch(/^(1200 +dog|dog +1200)$/m);
      expect(stdout).toContain('…');
    },
  );

  test('of 250 differences fills the room with names', async ({ petstore, sandbox, folder }) => {
    const names = Array.from({ length: 250 }, (_, n) => `category ${n} of many`);
    sandbox.categories.push(...names.map((name, n) => ({ id: exact(`${n}`), name })));
    const rows = names.map((name) => ({ name, description: 'a loyal friend' }));

    const file = put(folder, JSON.stringify(rows), 'rows.json');
    const { stdout, stderr } = await petstore(['categories', 'diff', file], { columns: 80 });

    expect(stdout).toContain(' category 249 of… ');
    expect(stderr).toContain('some texts are cut');
  });

  test('gives later rows the room left, or says that it cuts', async ({ petstore, sandbox }) => {
    const name = (n: number) => `row ${n} of the list${n > 1_500 ? ', which is longer' : ''}`;
    for (let n = 1; n <= 3_000; n += 1)
      sandbox.categories.push({ id: exact(`${n}`), name: name(n) });
    const argv = ['categories', 'list', '--columns', 'id,name'];

    const inner = await petstore(list, { columns: 80 });
    const whole = await petstore(argv, { columns: 80 });
    const narrow = await petstore(argv, { columns: 40 });
    const piped = await petstore(argv);

    expect(inner.stdout).not.toContain('…');
    // Ids may get two digits more, and no other room.
    expect(whole.stdout).toContain(`\n3000    ${name(3_000)}\n`);
    expect(narrow.stdout).toContain(' row 3000 of the list, which is …\n');
    const notices = [whole, narrow, piped].map(({ stderr }) => stderr.match(/are cut/g)?.length);
    expect(notices).toEqual([undefined, 1, undefined]);
  });

  test('cuts a name at 200 columns, but not in a pipe', async ({ petstore, sandbox }) => {
    const name = 'x'.repeat(100_000);
    sandbox.categories.push({ id: exact('1'), name }, { id: exact('2'), name: 'dog' });

    const shown = await petstore(list, { columns: 500 });
    const piped = await petstore(list);

    expect(shown.stdout).toContain(` ${'x'.repeat(199)}… `);
    expect(shown.stdout).toMatch(/^│ 2 +│ dog +│ +│$/m);
    expect(piped.stdout).toContain(`\n1   ${name}\n`);
    expect(piped.stdout.length).toBeLessThan(name.length + 3_000);
  });
});
