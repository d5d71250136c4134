import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { getPet } from '../../src/api/endpoints.ts';
import { examplesOf } from '../../src/commands/examples.ts';
import { verbsOf, wordsOf } from '../../src/commands/help.ts';
import { isTopic } from '../../src/commands/topic.ts';
import { settingNames } from '../../src/settings/names.ts';
import { expect, test } from '../support/petstore.ts';
import { grownProgram } from '../support/tree.ts';

const program = await grownProgram();
const verbs = verbsOf(program).map((verb) => ({ words: wordsOf(verb), verb }));
const headings = ['Usage', 'Examples', 'Arguments', 'Options', 'Options of all commands'];
const topics = program.commands.filter(isTopic).map((topic) => topic.name());
const top = program.commands.filter((command) => !isTopic(command)).map(wordsOf);
const pages = [
  { words: '' },
  ...program.commands.map((command) => ({ words: wordsOf(command) })),
  ...verbs,
];

describe('help', () => {
  test.for(verbs)('of $words begins with examples of it', async ({ words, verb }, { petstore }) => {
    const examples = examplesOf(verb);

    const { stdout } = await petstore(['help', ...words.split(' ')]);

    expect(examples.length).toBeGreaterThan(1);
    expect(examples.length).toBeLessThan(4);
    for (const example of examples) {
      expect(example).toContain(`petstore ${words}`);
      expect(stdout).toContain(`\n  ${example}\n`);
    }
    const order: readonly string[] =
      stdout.match(/^(Usage|Examples|Arguments|Options( of all commands)?)\b/gm) ?? [];
    expect(order).toEqual(headings.filter((heading) => order.includes(heading)));
  });

  test.for(
    pages.flatMap(({ words }) => [40, 60, 80, 100, 120].map((columns) => ({ words, columns }))),
  )('of petstore $words fits a terminal of $columns columns', async (row, { petstore }) => {
    const { words, columns } = row;
    const argv = ['help', ...words.split(' ').filter(Boolean)];

    const { exitCode, stdout } = await petstore(argv, { columns, env: { TERM: 'dumb' } });

    expect(exitCode).toBe(0);
    const prose = stdout.split('\n').filter((line) => !isVerbatim(line));
    expect(Math.max(...prose.map((line) => line.length))).toBeLessThanOrEqual(
      Math.min(columns, 100),
    );
  });

  test.for([
    { columns: undefined, COLUMNS: undefined, width: 80 },
    { columns: undefined, COLUMNS: '60', width: 60 },
    { columns: undefined, COLUMNS: '7', width: 40 },
    { columns: undefined, COLUMNS: 'many', width: 80 },
    { columns: 60, COLUMNS: '90', width: 60 },
    { columns: 300, COLUMNS: undefined, width: 100 },
    { columns: 20, COLUMNS: undefined, width: 40 },
  ])('is $width wide on $columns columns with COLUMNS=$COLUMNS', async (row, { petstore }) => {
    const argv = ['help', 'options'];
    const options = row.columns === undefined ? {} : { columns: row.columns };

    const { stdout } = await petstore(argv, { ...options, env: { COLUMNS: row.COLUMNS } });

    const longest = Math.max(...stdout.split('\n').map((line) => line.length));
    expect(longest).toBeLessThanOrEqual(row.width);
    expect(longest).toBeGreaterThan(row.width - 10);
  });

  test('on its first page fits 25 lines, and names what to try first', async ({ petstore }) => {
    const { stdout } = await petstore(['--help']);

    // The prompt comes below it.
    expect(stdout.split('\n').length - 1).toBeLessThan(25);
    for (const words of top) expect(stdout).toMatch(new RegExp(`^  ${words}\\b`, 'm'));
    const headings = stdout.match(/^\w+(?=:$)/gm);
    expect(headings).toEqual(['Store', 'Account', 'Tools']);
    expect(stdout).toContain(' petstore categories list --profile sandbox\n');
    expect(stdout).toContain('petstore help options|exit-codes|environment\n');
  });

  test.for(pages.filter(({ words }) => words !== ''))(
    'of petstore $words leaves the common options to their own page',
    async ({ words }, { petstore }) => {
      const { stdout } = await petstore(['help', ...words.split(' ')]);

      if (words === 'options') expect(stdout).toContain('  -v, --verbose ');
      else expect(stdout).not.toContain('--verbose');
      if (!topics.includes(words)) expect(stdout).toContain(': petstore help options\n');
    },
  );

  test.for<{ argv: string[]; env?: Record<string, string>; isBold: boolean }>([
    { argv: ['help'], isBold: true },
    { argv: ['categories', 'list', '--help'], isBold: true },
    { argv: ['help', 'exit-codes'], isBold: true },
    { argv: ['help', 'options', '--no-color'], isBold: false },
    { argv: ['categories', '--help', '--no-color'], isBold: false },
    { argv: ['help'], env: { NO_COLOR: '1' }, isBold: false },
    { argv: ['help'], env: { TERM: 'dumb' }, isBold: false },
  ])('has bold headings on a terminal: $argv $env: $isBold', async (row, { petstore }) => {
    const { stdout } = await petstore(row.argv, { columns: 80, env: row.env ?? {} });

    const marked = stdout.replaceAll('\u001b[1m', '<').replaceAll('\u001b[22m', '>');
    expect(/^<\w.*:>\n {2}/m.test(marked)).toBe(row.isBold);
    expect(stdout.includes('\u001b')).toBe(row.isBold);
  });

  test('has bold headings in a pipe where colour is forced', async ({ petstore }) => {
    expect((await petstore(['help'])).stdout).not.toContain('\u001b');
    const { stdout } = await petstore(['help'], { env: { FORCE_COLOR: '1' } });

    expect(stdout).toContain('\u001b[1mTools:\u001b[22m\n');
  });

  test('on a narrow first page cuts no topic', async ({ petstore }) => {
    const { stdout } = await petstore(['--help'], { columns: 40 });

    expect(stdout).toMatch(
      /\n {2}petstore help options\n {2}petstore help exit-codes\n {2}petstore help environment\n$/,
    );
  });

  test('of config set says what each setting is and may be', async ({ petstore }) => {
    const { stdout } = await petstore(['config', 'set', '--help'], { columns: 100 });

    for (const name of settingNames) expect(stdout).toMatch(new RegExp(`^  ${name} +\\w`, 'm'));
    expect(stdout).toContain('always, low (less than 10 % left) or never\n');
    expect(stdout).toContain('Settings belong to a profile; default-profile to all.\n');
  });

  test('of an import shows what a file has to look like', async ({ petstore }) => {
    const { stdout } = await petstore(['categories', 'import', '--help'], { columns: 100 });

    expect(stdout).toMatch(/^ {2}CSV +header name,description /m);
    expect(stdout).toContain('[{"name": "dog"');
    expect(stdout).toMatch(/^ {2}NDJSON +one such object per line$/m);
  });

  test('of the sandbox names the file that the one of the profile keeps its data in', async ({
    petstore,
    folder,
  }) => {
    await petstore(['categories', 'list', '-p', 'sandbox']);
    const { stdout } = await petstore(['sandbox', '--help']);

    const [, path = ''] = /delete\s+(\S+)\s+in\s+that\s+folder/.exec(stdout) ?? [];
    expect(path).toMatch(/^sandbox/);
    expect(existsSync(join(folder, 'state', path))).toBe(true);
  });

  test('marks what the service has deprecated', async ({ petstore }) => {
    expect(getPet.deprecated).toBe(true);
    expect((await petstore(['--help'])).stdout).toMatch(/^ {2}pets .*deprecated/m);
    expect((await petstore(['pets', 'get', '--help'])).stdout).toContain('deprecated');
  });

  test.for([['help', 'exit-codes'], ['exit-codes'], ['exit-codes', '--help']])(
    '%s %s explains the exit codes',
    async (argv, { petstore }) => {
      const { exitCode, stdout, stderr } = await petstore(argv);

      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      for (const code of ['0', '1', '2', '3', '4', '5', '6', '7', '74', '75', '129']) {
        expect(stdout).toMatch(new RegExp(`^  ${code}\\b`, 'm'));
      }
    },
  );

  test('of the environment names every variable that is a setting', async ({ petstore }) => {
    const { stdout } = await petstore(['help', 'environment']);

    const read = ['src/settings', 'src/session'].flatMap(readFrom);
    for (const name of new Set(read)) expect(stdout).toContain(`  ${name} `);
    expect(new Set(read).size).toBeGreaterThan(5);
  });

  test.for([
    { argv: ['help', 'exit-code'], says: 'Did you mean petstore help exit-codes?' },
    { argv: ['help', 'enviroment'], says: 'Did you mean petstore help environment?' },
    { argv: ['help', 'categorys'], says: 'Did you mean petstore categories?' },
    { argv: ['help', 'categories', 'crate'], says: 'Did you mean petstore categories create?' },
  ])('$argv: $says', async ({ argv, says }, { petstore }) => {
    const { exitCode, stdout, stderr } = await petstore(argv);

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(says);
  });

  test('is the same wherever the word stands', async ({ petstore }) => {
    const { stdout } = await petstore(['categories', 'create', '--help']);

    expect((await petstore(['help', 'categories', 'create'])).stdout).toBe(stdout);
    expect((await petstore(['categories', 'help', 'create'])).stdout).toBe(stdout);
  });
});

