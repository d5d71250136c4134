import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '../support/petstore.ts';
import { saveSettings } from '../support/settings-file.ts';
import { listCommands } from '../support/tree.ts';

const { verbs } = await listCommands();

/** What the shells' scripts ask for; what the shells make of it is in test/system/completion.test.ts. */
test.for([
  ['cat', 'categories'],
  ['categories ', 'list create import'],
  ['--profile sandbox -q cat', 'categories'],
  ['categories list --sort ', 'id name description'],
  ['categories list --sort=-n', '--sort=-name'],
  ['categories ls --s', '--search --sort'],
  ['limits -o nd', 'ndjson'],
  ['-p ', 'production staging sandbox'],
  ['config get pro', 'profile'],
  ['profile use s', 'staging sandbox'],
  ['config unset max', 'max-wait'],
  ['orders list --columns ', 'nothing'],
  ['config set output j', 'json'],
  ['config set plan ', 'free pro business'],
  ['config set default-profile st', 'staging'],
  ['config set base-url ', 'nothing'],
  ['sandbox --plan ', 'free pro business'],
  ['sandbox --plan=p', '--plan=pro'],
  ['help environ', 'environment'],
  ['help options x', 'nothing'],
  ['categories get ', 'nothing'],
  ['categories import ', 'files'],
  ['help ', 'categories options exit-codes environment'],
  ['exit', 'nothing'],
  ['help categories c', 'create'],
  ['help categories exi', 'nothing'],
  ['categories import --yes --', '--dry-run'],
  ['sandbox --data=x', 'files'],
  ['sandbox -- --p', 'files'],
] as const)('at the cursor of "%s" stands "%s"', async ([line, values], { petstore }) => {
  const argv = ['completion', 'zsh', '--', ...line.split(' ')];

  const { exitCode, stdout, stderr } = await petstore(argv);

  expect([exitCode, stderr]).toEqual([values === 'nothing' ? 3 : 0, '']);
  if (values === 'nothing' || values === 'files') return expect(stdout).toBe('');
  const offered = stdout.split('\n').map((offer) => offer.split(':')[0]);
  expect(offered).toEqual(expect.arrayContaining(values.split(' ')));
});

test('all options of each verb are offered, and each of their values', async ({ petstore }) => {
  // An option of all commands has the same values everywhere.
  const tried = new Set<string>();
  for (const { words, options } of verbs) {
    const offer = async (...more: string[]) => {
      const argv = ['completion', 'fish', '--', ...words.split(' '), ...more];
      return (await petstore(argv)).stdout.trimEnd().split('\n');
    };

    const all = options.map(({ long, description }) => `${long}\t${description}`);
    expect(await offer('--'), words).toEqual(all);
    for (const { long, choices } of options) {
      if (choices.length === 0 || tried.has(long)) continue;
      expect(await offer(long, ''), `${words} ${long}`).toEqual(choices);
      tried.add(long);
    }
  }
});

test.for([
  ['bash', ['limits', '--output', '=', 'nd'], 'ndjson\n'],
  ['bash', ['limits', '--output', '='], 'table\njson\nndjson\n'],
  ['bash', ['limits', '--output=nd'], '--output=ndjson\n'],
  ['powershell', ['categories', '+cr'], 'create\tCreate a category\n'],
] as const)('as %s breaks a line: %j', async ([shell, words, values], { petstore }) => {
  const { stdout } = await petstore(['completion', shell, '--', ...words]);

  expect(stdout.slice(0, values.length)).toBe(values);
});

test('profiles are offered without a request, a key or a folder', async ({
  petstore,
  folder,
  sandbox,
}) => {
  mkdirSync(join(folder, 'config', 'keys'), { recursive: true });
  saveSettings(folder, '{"profiles":{"mine":{}}}');
  writeFileSync(join(folder, 'config', 'keys', 'kept.json'), 'broken', { mode: 0o644 });
  const env = { PETSTORE_API_KEY: 'no key', PETSTORE_OUTPUT: 'xml', PETSTORE_BASE_URL: '?' };

  const result = await petstore("completion bash -- limits -p ''", { env });

  const stdout = 'production\nstaging\nsandbox\nmine\nkept\n';
  expect(result).toMatchObject({ exitCode: 0, stdout, stderr: '' });
  expect(sandbox.requests).toHaveLength(0);
  expect(existsSync(join(folder, 'state'))).toBe(false);
});

test.for(['bash', 'zsh', 'fish', 'powershell'])(
  'the script of %s asks petstore, evaluates nothing, and closes its brackets',
  async (shell, { petstore }) => {
    const { exitCode, stdout } = await petstore(['completion', shell]);

    expect(exitCode).toBe(0);
    expect(stdout).toContain(`petstore completion ${shell} `);
    expect(stdout).not.toMatch(/\beval\b|Invoke-Expression|compgen -W/);
    for (const [open = '', close = ''] of ['{}', '()', '[]'].map((pair) => pair.split(''))) {
      expect(stdout.split(open).length, open).toBe(stdout.split(close).length);
    }
  },
);
