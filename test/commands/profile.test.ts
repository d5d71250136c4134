import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, type Fixtures, reply, test, testKey } from '../support/petstore.ts';

const noEnv = { PETSTORE_BASE_URL: undefined, PETSTORE_API_KEY: undefined };
const url = 'https://pets.example/v1';
const settingsOf = (folder: string) => join(folder, 'config', 'settings.json');

/** Settings for `mine`, a key alone for `kept`, a command that prints one for `vault`. */
async function setUp({ petstore, sandbox }: Pick<Fixtures, 'petstore' | 'sandbox'>) {
  await petstore(['config', 'set', 'base-url', url, '-p', 'mine'], { env: noEnv });
  await petstore('config set api-key-command pass -p vault', { env: noEnv });
  const env = { ...noEnv, PETSTORE_BASE_URL: url };
  sandbox.reactions.push(reply(200, []));
  await petstore('auth login -p kept', { env, stdin: testKey });
}

describe('profile list', () => {
  test('shows every profile, however it came to be', async ({ petstore, sandbox, folder }) => {
    await setUp({ petstore, sandbox });
    // No profile can have such a name.
    writeFileSync(join(folder, 'config', 'keys', 'My Key.json'), '{}');

    const result = await petstore('profile list --json', { env: noEnv });

    const row = { default: false, active: false };
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(result.stdout)).toEqual([
      { profile: 'production', default: true, active: true, key: 'none' },
      { profile: 'staging', ...row, key: 'none' },
      { profile: 'sandbox', ...row, key: 'the sandbox' },
      { profile: 'mine', ...row, baseUrl: url, key: 'none' },
      { profile: 'vault', ...row, key: 'api-key-command' },
      { profile: 'kept', ...row, baseUrl: url, key: 'stored' },
    ]);
    // That of the login.
    expect(sandbox.requests).toHaveLength(1);
  });

  test.for([
    ['the default', undefined, ['staging']],
    ['that of the environment', 'sandbox', ['sandbox']],
  ] as const)('shows the one in force: %s', async ([, PETSTORE_PROFILE, active], { petstore }) => {
    await petstore('profile use staging', { env: noEnv });

    const env = { ...noEnv, PETSTORE_PROFILE };
    const { stdout } = await petstore('profile list --json', { env });

    const rows: Record<string, unknown>[] = JSON.parse(stdout);
    const named = (field: string) => rows.filter((row) => row[field]).map((row) => row.profile);
    expect(named('default')).toEqual(['staging']);
    expect(named('active')).toEqual(active);
  });
});

test('a profile that only has a stored key is named and completed', async ({
  petstore,
  sandbox,
}) => {
  await setUp({ petstore, sandbox });

  const refused = await petstore('limits -p other', { env: noEnv });
  const completed = await petstore('completion zsh -- -p k', { env: noEnv });

  expect(refused.stderr).toContain('sandbox, mine, vault, kept. To create this one');
  expect(completed.stdout).toBe('kept\n');
});

describe('profile use', () => {
  test('makes a profile the default', async ({ petstore, folder }) => {
    const used = await petstore('profile use staging', { env: noEnv });

    expect(used).toMatchObject({ exitCode: 0, stdout: '' });
    expect(used.stderr).toBe(
      `petstore: default profile is now staging, saved in ${settingsOf(folder)}\n`,
    );
    expect((await petstore('config get profile', { env: noEnv })).stdout).toBe('staging\n');
  });
});
