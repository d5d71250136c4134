import { join } from 'node:path';
import { describe } from 'vitest';
import {
  expect,
  type Fixtures,
  type RunOptions,
  reply,
  test,
  testKey,
} from '../support/petstore.ts';
import { exact } from '../support/values.ts';

const url = (name: string) => `https://${name}.example/v1`;
const noEnv = { PETSTORE_BASE_URL: undefined, PETSTORE_API_KEY: undefined };
const local = 'http://127.0.0.1:4010/v1';
const list = ['categories', 'list'];

/** The four ways to give a setting, best first; the settings file has them for the profile `byfile`, too. */
const settings = {
  profile: {
    flag: ['--profile', 'byflag'],
    env: { PETSTORE_PROFILE: 'byenv' },
    file: ['default-profile', 'byfile'],
    otherwise: 'production',
  },
  'base-url': {
    flag: ['--base-url', url('byflag')],
    env: { PETSTORE_BASE_URL: url('byenv') },
    file: ['base-url', url('byfile')],
    otherwise: undefined,
  },
  output: {
    flag: ['--output', 'ndjson'],
    env: { PETSTORE_OUTPUT: 'table' },
    file: ['output', 'json'],
    otherwise: 'table',
  },
  'max-wait': {
    flag: ['--max-wait', '5m'],
    env: { PETSTORE_MAX_WAIT: '4m' },
    file: ['max-wait', '3m'],
    otherwise: '2m',
  },
} as const;

/** Each way wins over all that come after it, which are given as well. */
const cases = (Object.keys(settings) as (keyof typeof settings)[]).flatMap((name) => {
  const { flag, env, file, otherwise } = settings[name];
  const [variable = '', byEnv] = Object.entries(env)[0] ?? [];
  return [
    { name, way: 'flag', argv: flag, env, file, value: flag[1], source: flag[0] },
    { name, way: 'environment', argv: [], env, file, value: byEnv, source: variable },
    {
      name,
      way: 'settings file',
      argv: [],
      env: {},
      file,
      value: file[1],
      source: 'settings.json',
    },
    { name, way: 'default', argv: [], env: {}, file: [], value: otherwise, source: 'default' },
  ];
});

describe('the setting in force', () => {
  test.for(cases)(
    '$name: the $way wins over what comes after it, and is shown as the origin',
    async ({ name, argv, env, file, value, source }, { petstore, sandbox, folder }) => {
      for (const profile of name === 'profile' ? ['byflag', 'byenv', 'byfile', 'production'] : []) {
        await petstore(['config', 'set', 'base-url', url(profile), '-p', profile], { env: noEnv });
      }
      if (file.length > 0) await petstore(['config', 'set', ...file], { env: noEnv });
      const run: Run = (words, more) =>
        petstore([...words, ...argv], {
          env: { ...noEnv, PETSTORE_API_KEY: testKey, ...env, ...more },
        });

      expect(await effects[name](run, { sandbox, folder })).toBe(value);

      // A format on the command line is that of the list itself.
      if (name === 'output' && source === '--output') return;
      const { stdout } = await run(['config', 'list']);
      const place = source === 'settings.json' ? join(folder, 'config', source) : source;
      const [row = ''] =
        stdout.replaceAll('\n    ', ' ').match(new RegExp(`.*\\b${name}\\b.*`)) ?? [];
      expect(row).toContain(value === undefined ? name : place);
      expect(row).toContain(value ?? name);
    },
  );

  test('the format nearest to the end wins', async ({ petstore }) => {
    for (const [value, ...argv] of [
      ['csv', '--json', 'config', 'get', 'output', '-o', 'csv'],
      ['csv', 'config', '--json', 'get', '-o', 'csv', 'output'],
      ['json', '-o', 'csv', 'config', 'get', 'output', '--json'],
      ['json', '--json', 'config', 'get', 'output'],
    ] as const) {
      const { stdout } = await petstore(argv);
      expect(stdout, argv.join(' ')).toMatch(new RegExp(`output"?[,:].*\\b${value}\\b`, 's'));
    }
  });

  test('a flag may stand before the verb, and the last one counts', async ({ petstore }) => {
    for (const [value, ...argv] of [
      ['1m', '--max-wait', '1m', 'config', 'get', 'max-wait'],
      ['1m', 'config', '--max-wait', '1m', 'get', 'max-wait'],
      ['3m', '--max-wait', '1m', 'config', 'get', 'max-wait', '--max-wait', '3m'],
      ['3m', 'config', '--max-wait', '1m', 'get', '--max-wait', '3m', 'max-wait'],
      ['staging', '-p', 'staging', 'config', 'get', 'profile'],
      ['sandbox', '-p', 'staging', 'config', 'get', 'profile', '-p', 'sandbox'],
    ] as const) {
      expect((await petstore(argv)).stdout, argv.join(' ')).toBe(`${value}\n`);
    }
  });

  test('a profile has nothing from another one', async ({ petstore }) => {
    const own = [
      ['base-url', url('production')],
      ['output', 'csv'],
      ['max-wait', '3m'],
      ['plan', 'pro'],
      ['limit-store', 'redis://production'],
      ['api-key-command', 'pass'],
    ];
    for (const words of own) await petstore(['config', 'set', ...words], { env: noEnv });
    await petstore(['config', 'set', 'plan', 'free', '-p', 'mine'], { env: noEnv });

    for (const [profile, plan] of [
      ['staging', undefined],
      ['mine', 'free'],
    ] as const) {
      const { stdout } = await petstore(['config', 'list', '--json', '-p', profile], {
        env: noEnv,
      });

      const rows: { setting: string; value?: string }[] = JSON.parse(stdout);
      const values = own.map(([name]) => rows.find(({ setting }) => setting === name)?.value);
      expect(values).toEqual([undefined, 'table', '2m', plan, undefined, undefined]);
    }
  });

  test('an empty variable gives nothing, and leaves the setting to the file', async ({
    petstore,
  }) => {
    const env = { ...noEnv, PETSTORE_PROFILE: '', PETSTORE_OUTPUT: '', PETSTORE_MAX_WAIT: '' };
    for (const { name, way, value } of cases) {
      if (way !== 'default' || value === undefined) continue;
      expect((await petstore(['config', 'get', name], { env })).stdout).toBe(`${value}\n`);
    }
    for (const [name, variable, value] of [
      ['base-url', 'PETSTORE_BASE_URL', url('byfile')],
      ['limit-store', 'PETSTORE_LIMIT_STORE', 'redis://byfile:6379'],
      ['max-wait', 'PETSTORE_MAX_WAIT', '3m'],
    ] as const) {
      await petstore(['config', 'set', name, value], { env: noEnv });
      const { stdout } = await petstore(['config', 'get', name], {
        env: { ...noEnv, [variable]: '' },
      });
      expect(stdout).toBe(`${value}\n`);
    }
  });
});

