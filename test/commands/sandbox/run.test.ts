import { readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runAgainst } from '../../../src/commands/sandbox/run.ts';
import type { Environment } from '../../../src/context.ts';
import { forChild, readEnvironment } from '../../../src/node/environment.ts';
import type { RunningSandbox } from '../../../src/sandbox/serve.ts';
import type { Context } from '../../support/values.ts';

const sandbox = { baseUrl: new URL('http://127.0.0.1:4010/v1'), key: 'throwaway' };
const self = ['C:\\Program Files\\nodejs\\node.exe', 'C:\\müller (x) & 100%\\petstore.js'];

/** Runs a program, which sees `env` and the folder of the sandbox on its PATH. */
function run(
  variables: Environment,
  platform: string,
  program: (env: Environment, folder: string) => number,
): Promise<number> {
  const context: Partial<Context> = {
    env: readEnvironment(variables, platform),
    platform,
    self,
    launch: async (_program, env) => {
      const child = forChild(env, platform);
      return program(child, (child.PATH ?? child.Path ?? '').split(delimiter)[0] ?? '');
    },
  };
  return runAgainst(sandbox as RunningSandbox, ['x'], context as Context);
}

describe('the program of a sandbox on Windows', () => {
  test('has our folder in front of its Path, and no other one', async () => {
    const ended = await run(
      { Path: 'C:\\Windows', Petstore_Profile: 'x' },
      'win32',
      (env, folder) => {
        const paths = Object.entries(env).filter(([name]) => /^path$/i.test(name));
        expect(paths).toEqual([['Path', `${folder}${delimiter}C:\\Windows`]]);
        expect(env.Petstore_Profile).toBeUndefined();
        return 3;
      },
    );

    expect(ended).toBe(3);
  });

  test('finds petstore, whose words no code page and no % changes', async () => {
    await run({}, 'win32', (env, folder) => {
      expect(readdirSync(folder).sort()).toEqual(['petstore', 'petstore.cmd']);
      const line = readFileSync(join(folder, 'petstore.cmd'), 'latin1');
      expect(line).toMatch(/^@[\w"% ]+ %\*\r\n$/);
      const words = [...line.matchAll(/"%(\w+)%"/g)].map(([, name = '']) => env[name]);
      expect(words).toEqual(self);
      return 0;
    });
  });

  test('has its arguments for petstore escaped by cross-spawn as they are read, which is twice', async () => {
    await run({}, 'win32', (_env, folder) => {
      expect(join(folder, 'petstore.cmd')).toMatch(/node_modules[\\/].bin[\\/][^\\/]+\.cmd$/i);
      return 0;
    });
  });
});

test('the program of a sandbox elsewhere finds petstore alone in that folder, and no variables for it', async () => {
  await run({ PATH: '/bin', Path: 'another' }, 'linux', (env, folder) => {
    expect(env).toMatchObject({ PATH: `${folder}${delimiter}/bin`, Path: 'another' });
    expect(dirname(env.PETSTORE_STATE_DIR ?? '')).toBe(folder);
    expect(readdirSync(folder)).toEqual(['petstore']);
    expect(Object.keys(env).filter((name) => name.startsWith('PETSTORE_SANDBOX'))).toEqual([]);
    return 0;
  });
});

describe('a program that cannot run', () => {
  test.for([
    ['ENOENT', 'command not found', undefined],
    ['EACCES', 'permission denied', undefined],
    ['EFTYPE', 'not an executable', 'petstore sandbox -- bash ./script.sh'],
    ['UNKNOWN', 'not an executable', 'petstore sandbox -- bash ./script.sh'],
  ] as const)('because of %s: %s', async ([code, reason, hint]) => {
    const ended = run({}, 'win32', () => {
      throw Object.assign(new Error(`spawn x ${code}`), { code });
    });

    await expect(ended).rejects.toMatchObject({
      message: `cannot run x: ${reason}`,
      exitCode: 2,
      details: hint ? { hint: expect.stringContaining(hint) } : { hint },
    });
  });
});
