import { describe } from 'vitest';
import { category } from '../../support/categories.ts';
import type { Run } from '../../support/import-cases.ts';
import { test as base, expect, type RunOptions, reply } from '../../support/petstore.ts';
import { formats } from '../../support/values.ts';

const test = base.extend<{ list: (argv?: string, options?: RunOptions) => Run }>({
  list: ({ petstore }, use) =>
    use((argv = '', options) =>
      petstore(['categories', 'list', ...argv.split(' ').filter(Boolean)], options),
    ),
});

const idsIn = (stdout: string) => stdout.match(/(?<="id":)-?\d+/g)?.join(' ');

describe('categories list', () => {
  test('prints a table and the remaining rate limit', async ({ list, sandbox }) => {
    sandbox.categories.push(category('1', 'dog', 'Loyal'), category('20', 'cat'));

    const { exitCode, stdout, stderr } = await list();

    expect(exitCode).toBe(0);
    expect(stdout.split('\n')).toEqual([
      '┌────┬──────┬─────────────┐',
      '│ id │ name │ description │',
      '├────┼──────┼─────────────┤',
      '│ 1  │ dog  │ Loyal       │',
      '│ 20 │ cat  │             │',
      '└────┴──────┴─────────────┘',
      '',
    ]);
    expect(stderr).toBe('rate limit: 59 of 60 left, resets in 1m (15:05:00Z)\n');
  });

  test('takes a description of null for none', async ({ list, sandbox, petstore }) => {
    const dog = { id: 1, name: 'dog', description: null, more: null };
    sandbox.react = () => reply(200, [dog, { id: 2, name: 'cat' }]);

    const { stdout } = await list('-o ndjson');
    const stdin = stdout.replaceAll(',"more":null', '');
    const diff = await petstore('categories diff - --format ndjson', { stdin });

    expect(stdout).toBe('{"id":1,"name":"dog","more":null}\n{"id":2,"name":"cat"}\n');
    expect(diff).toMatchObject({ exitCode: 0, stdout: '' });
  });

  test.for([
    ['', 'petstore: No categories yet.'],
    ['--search fish', 'petstore: No categories match "fish".'],
    ['--search a\u001b[1m', 'petstore: No categories match "a\\u{1b}[1m".'],
  ] as const)(
    'says on stderr that there is nothing to show: %j',
    async ([argv, says], { list }) => {
      for (const options of [{}, { columns: 80 }]) {
        const { exitCode, stdout, stderr } = await list(argv, options);
        expect([exitCode, stdout, stderr.split('\n')[0]]).toEqual([0, '', says]);
      }
      expect(await list(`--quiet ${argv}`)).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
    },
  );

  test('keeps fields that the document does not name in JSON, __proto__ too', async ({
    list,
    sandbox,
  }) => {
    const sent = '[{"id":1,"name":"dog","legs":4,"__proto__":{"a":1}}]';
    sandbox.reactions.push(reply(200, sent), reply(200, sent));

    expect((await list('-o ndjson')).stdout).toBe(`${sent.slice(1, -1)}\n`);
    expect((await list()).stdout).not.toContain('legs');
  });

  test('searches name and description in any case', async ({ list, sandbox }) => {
    sandbox.categories.push(category('1', 'Dog'), category('2', 'cat', 'no DOG'));
    sandbox.categories.push(category('3', 'fish'));

    expect(idsIn((await list('--search dog -o ndjson')).stdout)).toBe('1 2');
  });

  test('sorts by each field, ids to the last digit, and what is equal stays in order', async ({
    list,
    sandbox,
  }) => {
    const [large, larger] = ['9007199254740992', '9007199254740993'];
    sandbox.categories.push(category(larger, 'c'), category(large, 'c'));
    sandbox.categories.push(category('10', 'a', 'x'), category('-2', 'b', 'y'));

    for (const [field, order] of [
      ['id', `-2 10 ${large} ${larger}`],
      ['-id', `${larger} ${large} 10 -2`],
      ['name', `10 -2 ${larger} ${large}`],
      ['-name', `${larger} ${large} -2 10`],
      ['description', `${larger} ${large} 10 -2`],
      ['-description', `-2 10 ${larger} ${large}`],
    ]) {
      expect(idsIn((await list(`--sort ${field} -o ndjson`)).stdout), field).toBe(order);
    }
  });

  test('sorts a list above 1 MiB, with every field as it came', async ({ list, sandbox }) => {
    const rows = Array.from({ length: 12_000 }, (_, n) => {
      const name = `pet ${String(12_000 - n).padStart(5, '0')}`;
      return `{"id":${n},"name":"${name}","more":[12345678901234567890,{"n":${n}}],"text":"${'x'.repeat(40)}"}`;
    });
    sandbox.react = () => reply(200, `[${rows.join(' , ')}]`);

    const { stdout } = await list('--sort name -o ndjson');

    expect(stdout).toBe(`${rows.toReversed().join('\n')}\n`);
  });

  test.for([
    ['--sort -name', '31425'],
    ['--limit 2', '12'],
    ['--sort -id --limit 2', '54'],
    ['--search cat --limit 2', '25'],
    ['--search cat --sort -id --limit 1', '5'],
  ] as const)('takes the first after searching and sorting: %s', async (row, { list, sandbox }) => {
    const [argv, order] = row;
    for (const [index, name] of ['dog', 'cat', 'fish', 'dog', 'cat'].entries()) {
      sandbox.categories.push(category(String(index + 1), name));
    }

    for (const format of formats) {
      const { exitCode, stdout } = await list(`${argv} -o ${format}`);
      expect([exitCode, stdout.match(/\d/g)?.join('')], format).toEqual([0, order]);
    }
  });

  test.for([
    ['on a terminal', { columns: 80 }, '', true],
    ['with NO_COLOR', { columns: 80, env: { NO_COLOR: '1' } }, '', false],
    ['with --no-color', { columns: 80 }, '--no-color', false],
    ['on a dumb terminal', { columns: 80, env: { TERM: 'dumb' } }, '', false],
    ['in a pipe', {}, '', false],
    ['with FORCE_COLOR', { env: { FORCE_COLOR: '1' } }, '', true],
  ] as const)('has a bold header or none, %s', async (row, { list, sandbox }) => {
    const [, options, argv, isBold] = row;
    sandbox.categories.push(category('1', 'dog'));

    expect((await list(argv, options)).stdout.includes('\u001b[1m')).toBe(isBold);
  });
});
