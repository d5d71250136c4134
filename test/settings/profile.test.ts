import { expect, test, testKey } from '../support/petstore.ts';
import { saveSettings } from '../support/settings-file.ts';

const noEnv = { PETSTORE_BASE_URL: undefined, PETSTORE_API_KEY: undefined };
const list = ['categories', 'list'];

test('an unknown profile is refused before anything is sent, with those that exist', async ({
  petstore,
  sandbox,
}) => {
  for (const name of ['mine', 'staging']) {
    await petstore(['config', 'set', 'output', 'table', '-p', name], { env: noEnv });
  }
  const env = { ...noEnv, PETSTORE_API_KEY: testKey };
  const rest = (argv: readonly string[]) =>
    `${argv[0] === 'config' ? 'Nothing was changed' : 'Nothing was sent'}.\nWrite one of these: production, staging, sandbox, mine.\n`;

  for (const [name, quoted] of [
    ['other', ' "other"'],
    ['qw3rtzuiop-asdfgh', ''],
  ] as const) {
    for (const argv of [list, ['config', 'list'], ['auth', 'logout'], ['limits']]) {
      const { exitCode, stdout, stderr } = await petstore([...argv, '-p', name], { env });

      expect([exitCode, stdout], argv.join(' ')).toEqual([2, '']);
      expect(stderr).toContain(`petstore: unknown profile${quoted}\n${rest(argv)}`);
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
  const file = saveSettings(folder, '{"default-profile":"sandbx"}');

  for (const [env, place] of [
    [{ PETSTORE_PROFILE: 'sandbx' }, 'PETSTORE_PROFILE'],
    [{}, `default-profile in ${file}`],
  ] as const) {
    const { exitCode, stderr } = await petstore(list, { env: { ...noEnv, ...env } });

    expect(exitCode).toBe(2);
    expect(stderr).toContain(`petstore: unknown profile "sandbx" from ${place}\n`);
  }
});
