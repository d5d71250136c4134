import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, test, testKey } from '../support/petstore.ts';

const noEnv = { PETSTORE_BASE_URL: undefined, PETSTORE_API_KEY: undefined };
const local = 'http://127.0.0.1:4010/v1';
const list = ['categories', 'list'];

describe('a profile of which nothing is known', () => {
  test.for([
    { name: 'sandbx', says: 'unknown profile "sandbx"; did you mean "sandbox"?' },
    { name: 'Prodution', says: 'unknown profile "Prodution"; did you mean "production"?' },
    { name: 'mne', says: 'unknown profile "mne"; did you mean "mine"?' },
    {
      name: 'other',
      says: 'unknown profile "other"\nNothing was sent.\nProfiles: production, staging, sandbox, mine. To create this one: petstore auth login --profile other',
    },
    {
      name: 'QwertzuiopAsdfgh',
      says: 'unknown profile\nNothing was sent.\nProfiles: production, staging, sandbox, mine. To create this one: petstore auth login --profile NAME',
    },
  ])('is refused before anything is sent: $name', async ({ name, says }, { petstore, sandbox }) => {
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
  });

  test.for([
    { env: { PETSTORE_PROFILE: 'sandbx' }, place: () => 'PETSTORE_PROFILE' },
    { env: {}, place: (file: string) => `default-profile in ${file}` },
  ])(
    'is named with its place where that is no flag: $env',
    async ({ env, place }, { petstore, folder }) => {
      const file = join(folder, 'config', 'settings.json');
      mkdirSync(join(folder, 'config'));
      writeFileSync(file, '{"default-profile":"sandbx"}');

      const { exitCode, stderr } = await petstore(list, { env: { ...noEnv, ...env } });

      expect(exitCode).toBe(2);
      expect(stderr).toContain(
        `petstore: unknown profile "sandbx" from ${place(file)}; did you mean "sandbox"?\n`,
      );
    },
  );

  test.for([
    { what: 'PETSTORE_BASE_URL', argv: [], env: { PETSTORE_BASE_URL: local } },
    { what: '--base-url', argv: ['--base-url', local], env: {} },
  ])('is taken with $what and a key: it needs no settings', async ({ argv, env }, { petstore }) => {
    const all = { ...noEnv, PETSTORE_API_KEY: testKey, ...env };

    expect((await petstore([...list, '-p', 'other', ...argv], { env: all })).exitCode).toBe(0);
  });

  test.for([
    { what: 'config set', argv: ['config', 'set', 'base-url', local] },
    { what: 'auth login', argv: ['auth', 'login', '--base-url', local] },
  ])('is created by $what', async ({ argv }, { petstore }) => {
    const created = await petstore([...argv, '-p', 'other'], { env: noEnv, stdin: testKey });
    const status = await petstore(['auth', 'status', '-p', 'other'], { env: noEnv });

    expect(created.exitCode).toBe(0);
    expect(status.stderr).not.toContain('unknown profile');
  });

  test('is a finding of doctor', async ({ petstore }) => {
    const { exitCode, stdout } = await petstore(['doctor', '--json', '-p', 'sandbx'], {
      env: noEnv,
    });

    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({
        check: 'profile',
        status: 'fail',
        finding: 'unknown profile "sandbx"; did you mean "sandbox"?',
      }),
    );
  });
});
