import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, test, testKey } from '../support/petstore.ts';

const noEnv = { PETSTORE_BASE_URL: undefined, PETSTORE_API_KEY: undefined };
const url = 'https://pets.example/v1';
const settingsOf = (folder: string) => join(folder, 'config', 'settings.json');
const read = (folder: string) => JSON.parse(readFileSync(settingsOf(folder), 'utf8'));

describe('config set --all-profiles', () => {
  test('saves a value for every profile, and says which', async ({ petstore, folder }) => {
    await petstore(['config', 'set', 'max-wait', '5m', '-p', 'mine'], { env: noEnv });
    const env = { ...noEnv, PETSTORE_BASE_URL: url };
    await petstore(['auth', 'login', '-p', 'kept'], { env, stdin: testKey });

    const result = await petstore(['config', 'set', 'output', 'json', '--all-profiles'], {
      env: noEnv,
    });

    expect(result).toMatchObject({ exitCode: 0, stdout: '' });
    expect(result.stderr).toBe(
      `petstore: saved output=json for 5 profiles (production, staging, sandbox, mine, kept) in ${settingsOf(folder)}\n`,
    );
    expect(read(folder).profiles).toEqual({
      production: { output: 'json' },
      staging: { output: 'json' },
      sandbox: { output: 'json' },
      mine: { output: 'json', 'max-wait': '5m' },
      kept: { output: 'json' },
    });
  });

  test.for([
    { argv: ['base-url', url] },
    { argv: ['limit-store', 'redis://h'] },
    { argv: ['api-key-command', 'pass'] },
  ])('leaves out the sandbox, which has its own: $argv', async ({ argv }, { petstore, folder }) => {
    const { exitCode, stderr } = await petstore(['config', 'set', ...argv, '--all-profiles'], {
      env: noEnv,
    });

    expect(exitCode).toBe(0);
    expect(stderr).toContain(' for 2 profiles (production, staging) in ');
    expect(stderr).toContain(
      'petstore: the sandbox is left out: it has its own base URL, API key and limit\n',
    );
    expect(Object.keys(read(folder).profiles)).toEqual(['production', 'staging']);
  });

  test('says which stored keys api-key-command takes precedence over', async ({ petstore }) => {
    const env = { ...noEnv, PETSTORE_BASE_URL: url };
    for (const name of ['mine', 'yours']) {
      await petstore(['auth', 'login', '-p', name], { env, stdin: testKey });
    }

    const argv = ['config', 'set', 'api-key-command', 'pass', '--all-profiles'];
    const { stderr } = await petstore(argv, { env: noEnv });

    expect(stderr).toContain(
      'petstore: api-key-command takes precedence over the stored keys of mine, yours; to remove one: petstore auth logout --profile NAME\n',
    );
  });

  test.for(['set', 'unset'])(
    'is refused with --profile: %s',
    async (verb, { petstore, folder }) => {
      const value = verb === 'set' ? ['json'] : [];

      const { exitCode, stderr } = await petstore(
        ['config', verb, 'output', ...value, '--all-profiles', '-p', 'staging'],
        { env: noEnv },
      );

      expect(exitCode).toBe(2);
      expect(stderr).toContain('--all-profiles cannot be used with --profile\n');
      expect(existsSync(join(folder, 'config'))).toBe(false);
    },
  );

  test('has nothing against PETSTORE_PROFILE', async ({ petstore }) => {
    const env = { ...noEnv, PETSTORE_PROFILE: 'staging' };

    const { stderr } = await petstore(['config', 'set', 'output', 'csv', '--all-profiles'], {
      env,
    });

    expect(stderr).toContain('for 3 profiles (production, staging, sandbox)');
  });

  test.for(['set', 'unset'])(
    'is refused for default-profile: %s',
    async (verb, { petstore, folder }) => {
      const value = verb === 'set' ? ['staging'] : [];

      const { exitCode, stderr } = await petstore(
        ['config', verb, 'default-profile', ...value, '--all-profiles'],
        { env: noEnv },
      );

      expect(exitCode).toBe(2);
      expect(stderr).toContain('default-profile does not belong to a profile\n');
      expect(existsSync(join(folder, 'config'))).toBe(false);
    },
  );

  test('checks the value before anything is saved', async ({ petstore, folder }) => {
    const argv = ['config', 'set', 'output', 'xml', '--all-profiles'];

    expect((await petstore(argv, { env: noEnv })).exitCode).toBe(2);

    expect(existsSync(join(folder, 'config'))).toBe(false);
  });
});

describe('config unset --all-profiles', () => {
  test('removes a setting from the profiles that have it, and says which', async ({
    petstore,
    folder,
  }) => {
    mkdirSync(join(folder, 'config'));
    writeFileSync(
      settingsOf(folder),
      '{"default-profile":"a","profiles":{"a":{"output":"csv"},"b":{"plan":"pro"},"c":{"output":"xml","plan":"free"}}}',
    );

    const { exitCode, stderr } = await petstore(['config', 'unset', 'output', '--all-profiles'], {
      env: noEnv,
    });

    expect([exitCode, stderr]).toEqual([
      0,
      `petstore: removed output for 2 profiles (a, c) from ${settingsOf(folder)}\n`,
    ]);
    expect(read(folder)).toEqual({
      'default-profile': 'a',
      profiles: { b: { plan: 'pro' }, c: { plan: 'free' } },
    });
  });

  test('removes what the sandbox cannot have, too', async ({ petstore, folder }) => {
    mkdirSync(join(folder, 'config'));
    writeFileSync(settingsOf(folder), '{"profiles":{"sandbox":{"base-url":"https://a/v1"}}}');

    await petstore(['config', 'unset', 'base-url', '--all-profiles'], { env: noEnv });

    expect(read(folder)).toEqual({ profiles: {} });
  });

  test('that was set nowhere: said, exit 0, and no file is made', async ({ petstore, folder }) => {
    const argv = ['config', 'unset', 'output', '--all-profiles'];

    const { exitCode, stderr } = await petstore(argv, { env: noEnv });

    expect([exitCode, stderr]).toEqual([0, 'petstore: output is not set for any profile\n']);
    expect(existsSync(join(folder, 'config'))).toBe(false);
  });
});
