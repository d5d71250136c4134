import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, reply, test } from '../support/petstore.ts';

const noEnv = { PETSTORE_BASE_URL: undefined, PETSTORE_API_KEY: undefined };
const local = 'http://127.0.0.1:4010/v1';
const url = (name: string) => `https://${name}.example/v1`;
const list = ['categories', 'list'];

/** The ways to give a setting, best first: a flag, a variable, `config set`; then its default. */
const settings = [
  [
    'profile',
    '--profile sandbox',
    'PETSTORE_PROFILE production',
    'default-profile staging',
    'production',
  ],
  [
    'base-url',
    `--base-url ${url('byflag')}`,
    `PETSTORE_BASE_URL ${url('byenv')}`,
    `base-url ${url('byfile')}`,
    undefined,
  ],
  // `-o` is the format of the list that shows the settings.
  ['output', '', 'PETSTORE_OUTPUT csv', 'output json', 'table'],
  ['max-wait', '--max-wait 5m', 'PETSTORE_MAX_WAIT 4m', 'max-wait 3m', '2m'],
  [
    'shared-store',
    '',
    'PETSTORE_SHARED_STORE redis://byenv:6379',
    'shared-store redis://byfile:6379',
    undefined,
  ],
] as const;

const wordsOf = (text: string) => text.split(' ').filter(Boolean);

describe('the setting in force', () => {
  test.for(settings)(
    '%s: each way to give it wins over all that come after it',
    async ([setting, flag, variable, saved, fallback], { petstore, folder }) => {
      const [variableName = '', byVariable] = wordsOf(variable);
      const [savedName = '', inFile = ''] = wordsOf(saved);
      const show = async (argv: readonly string[], given: string | undefined) => {
        const env = { ...noEnv, [variableName]: given };
        const { stdout } = await petstore(['config', 'list', '--json', ...argv], { env });
        const rows: Record<string, string>[] = JSON.parse(stdout);
        return rows.find((row) => row.setting === setting);
      };
      await petstore(['config', 'set', savedName, inFile, '-p', 'production'], { env: noEnv });

      if (flag) {
        const [source, value] = wordsOf(flag);
        expect(await show([`${source}=${value}`], byVariable)).toEqual({ setting, value, source });
      }
      const byEnv = { setting, value: byVariable, source: variableName };
      expect(await show([], byVariable)).toEqual(byEnv);
      const byFile = { setting, value: inFile, source: join(folder, 'config', 'settings.json') };
      expect(await show([], '')).toEqual(byFile);
      await petstore(['config', 'unset', savedName, '-p', 'production'], { env: noEnv });
      const byDefault = { setting, ...(fallback && { value: fallback, source: 'default' }) };
      expect(await show([], '')).toEqual(byDefault);
    },
  );

  test('a profile has nothing from another one', async ({ petstore }) => {
    const set = (line: string) => petstore(['config', 'set', ...line.split(' ')], { env: noEnv });
    const show = () => petstore('config list -p staging', { env: noEnv });
    await set('plan free -p staging');
    const before = await show();

    await set(`base-url ${url('production')}`);
    await set('output csv');
    await set('max-wait 3m');
    await set('plan pro');
    await set('shared-store redis://production');
    await set('api-key-command pass');

    expect(await show()).toMatchObject({ exitCode: 0, stdout: before.stdout });
  });
});

/** The two kinds of key that a profile may have of its own; both belong to its base URL. */
const ownKeys = {
  stored: ['auth', 'login'],
  'of a command': ['config', 'set', 'api-key-command', 'pass show petstore'],
};
const [flagKey, envKey, ownKey] = ['key-of-the-file', 'key-of-the-env', 'key-of-the-profile'];
const byEnv = { PETSTORE_API_KEY: envKey };

describe.for(Object.entries(ownKeys))('the key in force, where the own one is %s', ([, give]) => {
  test.for([
    ['--api-key-file beats all', ['-p', 'staging', '--api-key-file', '-'], byEnv, flagKey],
    ['a profile of the command line beats the environment', ['-p', 'staging'], byEnv, ownKey],
    ['one of PETSTORE_PROFILE does not', [], { ...byEnv, PETSTORE_PROFILE: 'staging' }, envKey],
    ['the default profile does not', [], byEnv, envKey],
    ['the environment serves one without', ['-p', 'other'], byEnv, envKey],
    ['the own key comes last', [], {}, ownKey],
    ['of an empty variable too', [], { PETSTORE_API_KEY: '' }, ownKey],
    ['and else there is none', ['-p', 'other'], {}, undefined],
  ] as const)('%s', async ([, argv, env, used], { petstore, sandbox }) => {
    const capture = async () => ({ exitCode: 0, stdout: `${ownKey}\n` });
    await petstore('config set default-profile staging', { env: noEnv });
    await petstore(['config', 'set', 'base-url', local], { env: noEnv });
    await petstore('config set output json -p other', { env: noEnv });
    if (give === ownKeys.stored) sandbox.reactions.push(reply(200, []));
    await petstore(give, { env: noEnv, stdin: `${ownKey}\n` });
    sandbox.requests.length = 0;

    const { exitCode } = await petstore([...list, ...argv], {
      env: { ...noEnv, PETSTORE_BASE_URL: local, ...env },
      stdin: flagKey,
      context: { capture },
    });

    // None of them is the sandbox's own.
    expect(exitCode).toBe(4);
    expect(sandbox.requests.at(-1)?.headers.authorization).toBe(used && `Bearer ${used}`);
  });
});
