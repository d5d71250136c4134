import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe } from 'vitest';
import { expect, type Fixtures, test, testKey } from '../../support/petstore.ts';
import { interrupted } from '../../support/values.ts';

const noEnv = { PETSTORE_BASE_URL: undefined, PETSTORE_API_KEY: undefined };
const url = 'https://pets.example/v1';
const settingsOf = (folder: string) => join(folder, 'config', 'settings.json');
const keyOf = (folder: string, name: string) => join(folder, 'config', 'keys', `${name}.json`);
const read = (folder: string) => JSON.parse(readFileSync(settingsOf(folder), 'utf8'));

const terminal = (confirm: (question: string) => Promise<boolean>) => ({
  columns: 200,
  env: noEnv,
  context: { confirm, stdin: Object.assign(Readable.from(['']), { isTTY: true }) },
});

/** Two settings and a key for a profile, as one sets it up, and a setting for another one. */
async function setUp(petstore: Fixtures['petstore'], name: string) {
  await petstore(['config', 'set', 'base-url', url, '-p', name], { env: noEnv });
  await petstore(['config', 'set', 'output', 'table', '-p', name], { env: noEnv });
  await petstore(['auth', 'login', '-p', name], { env: noEnv, stdin: testKey });
  await petstore(['config', 'set', 'max-wait', '5m', '-p', 'other'], { env: noEnv });
}

const remove = (name: string) => ['profile', 'delete', name, '--yes'];

