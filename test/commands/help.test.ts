import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, test } from '../support/petstore.ts';
import { listCommands } from '../support/tree.ts';

const { verbs, top } = await listCommands();
const headings = ['Usage', 'Arguments', 'Options', 'Examples', 'Options of all commands'];

describe('help', () => {
  test('of each verb has two to four examples of it', async ({ petstore }) => {
    for (const { words, examples } of verbs) {
      const { stdout } = await petstore(['help', ...words.split(' ')]);

      expect([2, 3, 4], words).toContain(examples.length);
      for (const example of examples) {
        expect(example).toContain(`petstore ${words}`);
        expect(stdout).toContain(`\n  ${example}\n`);
      }
      const shown: string[] =
        stdout.match(/^(Usage|Examples|Arguments|Options( of all commands)?)\b/gm) ?? [];
      expect(shown, words).toEqual(headings.filter((heading) => shown.includes(heading)));
    }
  });

  test('on its first page fits 23 lines, and names what to try first', async ({ petstore }) => {
    const { stdout } = await petstore('--help');

    // The prompt comes below it.
    expect(stdout.split('\n').length - 1).toBeLessThanOrEqual(23);
    for (const words of top) expect(stdout).toMatch(new RegExp(`^  ${words}\\b`, 'm'));
    expect(stdout.match(/^\w+(?=:$)/gm)).toEqual(['Store', 'Account', 'Tools']);
    expect(stdout).toContain(' petstore categories list --profile sandbox\n');
    expect(stdout).toContain('options, exit-codes, environment\n');
    expect(stdout).toMatch(/^ {2}pets .*deprecated/m);
    expect(stdout).not.toMatch(/\bls\b/);
  });

  test('of a group names each verb once, without its options', async ({ petstore }) => {
    const { stdout } = await petstore('help categories');

    expect(stdout).toMatch(/^ {2}list {2,}List all categories$/m);
  });

  test('has bold headings on a terminal that has colour', async ({ petstore }) => {
    for (const [line, env, isBold] of [
      ['categories list --help', {}, true],
      ['help exit-codes', {}, true],
      ['help options --no-color', {}, false],
      ['--help', { FORCE_COLOR: '1' }, true],
    ] as const) {
      const terminal = line === '--help' ? {} : { columns: 80 };
      const { exitCode, stdout } = await petstore(line.split(' '), { ...terminal, env });

      expect(exitCode).toBe(0);
      const marked = stdout.replaceAll('\u001b[1m', '<').replaceAll('\u001b[22m', '>');
      expect(/^<\w.*:>\n {2}/m.test(marked), line).toBe(isBold);
      expect(stdout.includes('\u001b'), line).toBe(isBold);
    }
  });

  test.for([40, 60])('wraps in a terminal of %i columns', async (columns, { petstore }) => {
    for (const words of ['help', 'help options', 'categories create -h', 'categories import -h']) {
      const { stdout } = await petstore(words.split(' '), { columns });

      const long = stdout.split('\n').filter((line) => line.length > columns);
      expect(
        long.filter((line) => !/petstore |"/.test(line)),
        words,
      ).toEqual([]);
    }
  });

  test('of the sandbox names the file of its profile', async ({ petstore, folder }) => {
    await petstore('categories list -p sandbox');
    const { stdout } = await petstore('sandbox --help');

    const [, path = ''] = /delete\s+(\S+)\s+in\s+that\s+folder/.exec(stdout) ?? [];
    expect(path).toMatch(/^sandbox/);
    expect(existsSync(join(folder, 'state', path))).toBe(true);
  });

  test('is the same by --help, by help, and of ls', async ({ petstore }) => {
    for (const [words, ...same] of [
      ['help', '--help', '-h', '-q help', '--no-color help', 'help --no-color'],
      ['help options', '-q help options', 'help -q options', 'help options -q'],
      ['version', '--version', 'version -q'],
      ['help categories', 'categories --help', '-v categories -h'],
      [
        'help orders list',
        'orders list --help',
        'help orders ls',
        '-p x orders ls --help',
        'orders help ls',
      ],
    ] as const) {
      const { exitCode, stdout } = await petstore(words.split(' '));

      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/^(?:Usage: petstore |Options|\d)/m);
      for (const line of same) {
        expect(await petstore(line.split(' ')), line).toMatchObject({ exitCode, stdout });
      }
    }
  });
});

test('ls is the same as list in every group that has one', async ({ petstore }) => {
  const lists = verbs.map(({ words }) => words).filter((words) => words.endsWith(' list'));
  expect(lists).toEqual(expect.arrayContaining(['categories list', 'orders list']));
  for (const words of lists) {
    const [group = ''] = words.split(' ');
    const { stdout } = await petstore([group, 'list', '--json']);

    expect(await petstore([group, 'ls', '--json'])).toMatchObject({ exitCode: 0, stdout });
  }
});
