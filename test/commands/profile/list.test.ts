import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, type Fixtures, test, testKey } from '../../support/petstore.ts';

const noEnv = { PETSTORE_BASE_URL: undefined, PETSTORE_API_KEY: undefined };
const url = 'https://pets.example/v1';

/** Settings for `mine`, a key alone for `kept`, a command that prints one for `vault`. */
async function setUp(petstore: Fixtures['petstore']) {
  await petstore(['config', 'set', 'base-url', url, '-p', 'mine'], { env: noEnv });
  await petstore(['config', 'set', 'api-key-command', 'pass', '-p', 'vault'], { env: noEnv });
  const env = { ...noEnv, PETSTORE_BASE_URL: url };
  await petstore(['auth', 'login', '-p', 'kept'], { env, stdin: testKey });
}

const rowsOf = (stdout: string) =>
  Object.fromEntries(JSON.parse(stdout).map((row: { profile: string }) => [row.profile, row]));

describe('profile list', () => {
  test('shows every profile: built in, with settings, with a stored key alone', async ({
    petstore,
    sandbox,
  }) => {
    await setUp(petstore);

    const { exitCode, stdout, stderr } = await petstore(['profile', 'list', '--json'], {
      env: noEnv,
    });

    const row = { default: false, active: false };
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual([
      { profile: 'production', default: true, active: true, key: 'none' },
      { profile: 'staging', ...row, key: 'none' },
      { profile: 'sandbox', ...row, key: 'the sandbox' },
      { profile: 'mine', ...row, baseUrl: url, key: 'none' },
      { profile: 'vault', ...row, key: 'api-key-command' },
      { profile: 'kept', ...row, key: 'stored' },
    ]);
    expect(stdout).not.toContain(testKey);
    expect(sandbox.requests).toHaveLength(0);
  });

  test('shows the default profile and the one in force', async ({ petstore }) => {
    await petstore(['config', 'set', 'default-profile', 'staging'], { env: noEnv });

    for (const { argv, env } of [
      { argv: ['-p', 'sandbox'], env: {} },
      { argv: [], env: { PETSTORE_PROFILE: 'sandbox' } },
    ]) {
      const { stdout } = await petstore(['profile', 'list', '--json', ...argv], {
        env: { ...noEnv, ...env },
      });

      expect(rowsOf(stdout)).toMatchObject({
        production: { default: false, active: false },
        staging: { default: true, active: false },
        sandbox: { default: false, active: true },
      });
    }
  });

  test.for([
    ['PETSTORE_API_KEY is set', { PETSTORE_API_KEY: testKey }],
    ['PETSTORE_BASE_URL is set', { PETSTORE_BASE_URL: url }],
    [
      'PETSTORE_BASE_URL and PETSTORE_API_KEY are set',
      { PETSTORE_API_KEY: testKey, PETSTORE_BASE_URL: url },
    ],
  ] as const)('names what comes from elsewhere: %s', async ([says, env], { petstore }) => {
    const { stdout, stderr } = await petstore(['profile', 'list', '-o', 'csv'], {
      env: { ...noEnv, ...env },
    });

    expect(stderr).toBe(`petstore: ${says}; to see what is in use: petstore auth status\n`);
    expect(stdout).toContain('\nproduction,true,true,,none\n');
  });

  test('makes no file where there is none', async ({ petstore, folder }) => {
    expect((await petstore(['profile', 'list'], { env: noEnv })).exitCode).toBe(0);

    expect(existsSync(join(folder, 'config'))).toBe(false);
  });

  test.for([
    [
      'that others can read',
      (file: string) => chmodSync(file, 0o644),
      (file: string) => `the key file ${file} is readable by other users: chmod 600 '${file}'`,
    ],
    [
      'that is corrupted',
      (file: string) => writeFileSync(file, 'the-key-without-its-frame'),
      (file: string) => `the key file ${file} is corrupted: petstore auth login --profile kept`,
    ],
    [
      'whose key is invalid',
      (file: string) => writeFileSync(file, '{"origin":"https://a","key":"a b"}'),
      (file: string) =>
        `invalid API key from ${file}: character 2 is a space, a control or a non-ASCII character: petstore auth login --profile kept`,
    ],
  ] as const)(
    'goes on where a key file %s is found, and says so',
    async ([, spoil, says], { petstore, folder }) => {
      await setUp(petstore);
      const file = join(folder, 'config', 'keys', 'kept.json');
      spoil(file);

      const { exitCode, stdout, stderr } = await petstore(['profile', 'list', '-o', 'csv'], {
        env: noEnv,
      });

      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: `petstore: ${says(file)}\n` });
      expect(stdout).toContain('\nkept,false,false,,invalid\n');
      expect(stdout + stderr).not.toContain('frame');
    },
  );

  test.for([
    ['{"default-profile":"sandbx"}', 'unknown profile "sandbx"'],
    ['{"default-profile":"a b"}', 'invalid profile name "a b"'],
    ['{"profiles":{"production":{"output":"xml"}}}', 'invalid output format "xml"'],
  ] as const)('works with %s, with a notice', async ([text, says], { petstore, folder }) => {
    mkdirSync(join(folder, 'config'));
    writeFileSync(join(folder, 'config', 'settings.json'), text);

    const { exitCode, stdout, stderr } = await petstore(['profile', 'list'], { env: noEnv });

    expect(exitCode).toBe(0);
    expect(stdout).toContain('│ production │');
    expect(stderr).toContain(`petstore: ${says} from `);
  });

  test('does not show a profile any more whose key and settings were removed', async ({
    petstore,
  }) => {
    await setUp(petstore);
    const env = { ...noEnv, PETSTORE_BASE_URL: url };
    await petstore(['auth', 'login', '-p', 'mine'], { env, stdin: testKey });
    await petstore(['profile', 'use', 'mine'], { env: noEnv });

    for (const line of [
      'auth logout -p kept',
      'auth logout -p mine',
      'config unset base-url -p mine',
      'config unset api-key-command -p vault',
      'config unset default-profile',
    ]) {
      expect(await petstore(line.split(' '), { env: noEnv })).toMatchObject({ exitCode: 0 });
    }

    const { stdout } = await petstore(['profile', 'list', '--json'], { env: noEnv });
    expect(Object.keys(rowsOf(stdout))).toEqual(['production', 'staging', 'sandbox']);
    expect(rowsOf(stdout).production).toMatchObject({ default: true });
  });
});

describe('a profile that only has a stored key', () => {
  test('is named where an unknown one is refused', async ({ petstore }) => {
    await setUp(petstore);

    const { stderr } = await petstore(['limits', '-p', 'other'], { env: noEnv });

    expect(stderr).toContain('Profiles: production, staging, sandbox, mine, vault, kept. To ');
  });

  test('is completed', async ({ petstore }) => {
    await setUp(petstore);

    const { stdout } = await petstore(['completion', 'zsh', '--', '-p', 'k'], { env: noEnv });

    expect(stdout).toBe('kept\n');
  });
});
