import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, reply, test } from '../support/petstore.ts';
import { listCommands } from '../support/tree.ts';

const { verbs, top } = await listCommands();

test.for(verbs)('help of $words has two to four examples of it', ({ words, examples }) => {
  expect([2, 3, 4]).toContain(examples.length);
  for (const example of examples) expect(example).toContain(`petstore ${words}`);
});

test('the first page fits 23 lines, and names what to try first', async ({ petstore }) => {
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

test.for([
  ['help', 40],
  ['help options', 60],
  ['categories create -h', 40],
  ['categories import -h', 60],
] as const)('%s wraps in a terminal of %i columns', async ([line, columns], { petstore }) => {
  const { stdout } = await petstore(line, { columns });

  const long = stdout.split('\n').filter((line) => line.length > columns);
  expect(long.filter((line) => !/petstore |"/.test(line))).toEqual([]);
});

test('help of the sandbox names the file of its profile', async ({ petstore, sandbox, folder }) => {
  sandbox.react = () => reply(201, { id: 1, name: 'emu' });
  await petstore('categories create emu -p sandbox');
  const { stdout } = await petstore('sandbox --help');

  const [, path = ''] = /delete\s+(\S+)\s+in\s+that\s+folder/.exec(stdout) ?? [];
  expect(path).toMatch(/^sandbox/);
  expect(existsSync(join(folder, 'state', path))).toBe(true);
});

test.for([
  ['help', '--help', '-h', '-q help', '--no-color help', 'help --no-color'],
  ['help options', '-q help options', 'help -q options', 'help options -q'],
  ['version', '--version', 'version -q'],
  ['help categories', 'categories --help', '-v categories -h'],
  ['help orders list', 'orders list --help', 'help orders ls', 'orders help ls'],
  ['help orders list', '-p x orders ls --help'],
  ['categories list --json', 'categories ls --json'],
  ['orders list --json', 'orders ls --json'],
])('%s has other names', async ([line = '', ...same], { petstore }) => {
  const { exitCode, stdout } = await petstore(line);

  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^(?:Usage: petstore |Options|\d|\[)/m);
  for (const other of same) {
    expect(await petstore(other), other).toMatchObject({ exitCode, stdout });
  }
});