describe('ls', () => {
  const listing = verbs.filter(({ verb }) => verb.name() === 'list').map(({ words }) => words);

  test('is the same as list in every group that has one', async ({ petstore }) => {
    expect(listing).toEqual(expect.arrayContaining(['categories list', 'orders list']));
    for (const words of listing) {
      const argv = words.split(' ');
      const short = [...argv.slice(0, -1), 'ls'];
      const { stdout: page } = await petstore(['help', ...argv]);

      const { stdout } = await petstore([...argv, '--json']);
      expect(await petstore([...short, '--json'])).toMatchObject({ exitCode: 0, stdout });
      expect((await petstore([...short, '--help'])).stdout).toBe(page);
      expect((await petstore(['help', ...short])).stdout).toBe(page);
      expect((await petstore(['--profile', 'sandbox', ...short, '--help'])).stdout).toBe(page);
      expect(page).toContain(`\nAlias: petstore ${short.join(' ')}\n`);
    }
  });

  test('is no name on the first page', async ({ petstore }) => {
    expect((await petstore(['--help'])).stdout).not.toMatch(/\bls\b/);
  });

  test('is unknown where there is no list', async ({ petstore }) => {
    const { exitCode, stderr } = await petstore(['pets', 'ls']);

    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^petstore: unknown command "ls" for petstore pets\n/);
  });
});

/** A command to be copied is one line, however narrow the terminal is. */
function isVerbatim(line: string): boolean {
  return /^( *petstore |.* \| | *\w+=\$\(|cat ")|jq /.test(line);
}

function readFrom(folder: string): readonly string[] {
  return readdirSync(folder).flatMap(
    (name) => readFileSync(`${folder}/${name}`, 'utf8').match(/PETSTORE_[A-Z_]+/g) ?? [],
  );
}
