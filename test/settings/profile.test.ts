import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, testKey } from '../support/petstore.ts';

const noEnv = { PETSTORE_BASE_URL: undefined, PETSTORE_API_KEY: undefined };
const local = 'http://127.0.0.1:4010/v1';
const list = ['categories', 'list'];

test('an unknown profile is refused before anything is sent, with those that exist', async ({
  petstore,
  sandbox,
}) => {
  for (const name of ['mine', 'staging']) {
    await petstore(['config', 'set', 'output', 'table', '-p', name], { env: noEnv });
  }
  const env = { ...noEnv, PETSTORE_API_KEY: testKey };
  const rest =
    'Nothing was sent.\nProfiles: production, staging, sandbox, mine. To create a profile: petstore auth login --profile NAME\n';

  for (const [name, quoted] of [
    ['other', ' "other"'],
    ['qwertzuiop-asdfgh', ''],
  ] as const) {
    for (const argv of [list, ['config', 'list'], ['auth', 'logout'], ['limits']]) {
      const { exitCode, stdout, stderr } = await petstore([...argv, '-p', name], { env });

      expect([exitCode, stdout], argv.join(' ')).toEqual([2, '']);
      expect(stderr).toContain(`petstore: unknown profile${quoted}\n${rest}`);
    }
  }
  const doctor = await petstore(['doctor', '-p', 'sandbx'], { env: noEnv });
  expect(doctor.exitCode).toBe(2);
  expect(doctor.stderr).toContain('unknown profile "sandbx"\n');
  expect(sandbox.requests).toHaveLength(0);
});

test('an unknown profile is named with its place where that is no flag', async ({
  petstore,
  folder,
}) => {
  const file = join(folder, 'config', 'settings.json');
  mkdirSync(join(folder, 'config'));
  writeFileSync(file, '{"default-profile":"sandbx"}');

  for (const [env, place] of [
    [{ PETSTORE_PROFILE: 'sandbx' }, 'PETSTORE_PROFILE'],
    [{}, `default-profile in ${file}`],
  ] as const) {
    const { exitCode, stderr } = await petstore(list, { env: { ...noEnv, ...env } });

    expect(exitCode).toBe(2);
    expect(stderr).toContain(`petstore: unknown profile "sandbx" from ${place}\n`);
  }
});

test('a new profile needs no settings with a base URL and a key', async ({ petstore }) => {
  for (const [argv, env] of [
    [[], { PETSTORE_BASE_URL: local }],
    [['--base-url', local], {}],
  ] as const) {
    const all = { ...noEnv, PETSTORE_API_KEY: testKey, ...env };
    expect((await petstore([...list, '-p', 'other', ...argv], { env: all })).exitCode).toBe(0);
  }
});