describe('profile delete', () => {
  test('removes the key and all settings of a profile, and nothing else', async ({
    petstore,
    folder,
    sandbox,
  }) => {
    await setUp(petstore, 'mine');
    await setUp(petstore, 'yours');

    const result = await petstore(remove('mine'), { env: noEnv });

    expect(result).toMatchObject({ exitCode: 0, stdout: '' });
    expect(result.stderr).toBe(
      'petstore: this deletes the stored API key and 2 settings of profile mine: base-url, output\n' +
        'petstore: deleted profile mine; the service may still accept its API key\n',
    );
    expect(read(folder).profiles).toEqual({
      yours: { 'base-url': url, output: 'table' },
      other: { 'max-wait': '5m' },
    });
    expect(readdirSync(join(folder, 'config', 'keys'))).toEqual(['yours.json']);
    expect(sandbox.requests).toHaveLength(0);
  });

  test('asks on a terminal, after it said what it deletes', async ({ petstore, folder }) => {
    await setUp(petstore, 'mine');
    const asked: string[] = [];

    const { exitCode, stderr } = await petstore(
      ['profile', 'delete', 'mine', '--no-color'],
      terminal(async (question) => {
        asked.push(question);
        expect(existsSync(keyOf(folder, 'mine'))).toBe(true);
        return true;
      }),
    );

    expect([exitCode, asked]).toEqual([0, ['Delete profile mine?']]);
    expect(stderr).toMatch(/^petstore: this deletes .*\npetstore: deleted profile mine; /);
    expect(read(folder).profiles).toEqual({ other: { 'max-wait': '5m' } });
  });

  test.for([
    { what: 'no', confirm: async () => false, exitCode: 2 },
    { what: 'Ctrl-C', confirm: () => Promise.reject(interrupted(130)), exitCode: 130 },
  ])(
    'that is answered with $what deletes nothing',
    async ({ confirm, exitCode }, { petstore, folder }) => {
      await setUp(petstore, 'mine');
      const before = readFileSync(settingsOf(folder), 'utf8');

      const result = await petstore(['profile', 'delete', 'mine', '--no-color'], terminal(confirm));

      expect(result.exitCode).toBe(exitCode);
      expect(result.stderr).toContain('Nothing was deleted.\n');
      expect(readFileSync(settingsOf(folder), 'utf8')).toBe(before);
      expect(existsSync(keyOf(folder, 'mine'))).toBe(true);
    },
  );

  test('needs --yes where it cannot ask: exit 2, and nothing is deleted', async ({
    petstore,
    folder,
  }) => {
    await setUp(petstore, 'mine');

    const result = await petstore(['profile', 'delete', 'mine'], { env: noEnv });

    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain(
      'confirmation needed, but this is not a terminal (use --yes)\n',
    );
    expect(existsSync(keyOf(folder, 'mine'))).toBe(true);
    expect(read(folder).profiles.mine).toBeDefined();
  });

  test('of the default profile removes default-profile in the same save, and says so', async ({
    petstore,
    folder,
  }) => {
    await setUp(petstore, 'mine');
    await petstore(['profile', 'use', 'mine'], { env: noEnv });

    const { stderr } = await petstore(remove('mine'), { env: noEnv });

    expect(stderr).toContain(
      'petstore: profile mine is the default profile; the default will be production again\n',
    );
    expect(read(folder)).toEqual({ profiles: { other: { 'max-wait': '5m' } } });
  });

  test.for(['production', 'staging'])(
    '%s is built in: its key and settings go, and it still exists',
    async (name, { petstore, folder }) => {
      await setUp(petstore, name);
      await petstore(['profile', 'use', 'staging'], { env: noEnv });

      const { exitCode, stderr } = await petstore(remove(name), { env: noEnv });
      const list = await petstore(['profile', 'list', '-o', 'csv'], { env: noEnv });

      expect(exitCode).toBe(0);
      expect(stderr).toContain(
        `petstore: reset profile ${name}, which is built in and still exists; the service may still accept its API key\n`,
      );
      expect(stderr.includes('the default will be production again')).toBe(name === 'staging');
      expect(list.stdout).toContain(`\n${name},`);
      expect(read(folder).profiles).toEqual({ other: { 'max-wait': '5m' } });
      expect(existsSync(keyOf(folder, name))).toBe(false);
    },
  );

  test('asks whether to reset one that is built in', async ({ petstore }) => {
    await setUp(petstore, 'staging');
    const asked: string[] = [];

    await petstore(
      ['profile', 'delete', 'staging'],
      terminal(async (question) => asked.push(question) > 0),
    );

    expect(asked).toEqual(['Reset profile staging?']);
  });

  test.for(['production', 'staging', 'sandbox'])(
    '%s with nothing set: said, nothing is asked, exit 0',
    async (name, { petstore, folder }) => {
      const { exitCode, stdout, stderr } = await petstore(['profile', 'delete', name], {
        env: noEnv,
      });

      expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
      expect(stderr.split('\n')[0]).toBe(
        `petstore: profile ${name} has no settings and no stored API key`,
      );
      expect(existsSync(join(folder, 'config'))).toBe(false);
    },
  );

  test('of the sandbox leaves what was created in it, and says how to delete that', async ({
    petstore,
    folder,
  }) => {
    await petstore(['config', 'set', 'output', 'json', '-p', 'sandbox'], { env: noEnv });

    const { exitCode, stderr } = await petstore(remove('sandbox'), { env: noEnv });

    const log = join(folder, 'state', 'sandbox', 'requests.log');
    expect(exitCode).toBe(0);
    expect(stderr).toContain(
      `petstore: what you created in the sandbox was not deleted; to start afresh: rm '${log}'\n`,
    );
  });

  test('says which key of the environment is still set, and that PETSTORE_PROFILE is', async ({
    petstore,
  }) => {
    await setUp(petstore, 'mine');
    const env = { ...noEnv, PETSTORE_API_KEY: testKey, PETSTORE_PROFILE: 'mine' };

    const { stderr } = await petstore(remove('mine'), { env });

    expect(stderr).toContain('petstore: PETSTORE_API_KEY is still set\n');
    expect(stderr).toContain('petstore: PETSTORE_PROFILE is still set to this profile\n');
    expect(stderr).not.toContain(testKey);
  });

  test.for([
    { name: 'mien', says: 'unknown profile "mien"; did you mean "mine"?' },
    { name: 'Mine', says: 'unknown profile "Mine"; did you mean "mine"?' },
    {
      name: 'ghost',
      says: 'unknown profile "ghost"\nNothing was sent.\nProfiles: production, staging, sandbox, mine, other\n',
    },
    {
      name: 'QwertzuiopAsdfgh',
      says: 'unknown profile\nNothing was sent.\nProfiles: production, staging, sandbox, mine, other\n',
    },
    { name: '../settings', says: 'unknown profile\n' },
  ])(
    'refuses $name, which does not exist: exit 2',
    async ({ name, says }, { petstore, folder }) => {
      await setUp(petstore, 'mine');

      const { exitCode, stderr } = await petstore(remove(name), { env: noEnv });

      expect(exitCode).toBe(2);
      expect(stderr).toContain(`petstore: ${says}`);
      expect(existsSync(keyOf(folder, 'mine'))).toBe(true);
      expect(read(folder).profiles.mine).toBeDefined();
    },
  );

  test.for([
    { what: 'settings alone', name: 'set', says: 'this deletes 1 setting of profile set: output' },
    { what: 'a key alone', name: 'kept', says: 'this deletes the stored API key of profile kept' },
  ])('takes a profile with $what', async ({ name, says }, { petstore }) => {
    await petstore(['config', 'set', 'output', 'csv', '-p', 'set'], { env: noEnv });
    const env = { ...noEnv, PETSTORE_BASE_URL: url };
    await petstore(['auth', 'login', '-p', 'kept'], { env, stdin: testKey });

    const { exitCode, stderr } = await petstore(remove(name), { env: noEnv });
    const again = await petstore(remove(name), { env: noEnv });

    expect(exitCode).toBe(0);
    expect(stderr.split('\n')[0]).toBe(`petstore: ${says}`);
    expect(again.exitCode).toBe(2);
  });

  test.for([
    { what: 'has no value', text: '{"profiles":{"mine":{}}}' },
    { what: 'has an invalid value', text: '{"profiles":{"mine":{"output":"xml"}}}' },
    { what: 'has an invalid name', text: '{"profiles":{"mine":{},"a b":{}}}', name: 'a b' },
    {
      what: 'is a path in its name',
      text: '{"profiles":{"mine":{},"../settings":{"output":"json"}}}',
      name: '../settings',
    },
  ])(
    'removes a profile of the settings file that $what',
    async ({ text, name = 'mine' }, { petstore, folder }) => {
      mkdirSync(join(folder, 'config'));
      writeFileSync(settingsOf(folder), text);

      expect((await petstore(remove(name), { env: noEnv })).exitCode).toBe(0);

      const left = Object.keys(read(folder).profiles);
      expect(left).not.toContain(name);
      if (name !== 'mine') expect(left).toContain('mine');
    },
  );

  test('removes a key file that cannot be used, be it a link that leads nowhere', async ({
    petstore,
    folder,
  }) => {
    mkdirSync(join(folder, 'config', 'keys'), { recursive: true });
    symlinkSync('/nowhere', keyOf(folder, 'mine'));

    expect((await petstore(remove('mine'), { env: noEnv })).exitCode).toBe(0);

    expect(readdirSync(join(folder, 'config', 'keys'))).toEqual([]);
  });
});

describe('profile delete that ends midway', () => {
  test('says what was deleted, and the same command finishes it', async ({ petstore, folder }) => {
    await setUp(petstore, 'mine');
    await petstore(['profile', 'use', 'mine'], { env: noEnv });
    // Where the lock of the settings is to be.
    const lock = `${settingsOf(folder)}.lock`;
    writeFileSync(lock, '');

    const failed = await petstore(remove('mine'), { env: noEnv });
    const between = await petstore(['profile', 'list', '-o', 'csv'], { env: noEnv });
    rmSync(lock);
    const again = await petstore(remove('mine'), { env: noEnv });

    expect(failed.exitCode).toBe(74);
    expect(failed.stderr).toContain('\nThe stored API key was deleted, the settings were not.\n');
    expect(between.stdout).toContain(`\nmine,true,true,${url},none\n`);
    expect(again.exitCode).toBe(0);
    expect(read(folder)).toEqual({ profiles: { other: { 'max-wait': '5m' } } });
  });
});
