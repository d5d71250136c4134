import { Readable } from 'node:stream';
import { describe } from 'vitest';
import { expect, noEnv, reply, test, testKey } from '../support/petstore.ts';
import { saveSettings } from '../support/settings-file.ts';
import { profileSettings, settings } from '../support/values.ts';

const local = 'http://127.0.0.1:4010/v1';

describe('the setting in force', () => {
  test.for(['profile', ...profileSettings] as const)(
    '%s: a flag wins over a variable, that over what is saved, and that over the default',
    async (setting, { petstore, folder }) => {
      const saved = setting === 'profile' ? 'default-profile' : setting;
      const { flags, variable = '', choices = [], fallback } = settings[saved];
      // What is shown need not be valid, but for a profile and where there is a choice.
      const others =
        setting === 'profile' ? ['sandbox', 'staging'] : ['redis://a:1', 'redis://b:1'];
      const [one = '', other = ''] = [...choices, ...others];
      const show = async (line: string, given?: string) => {
        const env = { ...noEnv, [variable]: given };
        const { json } = await petstore(`config list ${line} --json`, { env });
        return json.find((row: { setting: string }) => row.setting === setting);
      };
      const profiles = saved === setting && { profiles: { production: { [saved]: other } } };
      const file = saveSettings(folder, JSON.stringify(profiles || { [saved]: other }));
      const value = saved === 'api-key-command' ? '(set)' : other;

      // `-o` is the format of the list that shows the settings.
      if (flags && setting !== 'output') {
        const byFlag = { setting, value, source: `--${setting}` };
        expect(await show(`--${setting}=${other}`, one)).toEqual(byFlag);
      }
      if (variable) expect(await show('', one)).toEqual({ setting, value: one, source: variable });
      expect(await show('', '')).toEqual({ setting, value, source: file });
      saveSettings(folder, '{}');
      const byDefault = { setting, ...(fallback && { value: fallback, source: 'default' }) };
      expect(await show('', '')).toEqual(byDefault);
    },
  );

  test.for(['staging', 'valueof', 'con2', '0'])(
    'a profile has what is set for it, and nothing from another one: %s',
    async (profile, { petstore }) => {
      const show = () => petstore(`config list -o csv -p ${profile}`, { env: noEnv });
      await petstore(`config set plan free -p ${profile}`);
      const before = await show();

      for (const setting of [
        'base-url https://pets.example/v1',
        'output csv',
        'max-wait 3m',
        'plan pro',
        'shared-store redis://production',
        'api-key-command pass',
      ]) {
        await petstore(`config set ${setting}`, { env: noEnv });
      }

      expect(before.stdout).toContain('\nplan,free,');
      expect(await show()).toMatchObject({ exitCode: 0, stdout: before.stdout });
    },
  );
});

const proxy = { PETSTORE_BASE_URL: 'https://h/v1', HTTPS_PROXY: 'http://one:3128' };

