import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, noEnv, test, testKey } from '../support/petstore.ts';
import { saveSettings } from '../support/settings-file.ts';

const url = 'https://pets.example/v1';
const settingsOf = (folder: string) => join(folder, 'config', 'settings.json');

test('config list shows each setting in force with its origin', async ({ petstore, folder }) => {
  await petstore(`config set base-url ${url} -p staging`);

  const { stdout, exitCode } = await petstore('config list --max-wait 1h -o csv --no-header', {
    env: { ...noEnv, PETSTORE_PROFILE: 'staging', PETSTORE_API_KEY: testKey },
  });

  expect(exitCode).toBe(0);
  expect(stdout.split('\n')).toEqual(
    expect.arrayContaining([
      'profile,staging,PETSTORE_PROFILE',
      `base-url,${url},${settingsOf(folder)}`,
      'output,table,default',
      'max-wait,1h,--max-wait',
      'shared-store,,',
      'default-profile,production,default',
    ]),
  );
});

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
