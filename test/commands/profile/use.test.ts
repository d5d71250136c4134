import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, test } from '../../support/petstore.ts';

const noEnv = { PETSTORE_BASE_URL: undefined, PETSTORE_API_KEY: undefined };
const settingsOf = (folder: string) => join(folder, 'config', 'settings.json');

describe('profile use', () => {
  test('makes a profile the default, and prints nothing on stdout', async ({
    petstore,
    folder,
    sandbox,
  }) => {
    const used = await petstore(['profile', 'use', 'staging'], { env: noEnv });
    const inForce = await petstore(['config', 'get', 'profile'], { env: noEnv });

    expect(used).toMatchObject({ exitCode: 0, stdout: '' });
    expect(used.stderr).toBe(
      `petstore: default profile is now staging, saved in ${settingsOf(folder)}\n`,
    );
    expect(inForce.stdout).toBe('staging\n');
    expect(sandbox.requests).toHaveLength(0);
  });

  test.for([
    ['production', []],
    ['staging', ['profile', 'use', 'staging']],
  ] as const)(
    'says that %s is the default already, and saves nothing',
    async ([name, before], { petstore, folder }) => {
      if (before.length > 0) await petstore(before, { env: noEnv });
      const read = () =>
        existsSync(settingsOf(folder)) ? readFileSync(settingsOf(folder), 'utf8') : undefined;
      const text = read();

      const { exitCode, stderr } = await petstore(['profile', 'use', name], { env: noEnv });

      expect([exitCode, stderr]).toEqual([
        0,
        `petstore: profile ${name} is already the default profile\n`,
      ]);
      expect(read()).toBe(text);
    },
  );

  test.for([
    [
      'PETSTORE_PROFILE',
      [],
      { PETSTORE_PROFILE: 'sandbox' },
      'PETSTORE_PROFILE is set and takes precedence in this shell, unless you pass --profile staging',
    ],
    [
      'PETSTORE_PROFILE with a profile that does not exist',
      [],
      { PETSTORE_PROFILE: 'gone' },
      'PETSTORE_PROFILE is set and takes precedence in this shell, unless you pass --profile staging',
    ],
    [
      '--profile',
      ['-p', 'sandbox'],
      {},
      '--profile takes precedence over the default profile, for this command only',
    ],
  ] as const)('says that %s overrides it', async ([, argv, env, says], { petstore }) => {
    for (const saved of ['saved in', 'already the default']) {
      const { exitCode, stderr } = await petstore(['profile', 'use', 'staging', ...argv], {
        env: { ...noEnv, ...env },
      });

      expect(exitCode).toBe(0);
      expect(stderr).toContain(saved);
      expect(stderr.split('\n')[1]).toBe(`petstore: ${says}`);
    }
  });

  test('says nothing of a PETSTORE_PROFILE of the same name', async ({ petstore }) => {
    const env = { ...noEnv, PETSTORE_PROFILE: 'staging' };

    const { stderr } = await petstore(['profile', 'use', 'staging'], { env });

    expect(stderr).not.toContain('PETSTORE_PROFILE');
  });

  test.for([
    ['stagign', 'unknown profile "stagign"\n'],
    ['Staging', 'invalid profile name "Staging"\n'],
    [
      'other',
      'unknown profile "other"\nNothing was sent.\nProfiles: production, staging, sandbox. To create a profile: petstore auth login --profile NAME',
    ],
    [
      'qwertzuiop-asdfgh',
      'unknown profile\nNothing was sent.\nProfiles: production, staging, sandbox. To create a profile: petstore auth login --profile NAME',
    ],
    ['__proto__', 'invalid profile name'],
    ['../keys', 'invalid profile name "../keys"\n'],
  ] as const)('refuses %s, which does not exist', async ([name, says], { petstore, folder }) => {
    const { exitCode, stdout, stderr } = await petstore(['profile', 'use', name], { env: noEnv });

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(`petstore: ${says}`);
    expect(existsSync(join(folder, 'config'))).toBe(false);
  });

  test.for(['', 'a b', 'a/b', '-'.repeat(65)])(
    'refuses "%s", which no profile can be called, and offers no command to create it',
    async (name, { petstore }) => {
      const { exitCode, stderr } = await petstore(['profile', 'use', '--', name], { env: noEnv });

      expect(exitCode).toBe(2);
      expect(stderr).toMatch(/^petstore: invalid profile name/);
      expect(stderr).toContain(
        'Only lower-case letters, digits, "-" and "_" are allowed, at most 64.',
      );
      expect(stderr).not.toContain('auth login');
    },
  );

  test('refuses an invalid name that somehow is in the settings file', async ({
    petstore,
    folder,
  }) => {
    mkdirSync(join(folder, 'config'));
    writeFileSync(settingsOf(folder), '{"profiles":{"a b":{}}}');

    const { exitCode, stderr } = await petstore(['profile', 'use', 'a b'], { env: noEnv });

    expect(exitCode).toBe(2);
    expect(stderr).toContain('profiles: "a b" is not a valid profile name');
  });

  test.for(['{"default-profile":"sandbx"}', '{"default-profile":"a b"}'])(
    'repairs %s',
    async (text, { petstore, folder }) => {
      mkdirSync(join(folder, 'config'));
      writeFileSync(settingsOf(folder), text);

      expect((await petstore(['profile', 'use', 'staging'], { env: noEnv })).exitCode).toBe(0);

      expect(JSON.parse(readFileSync(settingsOf(folder), 'utf8'))).toEqual({
        'default-profile': 'staging',
      });
    },
  );
});
