import { readdirSync, readFileSync } from 'node:fs';
import { describe } from 'vitest';
import { getPet } from '../../../src/api/endpoints.ts';
import { examplesOf } from '../../../src/commands/examples.ts';
import { verbsOf, wordsOf } from '../../../src/commands/help.ts';
import { expect, test } from '../../support/petstore.ts';
import { grownProgram } from '../../support/tree.ts';

const program = await grownProgram();
const verbs = verbsOf(program).map((verb) => ({ words: wordsOf(verb), verb }));
const headings = ['Usage', 'Examples', 'Arguments', 'Options', 'Everywhere'];
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
      stdout.match(/^(Usage|Examples|Arguments|Options|Everywhere)\b/gm) ?? [];
    expect(order).toEqual(headings.filter((heading) => order.includes(heading)));
  });

  test.for(pages)('of petstore $words fits into 80 columns', async ({ words }, { petstore }) => {
    const { exitCode, stdout } = await petstore(['help', ...words.split(' ').filter(Boolean)]);

    expect(exitCode).toBe(0);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('names each command on one line, the topics, and a first step', async ({ petstore }) => {
    const { stdout } = await petstore(['--help']);

    for (const { words, verb } of verbs) {
      const line = stdout.split('\n').find((line) => line.startsWith(`  ${words} `));
      expect(line?.slice(words.length + 2).trim()).toBe(verb.summary());
    }
    expect(stdout).toContain('  petstore categories list --profile sandbox\n');
    expect(stdout).toContain('  help exit-codes ');
  });

  test('marks what the service has deprecated', async ({ petstore }) => {
    expect(getPet.deprecated).toBe(true);
    expect((await petstore(['--help'])).stdout).toMatch(/pets get .*deprecated/);
    expect((await petstore(['pets', 'get', '--help'])).stdout).toContain('deprecated');
  });

  test.for([['help', 'exit-codes'], ['exit-codes'], ['exit-codes', '--help']])(
    '%s %s tells the exit codes',
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

function readFrom(folder: string): readonly string[] {
  return readdirSync(folder).flatMap(
    (name) => readFileSync(`${folder}/${name}`, 'utf8').match(/PETSTORE_[A-Z_]+/g) ?? [],
  );
}
