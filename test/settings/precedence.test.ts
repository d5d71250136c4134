import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, type Fixtures, reply, test, testKey } from '../support/petstore.ts';
import { exact } from '../support/values.ts';

const noEnv = { PETSTORE_BASE_URL: undefined, PETSTORE_API_KEY: undefined };
const local = 'http://127.0.0.1:4010/v1';
const url = (name: string) => `https://${name}.example/v1`;
const list = ['categories', 'list'];

/** The ways to give a setting, best first: a flag, a variable, `config set`; then its default. */
const settings = [
  ['profile', '--profile byflag', 'PETSTORE_PROFILE byenv', 'default-profile byfile', 'production'],
  [
    'base-url',
    `--base-url ${url('byflag')}`,
    `PETSTORE_BASE_URL ${url('byenv')}`,
    `base-url ${url('byfile')}`,
    undefined,
  ],
  ['output', '--output ndjson', 'PETSTORE_OUTPUT table', 'output json', 'table'],
  ['max-wait', '--max-wait 5m', 'PETSTORE_MAX_WAIT 4m', 'max-wait 3m', '2m'],
] as const;

function pairOf(way: string): [name: string, value: string] {
  const [name = '', value = ''] = way.split(' ');
  return [name, value];
}

type Run = (
  words: readonly string[],
  env?: Readonly<Record<string, string>>,
) => ReturnType<Fixtures['petstore']>;

describe('the setting in force', () => {
  test.for(settings)(
    '%s: each way wins over all that come after it, and is shown as the origin',
    async ([name, flag, variable, saved, otherwise], { petstore, sandbox, folder }) => {
      const [byFlag, byEnv, byFile] = [pairOf(flag), pairOf(variable), pairOf(saved)];
      for (const profile of ['byflag', 'byenv', 'byfile', 'production']) {
        if (name !== 'profile') break;
        await petstore(['config', 'set', 'base-url', url(profile), '-p', profile], { env: noEnv });
      }
      await petstore(['config', 'set', ...byFile], { env: noEnv });
      const ways: [string, string | undefined][] = [
        byFlag,
        byEnv,
        [join(folder, 'config', 'settings.json'), byFile[1]],
        ['default', otherwise],
      ];

      for (const [n, [source, value]] of ways.entries()) {
        if (n === 3) await petstore(['config', 'unset', byFile[0]], { env: noEnv });
        const env = { ...noEnv, PETSTORE_API_KEY: testKey };
        if (n < 2) Object.assign(env, Object.fromEntries([byEnv]));
        const argv = n === 0 ? byFlag : [];
        const run: Run = (words, more) =>
          petstore([...words, ...argv], { env: { ...env, ...more } });

        expect(await effectOf(name, run, { sandbox, folder: join(folder, `${n}`) })).toBe(value);

        // A format on the command line is that of the list itself.
        if (source === '--output') continue;
        const { stdout } = await run(['config', 'list', '--json']);
        const rows: Record<string, string>[] = JSON.parse(stdout);
        const row = rows.find(({ setting }) => setting === name);
        expect(row?.value).toBe(value);
        if (value !== undefined) expect(row?.source).toBe(source);
      }
    },
  );

  test('of several flags the last one counts, wherever it stands', async ({ petstore }) => {
    for (const [line, stdout] of [
      ['-o csv categories list --json', '[]\n'],
      ['categories --json list -o csv --columns id', 'id\n'],
      ['config --max-wait 1m get max-wait', '1m\n'],
      ['--max-wait 1m config get max-wait --max-wait 3m', '3m\n'],
      ['config --max-wait 1m get --max-wait 3m max-wait', '3m\n'],
      ['-p staging config get profile -p sandbox', 'sandbox\n'],
    ] as const) {
      expect((await petstore(line.split(' '))).stdout, line).toBe(stdout);
    }
  });

  test('a profile has nothing from another one', async ({ petstore }) => {
    for (const line of [
      `base-url ${url('production')}`,
      'output csv',
      'max-wait 3m',
      'plan pro',
      'shared-store redis://production',
      'api-key-command pass',
      'plan free -p mine',
    ]) {
      await petstore(['config', 'set', ...line.split(' ')], { env: noEnv });
    }

    for (const [profile, plan] of [
      ['staging', []],
      ['mine', ['plan,free']],
    ] as const) {
      const argv = ['config', 'list', '-o', 'csv', '--columns', 'setting,value', '--no-header'];
      const { stdout } = await petstore([...argv, '-p', profile], { env: noEnv });

      const values = stdout.split('\n').filter((row) => /,./.test(row));
      const defaults = ['output,table', 'max-wait,2m', 'default-profile,production'];
      expect(values.sort()).toEqual([`profile,${profile}`, ...plan, ...defaults].sort());
    }
  });

  test('an empty variable leaves the setting to the file, or to its default', async ({
    petstore,
  }) => {
    const store = ['shared-store', '', 'PETSTORE_SHARED_STORE', 'shared-store redis://byfile:6379'];
    await petstore(['config', 'set', 'plan', 'free', '-p', 'byfile'], { env: noEnv });
    for (const [name = '', , variable = '', saved = '', otherwise] of [...settings, store]) {
      const env = { ...noEnv, [pairOf(variable)[0]]: '' };
      const get = async () => (await petstore(['config', 'get', name], { env })).stdout;
      if (otherwise !== undefined) expect(await get()).toContain(otherwise);
      await petstore(['config', 'set', ...pairOf(saved), '-p', 'production'], { env: noEnv });
      expect(await get()).toContain(pairOf(saved)[1]);
      await petstore(['config', 'unset', 'default-profile'], { env: noEnv });
    }
  });
});

/** Returns the value of a setting as the service or the user sees it. */
async function effectOf(
  name: (typeof settings)[number][0],
  run: Run,
  { sandbox, folder }: Pick<Fixtures, 'sandbox' | 'folder'>,
): Promise<string | undefined> {
  if (name === 'profile' || name === 'base-url') {
    sandbox.requests.length = 0;
    await run(list);
    const base = sandbox.requests[0]?.url.href.replace('/categories', '');
    return name === 'base-url' ? base : base?.replace(/https:..(.*).example.v1/, '$1');
  }
  if (name === 'output') {
    sandbox.categories.push({ id: exact('1'), name: 'dog' });
    const { stdout } = await run(list, { PETSTORE_BASE_URL: local });
    return { '┌': 'table', '[': 'json', '{': 'ndjson' }[stdout[0] ?? ''];
  }
  for (const minutes of [2, 3, 4, 5, 6]) {
    sandbox.reactions.push(reply(429, '', { 'retry-after': String(minutes * 60 - 10) }));
    const PETSTORE_STATE_DIR = join(folder, `${minutes}`);
    const { exitCode } = await run(list, { PETSTORE_BASE_URL: local, PETSTORE_STATE_DIR });
    if (exitCode !== 0) return `${minutes - 1}m`;
  }
  return 'inf';
}

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
    await petstore(['config', 'set', 'default-profile', 'staging'], { env: noEnv });
    await petstore(['config', 'set', 'base-url', local], { env: noEnv });
    await petstore(['config', 'set', 'output', 'json', '-p', 'other'], { env: noEnv });
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
