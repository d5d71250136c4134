import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, reply, test, testKey } from '../support/petstore.ts';

const noEnv = { PETSTORE_BASE_URL: undefined, PETSTORE_API_KEY: undefined };
const url = 'https://pets.example/v1';

test('profile list shows every profile, however it came to be', async ({
  petstore,
  sandbox,
  folder,
}) => {
  await petstore(`config set base-url ${url} -p mine`, { env: noEnv });
  await petstore('config set api-key-command pass -p vault', { env: noEnv });
  sandbox.reactions.push(reply(200, []));
  await petstore(`auth login -p kept --base-url ${url}`, { env: noEnv, stdin: testKey });
  // No profile can have such a name.
  writeFileSync(join(folder, 'config', 'keys', 'My Key.json'), '{}');

  const { exitCode, json, stderr } = await petstore('profile list --json', { env: noEnv });
  const refused = await petstore('limits -p other', { env: noEnv });

  const row = { default: false, active: false };
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(json).toEqual([
    { profile: 'production', default: true, active: true, key: 'none' },
    { profile: 'staging', ...row, key: 'none' },
    { profile: 'sandbox', ...row, key: 'the sandbox' },
    { profile: 'mine', ...row, baseUrl: url, key: 'none' },
    { profile: 'vault', ...row, key: 'api-key-command' },
    { profile: 'kept', ...row, baseUrl: url, key: 'stored' },
  ]);
  expect(refused.stderr).toContain('sandbox, mine, vault, kept. To create this one');
  // That of the login.
  expect(sandbox.requests).toHaveLength(1);
});

test.for([
  [undefined, 'staging'],
  ['sandbox', 'sandbox'],
])(
  'profile use makes the default; with PETSTORE_PROFILE=%s %s is in force',
  async ([PETSTORE_PROFILE, active], { petstore }) => {
    await petstore('profile use staging', { env: noEnv });

    const env = { ...noEnv, PETSTORE_PROFILE };
    const rows: Record<string, unknown>[] = (await petstore('profile list --json', { env })).json;

    const named = (field: string) => rows.filter((row) => row[field]).map((row) => row.profile);
    expect([named('default'), named('active')]).toEqual([['staging'], [active]]);
  },
);
