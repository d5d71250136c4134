import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { optionsOf, verbsOf, wordsOf } from '../../src/commands/help.ts';
import { declared, namesIn } from '../../src/settings/names.ts';
import { settings } from '../../src/settings/table.ts';
import { expect, test } from '../support/petstore.ts';
import { grownProgram } from '../support/tree.ts';

const program = await grownProgram();
const verbs = verbsOf(program);

/** What the shells' scripts ask for; what the shells make of it is in test/system/completion.test.ts. */
describe('what may stand at the cursor', () => {
  test.for<{ words: string[]; values: string[] }>([
    { words: ['cat'], values: ['categories'] },
    { words: ['categories', ''], values: ['list', 'create', 'import'] },
    { words: ['--profile', 'sandbox', '-q', 'cat'], values: ['categories'] },
    { words: ['categories', 'list', '--s'], values: ['--search', '--sort'] },
    { words: ['categories', 'list', '--sort', ''], values: ['id', 'name', 'description'] },
    { words: ['categories', 'list', '--sort', '-'], values: ['-id', '-name', '-description'] },
    { words: ['categories', 'list', '--sort=-n'], values: ['--sort=-name'] },
    { words: ['categories', 'l'], values: ['list'] },
    { words: ['categories', 'ls', '--s'], values: ['--search', '--sort'] },
    { words: ['categories', 'ls', '--columns', 'i'], values: ['id'] },
    { words: ['categories', 'list', '--search', ''], values: [] },
    { words: ['categories', 'import', '--format', 'c'], values: ['csv'] },
    { words: ['limits', '-qo', 'nd'], values: ['ndjson'] },
    { words: ['limits', '-ojson', '--ver'], values: ['--verbose', '--version'] },
    { words: ['limits', '--output=nd'], values: ['--output=ndjson'] },
    { words: ['limits', '--unknown=', ''], values: ['--refresh', '--reset'] },
    { words: ['-p', ''], values: ['production', 'staging', 'sandbox'] },
    { words: ['sandbox', '--plan', 'p'], values: ['pro'] },
    { words: ['config', 'set', 'b'], values: ['base-url'] },
    { words: ['config', 'set', 'x', 'y', 'b'], values: [] },
    { words: ['completion', 'z'], values: ['zsh'] },
    { words: ['completion', ''], values: ['install', 'uninstall', 'bash'] },
    { words: ['completion', 'install', 'f'], values: ['fish'] },
    { words: ['api', ''], values: ['GET', 'POST', 'DELETE'] },
    { words: ['api', 'GET', 'P'], values: [] },
    { words: ['api', '-X', 'P'], values: ['POST', 'PUT', 'PATCH'] },
    { words: ['api', 'categories', '--s'], values: ['--silent'] },
    { words: ['config', 'set', 'output', ''], values: ['table', 'ndjson', 'yaml', 'raw'] },
    { words: ['config', 'set', 'default-profile', 's'], values: ['staging', 'sandbox'] },
    { words: ['config', 'set', '-q', 'plan', ''], values: ['free', 'pro', 'business'] },
    { words: ['config', 'set', 'constructor', 'x'], values: [] },
    { words: ['config', 'get', 'pro'], values: ['profile'] },
    { words: ['profile', 'use', 's'], values: ['staging', 'sandbox'] },
    { words: ['config', 'unset', 'max'], values: ['max-wait'] },
    { words: ['categories', 'list', '--columns', ''], values: ['id', 'name', 'description'] },
    { words: ['categories', 'list', '--columns', 'id,'], values: ['id,name', 'id,description'] },
    { words: ['categories', 'list', '--columns=name,d'], values: ['--columns=name,description'] },
    { words: ['categories', 'import', '--columns', 'line,out'], values: ['line,outcome'] },
    { words: ['limits', '--columns', 'w'], values: ['window'] },
    { words: ['limits', '--for', '5', '--columns', 'd'], values: ['doneAt'] },
    { words: ['limits', '--for=5', '--columns', 'w'], values: ['windows', 'wait'] },
    { words: ['config', 'path', '--columns', ''], values: ['path'] },
    { words: ['config', 'path', '--all', '--columns', 'path,w'], values: ['path,what'] },
    { words: ['orders', 'list', '--columns', ''], values: [] },
    { words: ['limits', '-o=nd'], values: ['-o=ndjson'] },
    { words: ['limits', '-p=s'], values: ['-p=staging', '-p=sandbox'] },
    { words: ['limits', '-p=staging', '--ref'], values: ['--refresh'] },
    { words: ['help', ''], values: ['categories', 'options', 'exit-codes', 'environment'] },
    { words: ['exit'], values: [] },
    { words: ['help', 'exit'], values: ['exit-codes'] },
    { words: ['help', 'categories', 'c'], values: ['create'] },
    { words: ['categories', 'help', 'c'], values: ['create'] },
    { words: ['categories', 'import', ''], values: ['<file>'] },
    { words: ['categories', 'import', '--yes', '--'], values: ['--dry-run'] },
    { words: ['limits', '--api-key-file', ''], values: ['<file>'] },
    { words: ['sandbox', '--data=x'], values: ['<file>'] },
    { words: ['sandbox', '--', '--p'], values: ['<file>'] },
  ])('$words', async ({ words, values }, { petstore }) => {
    const { exitCode, stdout, stderr } = await petstore(['completion', 'zsh', '--', ...words]);

    const offered = stdout.split('\n').map((line) => line.split(' ')[0]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(offered).toEqual(expect.arrayContaining(values));
    if (values.length === 0) expect(stdout).toBe('');
  });

  test.for(verbs.map((verb) => ({ words: wordsOf(verb), verb })))(
    'each option of $words, and each of their values',
    async ({ words, verb }, { petstore }) => {
      const ask = async (...more: string[]) => {
        const argv = ['completion', 'fish', '--', ...words.split(' '), ...more];
        return (await petstore(argv)).stdout.split('\n').filter(Boolean);
      };
      const { own, common } = optionsOf(verb);
      const options = [...own, ...common];

      const offered = await ask('--');

      expect(offered).toEqual(options.map(({ long, description }) => `${long} ${description}`));
      for (const { long, argChoices } of options) {
        if (argChoices) expect(await ask(long ?? '', '')).toEqual(argChoices);
      }
    },
  );

  test.for(namesIn('profile').filter((name) => 'choices' in settings[name]))(
    'each value of the setting %s',
    async (name, { petstore }) => {
      const { choices } = declared[name];

      const { stdout } = await petstore(['completion', 'zsh', '--', 'config', 'set', name, '']);

      expect(stdout).toBe(`${choices?.join('\n')}\n`);
    },
  );

  test.for([
    ['categories', 'list'],
    ['categories', 'create', 'dog'],
    ['categories', 'import', 'pets.csv', '--yes'],
    ['limits'],
    ['doctor'],
    ['auth', 'status'],
    ['config', 'list'],
    ['profile', 'list'],
  ])('each column of %s', async (words, { petstore }) => {
    const { stderr } = await petstore([...words, '--columns', 'zzz']);
    const argv = ['completion', 'zsh', '--', ...words, '--columns', ''];

    const { stdout } = await petstore(argv);

    expect(stderr).toContain(`Columns: ${stdout.trim().split('\n').join(', ')}`);
  });

  test.for<{ words: string[]; values: string }>([
    { words: ['limits', '-o', '=', 'nd'], values: 'ndjson\n' },
    { words: ['limits', '--output', '=', 'nd'], values: 'ndjson\n' },
    { words: ['limits', '--output', '='], values: 'table\njson\nndjson\n' },
    { words: ['--base-url', 'https', ':', '//h/v1', 'lim'], values: 'limits' },
    { words: ['limits', '--output=nd'], values: '--output=ndjson\n' },
  ])('as bash breaks a line: $words', async ({ words, values }, { petstore }) => {
    const { stdout } = await petstore(['completion', 'bash', '--', ...words]);

    expect(stdout).toContain(values);
    expect(stdout.startsWith(values)).toBe(true);
  });

  test('as PowerShell marks the last word', async ({ petstore }) => {
    const { stdout } = await petstore(['completion', 'powershell', '--', 'categories', '+cr']);

    expect(stdout).toBe('create Create a category\n');
  });

  test('profiles of the settings, but no name that means something to a shell', async ({
    petstore,
    folder,
  }) => {
    const names = ['mine', '$(touch owned)', '`id`', ';id', '<file>', '-x', 'a b', '\u001b[2J', ''];
    const profiles = Object.fromEntries(names.map((name) => [name, { output: 'json' }]));
    mkdirSync(join(folder, 'config'));
    writeFileSync(join(folder, 'config', 'settings.json'), JSON.stringify({ profiles }));

    const { stdout } = await petstore(['completion', 'bash', '--', 'limits', '-p', '']);

    expect(stdout).toBe('production\nstaging\nsandbox\nmine\n');
  });

  test('is found with settings and a key that nobody can use, without a request or a trace', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    mkdirSync(join(folder, 'config', 'keys'), { recursive: true });
    writeFileSync(join(folder, 'config', 'settings.json'), '{ broken');
    writeFileSync(join(folder, 'config', 'keys', 'production.json'), 'broken', { mode: 0o644 });
    const env = { PETSTORE_API_KEY: 'no key', PETSTORE_OUTPUT: 'xml', PETSTORE_BASE_URL: '?' };

    const result = await petstore(['completion', 'bash', '--', 'limits', '--profile', 's'], {
      env,
    });

    expect(result).toMatchObject({ exitCode: 0, stdout: 'staging\nsandbox\n', stderr: '' });
    expect(sandbox.requests).toHaveLength(0);
    expect(existsSync(join(folder, 'state'))).toBe(false);
  });
});

describe('the scripts', () => {
  test.for(['bash', 'zsh', 'fish', 'powershell'])(
    'of %s asks petstore, and evaluates nothing',
    async (shell, { petstore }) => {
      const { exitCode, stdout } = await petstore(['completion', shell]);

      expect(exitCode).toBe(0);
      expect(stdout).toContain(`petstore completion ${shell} `);
      expect(stdout).not.toMatch(/\beval\b|Invoke-Expression|compgen -W/);
      expect(stdout.split('\n').length).toBeLessThan(30);
    },
  );

  // There is no PowerShell to run it here.
  test('of PowerShell registers a completer, and its brackets are closed', async ({ petstore }) => {
    const { stdout } = await petstore(['completion', 'powershell']);

    expect(stdout).toContain('Register-ArgumentCompleter -Native -CommandName petstore');
    for (const [open, close] of ['{}', '()', '[]'].map((pair) => pair.split(''))) {
      expect(stdout.split(open ?? '').length).toBe(stdout.split(close ?? '').length);
    }
  });

  test('of another shell there is none', async ({ petstore }) => {
    const { exitCode, stdout, stderr } = await petstore(['completion', 'tcsh']);

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain('unknown command "tcsh" for petstore completion');
  });
});