/** Variables, what is typed, and what is then said: with a line break at the end of each, as from a `.env` of Windows, too. */
test.for<[Readonly<Record<string, string>>, string, RegExp]>([
  [{ PETSTORE_PROFILE: 'staging' }, 'config get profile', /^staging\n$/],
  [{ PETSTORE_BASE_URL: 'https://h/v1' }, 'config get base-url', /^https:\/\/h\/v1\n$/],
  [{ PETSTORE_MAX_WAIT: '3m' }, 'config get max-wait', /^3m\n$/],
  [{ PETSTORE_OUTPUT: 'csv' }, 'config list', /^setting,value,source\n/],
  [{ PETSTORE_OUTPUT: 'json' }, 'nosuch', /^\{"event":"error"/],
  [{ PETSTORE_SHARED_STORE: 'x' }, 'doctor', /shared store URL "x" from/],
  [{ PETSTORE_API_KEY: testKey }, 'auth status -o raw', /PETSTORE_API_KEY.*cdef/],
  [{ PETSTORE_API_KEY: '' }, 'auth status', /PETSTORE_API_KEY is set, but empty\n/],
  [{ PETSTORE_CONFIG_DIR: '/x/y' }, 'config path', /^\/x\/y\/settings.json\n$/],
  [{ PETSTORE_CONFIG_DIR: '', XDG_CONFIG_HOME: '/x' }, 'config path', /^\/x\/petstore\/settings/],
  [{ PETSTORE_STATE_DIR: '/dev/null' }, 'doctor', /cannot save \/dev\/null\/doctor/],
  [{ ...proxy, NO_PROXY: '' }, 'doctor', /proxy: one:3128 \(from HTTPS_PROXY\)\n/],
  [{ ...proxy, NO_PROXY: 'h' }, 'doctor', /proxy: none\n/],
  [{ CI: '0', PETSTORE_API_KEY: '' }, 'orders list', /Run: petstore auth login \(or/],
  [{ CI: '0', PETSTORE_BASE_URL: '', PETSTORE_API_KEY: '' }, 'orders list', /base.*login \(or/s],
  [{ CI: '1', PETSTORE_API_KEY: '' }, 'orders list', /Run: petstore auth login < KEY_FILE/],
  [{ TERM: 'dumb' }, 'help', /^Usage(?!.*\[1m)/s],
  [{ FORCE_COLOR: '0' }, 'help', /^Usage(?!.*\[1m)/s],
  [{ NO_COLOR: '', FORCE_COLOR: '1' }, 'help', /\[1mStore:/],
])('a line break at the end of a variable is cut off: %j', async (row, { petstore }) => {
  const [variables, line, says] = row;
  for (const ending of ['', '\r', '\n', '\r\n']) {
    const given = Object.entries(variables).map(([name, value]) => [name, value + ending]);
    const env = Object.fromEntries(given);
    const stdin = Object.assign(Readable.from([]), { isTTY: true });
    const atTerminal = 'CI' in env || line === 'help' ? { columns: 200, context: { stdin } } : {};

    const { stdout, stderr } = await petstore(line, { env, ...atTerminal });

    expect(stdout + stderr, JSON.stringify(ending)).toMatch(says);
  }
});

const [flagKey, envKey, ownKey] = ['key-of-the-file', 'key-of-the-env', 'key-of-the-profile'];
const byEnv = { PETSTORE_API_KEY: envKey };

describe('the key in force', () => {
  test.for([
    ['--api-key-file beats all', '-p staging --api-key-file -', byEnv, flagKey],
    ['a profile of the command line beats the environment', '-p staging', byEnv, ownKey],
    ['one of PETSTORE_PROFILE does not', '', { ...byEnv, PETSTORE_PROFILE: 'staging' }, envKey],
    ['the default profile does not', '', byEnv, envKey],
    ['the environment serves one without', '-p other', byEnv, envKey],
    ['the own key comes last', '', {}, ownKey],
    ['of an empty variable too', '', { PETSTORE_API_KEY: '' }, ownKey],
    ['and else there is none', '-p other', {}, undefined],
  ] as const)('%s', async ([, flags, env, used], { petstore, sandbox }) => {
    await petstore('config set default-profile staging', { env: noEnv });
    await petstore(`config set base-url ${local}`, { env: noEnv });
    await petstore('config set output json -p other', { env: noEnv });
    sandbox.reactions.push(reply(200, []));
    await petstore('auth login', { env: noEnv, stdin: `${ownKey}\n` });
    sandbox.requests.length = 0;

    const { exitCode } = await petstore(`categories list ${flags}`, {
      env: { ...noEnv, PETSTORE_BASE_URL: local, ...env },
      stdin: flagKey,
    });

    // None of them is the sandbox's own.
    expect(exitCode).toBe(4);
    expect(sandbox.requests.at(-1)?.headers.authorization).toBe(used && `Bearer ${used}`);
  });
});