type Run = (words: readonly string[], env?: RunOptions['env']) => ReturnType<Fixtures['petstore']>;
type World = Pick<Fixtures, 'sandbox' | 'folder'>;

/** What a setting does, told by what the service or the user sees of it. */
const effects: Record<keyof typeof settings, (run: Run, world: World) => Promise<unknown>> = {
  async profile(run, { sandbox }) {
    await run(list);
    return sandbox.requests.at(-1)?.url.host.replace('.example', '');
  },
  async 'base-url'(run, { sandbox }) {
    await run(list);
    return sandbox.requests.at(-1)?.url.href.replace('/categories', '');
  },
  async output(run, { sandbox }) {
    sandbox.categories.push({ id: exact('1'), name: 'dog' });
    const { stdout } = await run(list, { PETSTORE_BASE_URL: local });
    return { '┌': 'table', '[': 'json', '{': 'ndjson' }[stdout[0] ?? ''];
  },
  async 'max-wait'(run, { sandbox, folder }) {
    let longest = 0;
    for (const minutes of [1, 2, 3, 4, 5, 6]) {
      sandbox.reactions.push(reply(429, '', { 'retry-after': String(minutes * 60 - 10) }));
      const PETSTORE_STATE_DIR = join(folder, `state-${minutes}`);
      const { exitCode } = await run(list, { PETSTORE_BASE_URL: local, PETSTORE_STATE_DIR });
      if (exitCode === 0) longest = minutes;
    }
    return `${longest}m`;
  },
};

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
    ['the environment serves one without', ['-p', 'other', '--base-url', local], byEnv, envKey],
    ['the own key comes last', [], {}, ownKey],
    ['of an empty variable too', [], { PETSTORE_API_KEY: '' }, ownKey],
    ['and else there is none', ['-p', 'other'], {}, undefined],
  ] as const)('%s', async ([, argv, env, used], { petstore, sandbox }) => {
    const capture = async () => ({ exitCode: 0, stdout: `${ownKey}\n` });
    await petstore(['config', 'set', 'default-profile', 'staging'], { env: noEnv });
    await petstore(['config', 'set', 'base-url', local], { env: noEnv });
    await petstore(give, { env: noEnv, stdin: `${ownKey}\n` });

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
