import { readdirSync, readFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import { expect, type Fixtures, networkError, test } from '../support/petstore.ts';
import type { Context } from '../support/values.ts';

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
  return petstore('sandbox -- x', { env, context: { platform, self, launch } });
}

test('the program of a sandbox on Windows finds petstore', async ({ petstore }) => {
  const env = { Path: 'C:\\Windows', Petstore_Profile: 'staging' };
  const { exitCode } = await run(petstore, 'win32', env, (env, folder) => {
    expect(env.PATH).toBe(`${folder}${delimiter}C:\\Windows`);
    // Not left out: Windows would take it from the other spelling.
    expect(env).toHaveProperty('PETSTORE_PROFILE', undefined);
    // cross-spawn escapes arguments for a .cmd, which is read twice, only in a folder of this name.
    expect(folder).toMatch(/node_modules[\\/].bin$/);
    expect(readdirSync(folder).sort()).toEqual(['petstore', 'petstore.cmd']);
    for (const [name, form] of [
      ['petstore.cmd', /"%(\w+)%"/g],
      ['petstore', /"\$(\w+)"/g],
    ] as const) {
      const line = readFileSync(`${folder}/${name}`, 'latin1');
      // No code page and no % changes its words.
      expect(line).toMatch(/^[\w"%$@#!/ \n]+ ("\$@"|%\*\r)\n$/);
      expect([...line.matchAll(form)].map(([, name = '']) => env[name])).toEqual(self);
    }
    return 3;
  });

  expect(exitCode).toBe(3);
});

test.for<readonly [Environment, string]>([
  [{}, '127.0.0.1'],
  [{ no_proxy: 'a.example' }, 'a.example,127.0.0.1'],
  [{ NO_PROXY: 'b.example' }, 'b.example,127.0.0.1'],
])('%j: its program needs no proxy for this machine', async ([env, exempt], { petstore }) => {
  const { exitCode } = await run(petstore, 'linux', env, ({ no_proxy, NO_PROXY }) => {
    expect([no_proxy, NO_PROXY]).toEqual([exempt, exempt]);
    return 0;
  });

  expect(exitCode).toBe(0);
});

test.for([
  ['ENOENT', ': command not found\n', ''],
  ['EACCES', ' (EACCES)\n', "Run: petstore sandbox -- sh 'x'"],
  ['EFTYPE', ' (EFTYPE)\n', "Run: petstore sandbox -- sh 'x'"],
] as const)('a program that fails with %s: %s', async ([code, reason, hint], { petstore }) => {
  const { exitCode, stderr } = await run(petstore, 'win32', {}, () => {
    throw networkError(code);
  });

  expect(exitCode).toBe(2);
  expect(stderr).toContain(`petstore: cannot run x${reason}`);
  expect(stderr).toContain(hint);
});

test.for([
  ['linux', /^export PETSTORE_BASE_URL=http:\S+\/v1\nexport PETSTORE_API_KEY=sandbox-\w+\n$/],
  ['win32', /^\$env:PETSTORE_BASE_URL = 'http:\S+'\n\$env:PETSTORE_API_KEY = 'sandbox-\w+'\n$/],
] as const)('without a program: lines for %s', async ([platform, lines], { petstore }) => {
  const options = { signal: AbortSignal.abort(), context: { platform } };

  expect((await petstore('sandbox', options)).stdout).toMatch(lines);
});
