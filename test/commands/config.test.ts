import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, noEnv, reply, test, testKey } from '../support/petstore.ts';
import { saveSettings } from '../support/settings-file.ts';

const url = 'https://pets.example/v1';
const settingsOf = (folder: string) => join(folder, 'config', 'settings.json');

test('no list shows what may grant access', async ({ petstore, folder }) => {
  const url = 'https://administrator:se/s@me-open@host/v1?api_key=open-sesame#open-sesame';
  const store = 'redis://me:open-sesame@h';
  const command = 'vault unlock open-sesame';
  const production = { 'base-url': url, 'api-key-command': command, 'shared-store': store };
  saveSettings(folder, JSON.stringify({ profiles: { production } }));
  const secrets = ['administrator', 's@me-open', 'open-sesame'];

  const own = { PETSTORE_BASE_URL: undefined };
  const given = { PETSTORE_BASE_URL: url, PETSTORE_SHARED_STORE: store };
  for (const [line, env, shown] of [
    ['config list -o csv', own, 'api-key-command,(set),'],
    ['config list --json', own, 'redis://h:6379'],
    ['config list --json', given, 'redis://h:6379'],
    ['config get base-url', own, 'https://[hidden]@host/v1?[hidden]\n'],
    ['config get base-url', given, 'https://[hidden]@host/v1?[hidden]\n'],
    ['config get shared-store', own, 'redis://h:6379\n'],
    ['profile list', own, 'https://[hidden]@host/v1?[hidden]'],
    ['doctor', own, 'fail  base url'],
    ['doctor', given, 'fail  base url'],
  ] as const) {
    const context = { openEngine: async () => ({ swap: async () => {} }) };
    expect((await petstore(line, { env, secrets, context })).stdout).toContain(shown);
  }
});

test('config get prints the bare value, in JSON its origin too', async ({ petstore, folder }) => {
  const command = String.raw`vault read \"a\b\" | head -1`;
  await petstore(['config', 'set', 'api-key-command', command]);

  const bare = await petstore('config get api-key-command');
  const { json } = await petstore('config get api-key-command --json');

  expect(bare).toMatchObject({ exitCode: 0, stdout: `${command}\n`, stderr: '' });
  const source = settingsOf(folder);
  expect(json).toEqual({ setting: 'api-key-command', value: command, source });
});

test.for([
  ['config path', 'path'],
  ['config get max-wait', '5m'],
  ['config get profile', 'production'],
] as const)(
  '%s prints one word, whatever the format of other commands is',
  async ([line, word], { petstore, folder }) => {
    const text = word === 'path' ? settingsOf(folder) : word;
    await petstore('config set max-wait 5m', { env: noEnv });
    const byVariable = await petstore(line, { env: { ...noEnv, PETSTORE_OUTPUT: 'json' } });
    await petstore('config set output yaml', { env: noEnv });
    const bySetting = await petstore(line, { env: noEnv });
    const byFlag = await petstore(`${line} --json`, { env: noEnv });

    expect([byVariable.stdout, bySetting.stdout]).toEqual([`${text}\n`, `${text}\n`]);
    expect(Object.values(byFlag.json)).toContain(text);
  },
);

test('config unset removes one setting and nothing else', async ({ petstore, folder }) => {
  for (const line of [
    `set base-url ${url}`,
    'set max-wait 5m',
    'set output json -p staging',
    'set default-profile staging',
    'unset default-profile',
    'unset max-wait',
    'unset output -p staging',
  ]) {
    expect((await petstore(`config ${line}`)).exitCode, line).toBe(0);
  }

  const saved = JSON.parse(readFileSync(settingsOf(folder), 'utf8'));
  expect(saved).toEqual({ profiles: { production: { 'base-url': url } } });
});

/** What is said of it is in messages/settings.txt. */
test.for([
  ['output', 'xml', '{"profiles":{"production":{"output":"xml"}}}', 'config set output json'],
  ['default-profile', 'a b', '{"default-profile":"a b"}', 'config set default-profile staging'],
  ['default-profile', 'sandbx', '{"default-profile":"sandbx"}', 'profile use staging'],
] as const)('an invalid setting %s=%s is shown and repaired', async (row, { petstore, folder }) => {
  const [name, value, text, repair] = row;
  const path = saveSettings(folder, text);

  const stdout = expect.stringContaining(`\n${name},${value},${path}\n`);
  expect(await petstore('config list -o csv', { env: noEnv })).toMatchObject({
    exitCode: 0,
    stdout,
  });
  expect((await petstore('profile list', { env: noEnv })).stdout).toContain('│ production │');

  for (const line of [repair, `config unset ${name}`]) {
    saveSettings(folder, text);
    expect((await petstore(line, { env: noEnv })).exitCode, line).toBe(0);
    const valid = line === repair ? repair.split(' ').at(-1) : name === 'output' && 'table';
    const { stdout } = await petstore(`config get ${name}`, { env: noEnv });
    expect(stdout, line).toBe(`${valid || 'production'}\n`);
  }
});

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

  await petstore('profile use mine', { env: noEnv });

  const { exitCode, json, stderr } = await petstore('profile list --json', {
    env: { ...noEnv, PETSTORE_PROFILE: 'kept' },
  });
  const refused = await petstore('limits -p other', { env: noEnv });

  const row = { default: false, active: false };
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(json).toEqual([
    { profile: 'production', ...row, key: 'none' },
    { profile: 'staging', ...row, key: 'none' },
    { profile: 'sandbox', ...row, key: 'the sandbox' },
    { profile: 'mine', ...row, default: true, baseUrl: url, key: 'none' },
    { profile: 'vault', ...row, key: 'api-key-command' },
    { profile: 'kept', ...row, active: true, baseUrl: url, key: 'stored' },
  ]);
  expect(refused.stderr).toContain('sandbox, mine, vault, kept. To create this one');
  // That of the login.
  expect(sandbox.requests).toHaveLength(1);
});
