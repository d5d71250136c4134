import { readFileSync } from 'node:fs';
import { describe } from 'vitest';
import { expect, launcher, test } from '../support/program.ts';

const petstore = `'${process.execPath}' '${launcher}'`;
const prepared = readFileSync('dist/help.txt', 'utf8');
const bold = (page: string) => page.replace(/^(Store|Account|Tools):$/gm, '\u001b[1m$&\u001b[22m');

/** The launcher prints the first page as it was prepared, and leaves all else to the program: nobody can see which. */
describe('The first page', () => {
  test.for<[string, Record<string, string>]>([
    ['--help', {}],
    ['-h', {}],
    ['help', {}],
    ['--help', { COLUMNS: '100' }],
    ['help', { COLUMNS: '100' }],
  ])('is the prepared one in a pipe: %s %o', async ([word, env], { petstore }) => {
    expect(await petstore([word], { env })).toEqual({ code: 0, stdout: prepared, stderr: '' });
  });

  test('is wrapped to COLUMNS in a pipe', async ({ petstore }) => {
    const [fast, laidOut] = await Promise.all(
      ['--help', 'help'].map((word) => petstore([word], { env: { COLUMNS: '50' } })),
    );

    expect(fast).toEqual(laidOut);
    expect(fast?.stdout).not.toBe(prepared);
  });

  test('has bold headings in a pipe where colour is forced', async ({ petstore }) => {
    const { stdout } = await petstore(['--help'], { env: { FORCE_COLOR: '1' } });

    expect(stdout).toBe(bold(prepared));
  });

  test.for([
    { words: '', columns: 80, env: {}, page: bold(prepared) },
    { words: '--help', columns: 80, env: {}, page: bold(prepared) },
    { words: '--help', columns: 200, env: {}, page: bold(prepared) },
    { words: '--help', columns: 0, env: {}, page: bold(prepared) },
    { words: '--help', columns: 80, env: { NO_COLOR: '1' }, page: prepared },
    { words: '--help', columns: 80, env: { TERM: 'dumb' }, page: prepared },
    { words: 'help', columns: 80, env: { TERM: 'dumb' }, page: prepared },
  ])(
    'on a terminal of $columns columns with $env: petstore $words (needs script)',
    { tags: ['script'] },
    async ({ words, columns, env, page }, { execute }) => {
      const command = `stty cols ${columns}; ${petstore} ${words}`;

      const { code, stdout } = await execute('script', ['-qec', command, '/dev/null'], {
        env: { TERM: 'xterm', ...env },
      });

      expect({ code, page: stdout.replaceAll('\r\n', '\n') }).toEqual({ code: 0, page });
    },
  );

  test('is wrapped on a narrow terminal (needs script)', { tags: ['script'] }, async ({
    execute,
  }) => {
    const show = async (word: string) => {
      const command = `stty cols 50; ${petstore} ${word}`;
      return (await execute('script', ['-qec', command, '/dev/null'])).stdout;
    };

    const page = await show('--help');

    expect(page).toBe(await show('help'));
    expect(Math.max(...page.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(50 + 9);
  });
});
