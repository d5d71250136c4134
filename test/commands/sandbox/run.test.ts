import { readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { describe } from 'vitest';
import { expect, type Fixtures, networkError, test } from '../../support/petstore.ts';
import type { Context } from '../../support/values.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const self = ['C:\\Program Files\\nodejs\\node.exe', 'C:\\müller (x) & 100%\\petstore.js'];

/** Runs a program against a sandbox: it sees `env`, and the folder of the sandbox on its PATH. */
function run(
  petstore: Fixtures['petstore'],
  platform: string,
  env: Environment,
  program: (env: Environment, folder: string) => number,
) {
  const launch: Context['launch'] = async (_program, env) => {
    const paths = Object.entries(env).filter(([name]) => /^path$/i.test(name));
    return program(env, paths.at(-1)?.[1]?.split(delimiter)[0] ?? '');
  };
  return petstore(['sandbox', '--', 'x'], { env, context: { platform, self, launch } });
}

describe('the program of a sandbox on Windows', () => {
  test('has our folder in front of its Path', async ({ petstore }) => {
    const env = { Path: 'C:\\Windows', Petstore_Profile: 'x' };
    const { exitCode } = await run(petstore, 'win32', env, (env, folder) => {
      expect(env.PATH).toBe(`${folder}${delimiter}C:\\Windows`);
      expect(env.PETSTORE_PROFILE).toBeUndefined();
      return 3;
    });

    expect(exitCode).toBe(3);
  });

  test('finds petstore, whose words no code page and no % changes', async ({ petstore }) => {
    const { exitCode } = await run(petstore, 'win32', {}, (env, folder) => {
      // cross-spawn escapes arguments for a .cmd, which is read twice, only in a folder of this name.
      expect(folder).toMatch(/node_modules[\\/].bin$/);
      expect(readdirSync(folder).sort()).toEqual(['petstore', 'petstore.cmd']);
      const line = readFileSync(`${folder}/petstore.cmd`, 'latin1');
      expect(line).toMatch(/^@[\w"% ]+ %\*\r\n$/);
      const words = [...line.matchAll(/"%(\w+)%"/g)].map(([, name = '']) => env[name]);
      expect(words).toEqual(self);
      return 0;
    });

    expect(exitCode).toBe(0);
  });
});

test('the program of a sandbox elsewhere finds petstore alone in that folder', async ({
  petstore,
}) => {
  const before = { PATH: '/bin', Path: 'another' };
  const { exitCode } = await run(petstore, 'linux', before, (env) => {
    const [folder = '', ...rest] = env.PATH?.split(delimiter) ?? [];
    expect(rest).toEqual(['/bin']);
    expect(env.Path).toBe('another');
    expect(env.PETSTORE_BASE_URL).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    expect(dirname(env.PETSTORE_STATE_DIR ?? '')).toBe(folder);
    expect(readdirSync(folder)).toEqual(['petstore']);
    expect(Object.keys(env).filter((name) => name.startsWith('PETSTORE_SANDBOX'))).toEqual([]);
    return 0;
  });

  expect(exitCode).toBe(0);
});

test.for([
  [{}, '', ''],
  [{ no_proxy: 'a.example' }, 'a.example', 'a.example'],
  [{ NO_PROXY: 'b.example' }, 'b.example', 'b.example'],
  [{ no_proxy: 'a.example', NO_PROXY: 'b.example' }, 'a.example', 'b.example'],
] as const)(
  'with %j the program of a sandbox reaches this machine without a proxy, and what was exempt',
  async ([before, lower, upper], { petstore }) => {
    const { exitCode } = await run(petstore, 'linux', before, ({ no_proxy, NO_PROXY }) => {
      const own = ['127.0.0.1', 'localhost', '::1'];
      expect(no_proxy?.split(',')).toEqual(expect.arrayContaining([...own, lower].filter(Boolean)));
      expect(NO_PROXY?.split(',')).toEqual(expect.arrayContaining([...own, upper].filter(Boolean)));
      return 0;
    });

    expect(exitCode).toBe(0);
  },
);

test('a NO_PROXY of `*` stays, which programs take for everything only where it stands alone', async ({
  petstore,
}) => {
  await run(petstore, 'linux', { NO_PROXY: '*' }, (env) => {
    expect(env.NO_PROXY).toBe('*');
    return 0;
  });
});

test.for([
  ['ENOENT', 'command not found', ''],
  ['ENOTDIR', 'command not found', ''],
  ['EACCES', 'permission denied', ''],
  ['EFTYPE', 'not an executable', 'petstore sandbox -- bash ./script.sh'],
  ['UNKNOWN', 'not an executable', 'petstore sandbox -- bash ./script.sh'],
] as const)('a program that cannot run because of %s: %s', async (row, { petstore }) => {
  const [code, reason, hint] = row;
  const { exitCode, stderr } = await run(petstore, 'win32', {}, () => {
    throw networkError(code);
  });

  expect(exitCode).toBe(2);
  expect(stderr).toContain(`petstore: cannot run x: ${reason}\n`);
  expect(stderr).toContain(hint);
});

test('an empty program is a usage error', async ({ petstore }) => {
  const { exitCode, stdout, stderr } = await petstore(['sandbox', '--', '', 'x']);

  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toContain('petstore: no program given: the word after -- is empty\n');
});

test.for([
  ['linux', /^export PETSTORE_BASE_URL=http:\S+\/v1\nexport PETSTORE_API_KEY=sandbox-\w+\n$/],
  ['win32', /^\$env:PETSTORE_BASE_URL = 'http:\S+'\n\$env:PETSTORE_API_KEY = 'sandbox-\w+'\n$/],
] as const)(
  'a sandbox without a program prints lines for a shell on %s',
  async (row, { petstore }) => {
    const [platform, lines] = row;
    const { stdout } = await petstore(['sandbox'], {
      signal: AbortSignal.abort(),
      context: { platform },
    });

    expect(stdout).toMatch(lines);
  },
);
