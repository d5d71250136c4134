import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, test } from '../support/petstore.ts';
import { listCommands } from '../support/tree.ts';

const { verbs, topics, top } = await listCommands();
const pages = [...new Set([...top, ...topics, ...verbs.map(({ words }) => words)])];
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

  test.for([40, 100])('of every page fits %i columns', async (columns, { petstore }) => {
    for (const words of ['', ...pages]) {
      const argv = ['help', ...words.split(' ').filter(Boolean)];
      const { exitCode, stdout } = await petstore(argv, { columns, env: { TERM: 'dumb' } });

      const prose = stdout.split('\n').filter((line) => !isVerbatim(line));
      expect(exitCode, words).toBe(0);
      expect(Math.max(...prose.map(({ length }) => length)), words).toBeLessThanOrEqual(columns);
    }
  });

  test('is as wide as the terminal or COLUMNS, from 40 to 100', async ({ petstore }) => {
    for (const [columns, COLUMNS, width] of [
      [undefined, undefined, 80],
      [undefined, '60', 60],
      [undefined, '7', 40],
      [undefined, 'many', 80],
      [60, '90', 60],
      [300, undefined, 100],
      [20, undefined, 40],
    ] as const) {
      const terminal = columns === undefined ? {} : { columns };
      const { stdout } = await petstore(['help', 'options'], { ...terminal, env: { COLUMNS } });

      const longest = Math.max(...stdout.split('\n').map(({ length }) => length));
      expect(longest, `${columns} ${COLUMNS}`).toBeLessThanOrEqual(width);
      expect(longest, `${columns} ${COLUMNS}`).toBeGreaterThan(width - 10);
    }
  });

  test('on its first page fits 23 lines, and names what to try first', async ({ petstore }) => {
    const { stdout } = await petstore(['--help']);

    // The prompt comes below it.
    expect(stdout.split('\n').length - 1).toBeLessThanOrEqual(23);
    for (const words of top) expect(stdout).toMatch(new RegExp(`^  ${words}\\b`, 'm'));
    expect(stdout.match(/^\w+(?=:$)/gm)).toEqual(['Store', 'Account', 'Tools']);
    expect(stdout).toContain(' petstore categories list --profile sandbox\n');
    expect(stdout).toContain('petstore help options|exit-codes|environment\n');
    expect(stdout).toMatch(/^ {2}pets .*deprecated/m);
    expect(stdout).not.toMatch(/\bls\b/);
  });

  test('has bold headings on a terminal that has colour', async ({ petstore }) => {
    for (const [line, env, isBold] of [
      ['categories list --help', {}, true],
      ['help exit-codes', {}, true],
      ['help options --no-color', {}, false],
      ['--help', { FORCE_COLOR: '1' }, true],
    ] as const) {
      const terminal = line === '--help' ? {} : { columns: 80 };
      const { stdout } = await petstore(line.split(' '), { ...terminal, env });

      const marked = stdout.replaceAll('\u001b[1m', '<').replaceAll('\u001b[22m', '>');
      expect(/^<\w.*:>\n {2}/m.test(marked), line).toBe(isBold);
      expect(stdout.includes('\u001b'), line).toBe(isBold);
    }
  });

  test('of the sandbox names the file of its profile', async ({ petstore, folder }) => {
    await petstore(['categories', 'list', '-p', 'sandbox']);
    const { stdout } = await petstore(['sandbox', '--help']);

    const [, path = ''] = /delete\s+(\S+)\s+in\s+that\s+folder/.exec(stdout) ?? [];
    expect(path).toMatch(/^sandbox/);
    expect(existsSync(join(folder, 'state', path))).toBe(true);
  });

  test('is the same wherever the word stands', async ({ petstore }) => {
    const { stdout } = await petstore(['categories', 'create', '--help']);

    for (const part of ['<name>', '--if-missing', 'petstore help options']) {
      expect(stdout).toContain(part);
    }
    expect((await petstore(['help', 'categories', 'create'])).stdout).toBe(stdout);
    expect((await petstore(['categories', 'help', 'create'])).stdout).toBe(stdout);
    for (const flags of [['-v'], ['-qp', 'help'], ['--profile=x', '--no-color']]) {
      expect((await petstore([...flags, 'help', 'categories', 'create'])).stdout).toBe(stdout);
    }
  });
});

describe('ls', () => {
  const lists = verbs.map(({ words }) => words).filter((words) => words.endsWith(' list'));

  test('is the same as list in every group that has one', async ({ petstore }) => {
    expect(lists).toEqual(expect.arrayContaining(['categories list', 'orders list']));
    for (const words of lists) {
      const argv = words.split(' ');
      const short = [...argv.slice(0, -1), 'ls'];
      const { stdout: page } = await petstore(['help', ...argv]);

      const { stdout } = await petstore([...argv, '--json']);
      expect(await petstore([...short, '--json'])).toMatchObject({ exitCode: 0, stdout });
      expect((await petstore([...short, '--help'])).stdout).toBe(page);
      expect((await petstore(['help', ...short])).stdout).toBe(page);
      expect((await petstore(['--profile', 'sandbox', ...short, '--help'])).stdout).toBe(page);
      expect(page).toContain(`Usage: petstore ${argv.join(' ')}|ls [options]\n`);
    }
  });
});

/** A command to be copied is one line, however narrow the terminal is. */
function isVerbatim(line: string): boolean {
  return /^( *petstore |.* \| | *\w+=\$\(|cat "| *echo ')|jq /.test(line);
}
