import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, test } from '../support/petstore.ts';
import { saveSettings } from '../support/settings-file.ts';
import { listCommands } from '../support/tree.ts';

const { verbs } = await listCommands();

/** What the shells' scripts ask for; what the shells make of it is in test/system/completion.test.ts. */
describe('at the cursor', () => {
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
    ['categories import --yes --', '--dry-run'],
    ['sandbox --data=x', 'files'],
    ['sandbox -- --p', 'files'],
  ] as const)('of "%s" stands "%s"', async ([line, values], { petstore }) => {
    const argv = ['completion', 'zsh', '--', ...line.split(' ')];

    const { exitCode, stdout, stderr } = await petstore(argv);

    const offered = stdout.split('\n').map((offer) => offer.split(':')[0]);
    const isNone = values === 'nothing' || values === 'files';
    expect({ exitCode, stderr }).toEqual({ exitCode: values === 'nothing' ? 3 : 0, stderr: '' });
    if (isNone) expect(stdout).toBe('');
    else expect(offered).toEqual(expect.arrayContaining(values.split(' ')));
  });

  test('stand all options of each verb, and each of their values', async ({ petstore }) => {
    for (const { words, options } of verbs) {
      const offer = async (...more: string[]) => {
        const argv = ['completion', 'fish', '--', ...words.split(' '), ...more];
        return (await petstore(argv)).stdout.split('\n').filter(Boolean);
      };

      const all = options.map(({ long, description }) => `${long}\t${description}`);
      expect(await offer('--'), words).toEqual(all);
      for (const { long, choices } of options) {
        if (choices.length > 0) expect(await offer(long, ''), `${words} ${long}`).toEqual(choices);
      }
    }
  });

  test.for([
    [['limits', '--output', '=', 'nd'], 'ndjson\n'],
    [['limits', '--output', '='], 'table\njson\nndjson\n'],
    [['limits', '--output=nd'], '--output=ndjson\n'],
  ] as const)('as bash breaks a line: %j', async ([words, values], { petstore }) => {
    const { stdout } = await petstore(['completion', 'bash', '--', ...words]);

    expect(stdout.slice(0, values.length)).toBe(values);
  });

  test('as PowerShell marks the last word', async ({ petstore }) => {
    const { stdout } = await petstore('completion powershell -- categories +cr');

    expect(stdout).toBe('create\tCreate a category\n');
  });

  test('stand the profiles, for no request, key or folder', async ({
    petstore,
    folder,
    sandbox,
  }) => {
    mkdirSync(join(folder, 'config', 'keys'), { recursive: true });
    saveSettings(folder, '{"profiles":{"mine":{}}}');
    writeFileSync(join(folder, 'config', 'keys', 'production.json'), 'broken', { mode: 0o644 });
    const env = { PETSTORE_API_KEY: 'no key', PETSTORE_OUTPUT: 'xml', PETSTORE_BASE_URL: '?' };

    const result = await petstore("completion bash -- limits -p ''", { env });

    const stdout = 'production\nstaging\nsandbox\nmine\n';
    expect(result).toMatchObject({ exitCode: 0, stdout, stderr: '' });
    expect(sandbox.requests).toHaveLength(0);
    expect(existsSync(join(folder, 'state'))).toBe(false);
  });
});

test('the script of each shell asks petstore, evaluates nothing, and closes its brackets', async ({
  petstore,
}) => {
  for (const shell of ['bash', 'zsh', 'fish', 'powershell']) {
    const { exitCode, stdout } = await petstore(['completion', shell]);

    expect(exitCode).toBe(0);
    expect(stdout).toContain(`petstore completion ${shell} `);
    expect(stdout).not.toMatch(/\beval\b|Invoke-Expression|compgen -W/);
    for (const [open = '', close = ''] of ['{}', '()', '[]'].map((pair) => pair.split(''))) {
      expect(stdout.split(open).length, shell + open).toBe(stdout.split(close).length);
    }
  }
});
