import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, test, testKey } from '../support/petstore.ts';

const noEnv = { PETSTORE_BASE_URL: undefined, PETSTORE_API_KEY: undefined };
const local = 'http://127.0.0.1:4010/v1';
const list = ['categories', 'list'];

describe('a profile of which nothing is known', () => {
  test.for([
    [
      'other',
      'unknown profile "other"\nNothing was sent.\nProfiles: production, staging, sandbox, mine. To create a profile: petstore auth login --profile NAME',
    ],
    [
      'qwertzuiop-asdfgh',
      'unknown profile\nNothing was sent.\nProfiles: production, staging, sandbox, mine. To create a profile: petstore auth login --profile NAME',
    ],
  ] as const)(
    'is refused before anything is sent: %s',
    async ([name, says], { petstore, sandbox }) => {
      for (const name of ['mine', 'staging']) {
        await petstore(['config', 'set', 'output', 'table', '-p', name], { env: noEnv });
      }
      const env = { ...noEnv, PETSTORE_API_KEY: testKey };

      for (const argv of [list, ['config', 'list'], ['auth', 'logout'], ['limits']]) {
        const { exitCode, stdout, stderr } = await petstore([...argv, '-p', name], { env });

        expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
        expect(stderr).toContain(`petstore: ${says}\n`);
      }
      expect(sandbox.requests).toHaveLength(0);
    },
  );

  test.for([
    [{ PETSTORE_PROFILE: 'sandbx' }, () => 'PETSTORE_PROFILE'],
    [{}, (file: string) => `default-profile in ${file}`],
  ] as const)(
    'is named with its place where that is no flag: %j',
    async ([env, place], { petstore, folder }) => {
      const file = join(folder, 'config', 'settings.json');
      mkdirSync(join(folder, 'config'));
      writeFileSync(file, '{"default-profile":"sandbx"}');

      const { exitCode, stderr } = await petstore(list, { env: { ...noEnv, ...env } });

      expect(exitCode).toBe(2);
      expect(stderr).toContain(`petstore: unknown profile "sandbx" from ${place(file)}\n`);
    },
  );

  test.for([
    ['PETSTORE_BASE_URL', [], { PETSTORE_BASE_URL: local }],
    ['--base-url', ['--base-url', local], {}],
  ] as const)(
    'is taken with %s and a key: it needs no settings',
    async ([, argv, env], { petstore }) => {
      const all = { ...noEnv, PETSTORE_API_KEY: testKey, ...env };

      expect((await petstore([...list, '-p', 'other', ...argv], { env: all })).exitCode).toBe(0);
    },
  );

  test.for([
    ['config set', ['config', 'set', 'base-url', local]],
    ['auth login', ['auth', 'login', '--base-url', local]],
  ] as const)('is created by %s', async ([, argv], { petstore }) => {
    const created = await petstore([...argv, '-p', 'other'], { env: noEnv, stdin: testKey });
    const status = await petstore(['auth', 'status', '-p', 'other'], { env: noEnv });

    expect(created.exitCode).toBe(0);
    expect(status.stderr).not.toContain('unknown profile');
  });

  test('ends doctor too', async ({ petstore }) => {
    const { exitCode, stderr } = await petstore(['doctor', '-p', 'sandbx'], { env: noEnv });

    expect(exitCode).toBe(2);
    expect(stderr).toContain('unknown profile "sandbx"\n');
  });
});
