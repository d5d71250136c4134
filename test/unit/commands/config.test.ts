import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, test, testKey } from '../../support/petstore.ts';

const noEnv = { PETSTORE_BASE_URL: undefined, PETSTORE_API_KEY: undefined };
const url = 'https://pets.example/v1';
const settingsOf = (folder: string) => join(folder, 'config', 'settings.json');
const read = (folder: string) => JSON.parse(readFileSync(settingsOf(folder), 'utf8'));

describe('config list', () => {
  test('shows each setting in force with its origin, and what is not set without one', async ({
    petstore,
    folder,
  }) => {
    await petstore(['config', 'set', 'base-url', url, '-p', 'staging']);
    const env = { ...noEnv, PETSTORE_PROFILE: 'staging' };

    const { stdout, exitCode } = await petstore(['config', 'list', '--max-wait', '1h'], { env });

    const rows = stdout.split('\n').map((line) => line.split('│').map((cell) => cell.trim()));
    expect(exitCode).toBe(0);
    expect(rows.filter((row) => row.length > 1).map((row) => row.slice(1, -1))).toEqual([
      ['setting', 'value', 'source'],
      ['profile', 'staging', 'PETSTORE_PROFILE'],
      ['base-url', url, settingsOf(folder)],
      ['output', 'table', 'default'],
      ['max-wait', '1h', '--max-wait'],
      ['rate-limit-line', 'always', 'default'],
      ['plan', '', ''],
      ['limit-store', '', ''],
      ['api-key-command', '', ''],
      ['default-profile', 'production', 'default'],
    ]);
  });

  test('never shows a key, whatever is known of one', async ({ petstore }) => {
    const env = { ...noEnv, PETSTORE_BASE_URL: url };
    await petstore(['auth', 'login'], { env, stdin: testKey });

    for (const more of [[], ['--json'], ['--api-key-file', '-']]) {
      const { stdout, stderr } = await petstore(['config', 'list', ...more], {
        env: { ...env, PETSTORE_API_KEY: testKey },
        stdin: testKey,
      });
      expect(stdout + stderr).not.toContain(testKey);
      expect(stdout + stderr).not.toContain(testKey.slice(-4));
    }
  });

  test('the sandbox has no address that one could know beforehand', async ({ petstore }) => {
    const { stdout } = await petstore(['config', 'list', '-p', 'sandbox', '--json']);

    expect(JSON.parse(stdout)[1]).toEqual({ setting: 'base-url' });
  });
});

describe('config get', () => {
  test('prints the bare value, in JSON its origin too', async ({ petstore, folder }) => {
    const command = String.raw`vault read \"a\b\" | head -1`;
    await petstore(['config', 'set', 'api-key-command', command]);

    const bare = await petstore(['config', 'get', 'api-key-command']);
    const json = await petstore(['config', 'get', 'api-key-command', '--json']);

    expect(bare).toMatchObject({ exitCode: 0, stdout: `${command}\n`, stderr: '' });
    expect(JSON.parse(json.stdout)).toEqual({
      setting: 'api-key-command',
      value: command,
      source: settingsOf(folder),
    });
  });

  test('what is not set is no empty value: exit 2 and nothing on stdout', async ({ petstore }) => {
    const result = await petstore(['config', 'get', 'plan', '-p', 'staging']);

    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toBe(
      'petstore: plan is not set for profile staging\nNothing was sent.\npetstore config set plan VALUE --profile staging\n',
    );
  });

  test('names no command for the sandbox that would be refused', async ({ petstore }) => {
    const result = await petstore(['config', 'get', 'base-url', '-p', 'sandbox']);

    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain('The sandbox has its own base URL, API key and limit.\n');
  });

  test('names a command for the profile it was asked about, whatever the usual one is', async ({
    petstore,
  }) => {
    await petstore(['config', 'set', 'default-profile', 'staging']);

    const result = await petstore(['config', 'get', 'plan', '-p', 'production']);

    expect(result.stderr).toContain('petstore config set plan VALUE --profile production\n');
  });

  test('says where a profile was named whose name is none', async ({ petstore, folder }) => {
    mkdirSync(join(folder, 'config'), { recursive: true });
    writeFileSync(settingsOf(folder), '{"default-profile":"a b"}');

    const result = await petstore(['config', 'list']);

    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain(
      `invalid profile name "a b" from default-profile in ${settingsOf(folder)}\n`,
    );
  });
});

describe('config unset', () => {
  test('removes one setting and nothing else', async ({ petstore, folder }) => {
    await petstore(['config', 'set', 'base-url', url]);
    await petstore(['config', 'set', 'max-wait', '5m']);
    await petstore(['config', 'set', 'output', 'json', '-p', 'staging']);
    await petstore(['config', 'set', 'default-profile', 'staging']);

    const results = [
      await petstore(['config', 'unset', 'default-profile']),
      await petstore(['config', 'unset', 'max-wait']),
      await petstore(['config', 'unset', 'output', '-p', 'staging']),
    ];

    expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    expect(read(folder)).toEqual({ profiles: { production: { 'base-url': url } } });
    expect(statSync(settingsOf(folder)).mode & 0o777).toBe(0o600);
  });

  test.for(['plan', 'default-profile'])(
    '%s that was not set: said, exit 0, and no file is made',
    async (name, { petstore, folder }) => {
      const result = await petstore(['config', 'unset', name]);

      expect(result).toMatchObject({ exitCode: 0, stdout: '' });
      expect(result.stderr).toBe(`petstore: ${name} is not set for profile production\n`);
      expect(existsSync(join(folder, 'config'))).toBe(false);
    },
  );
});

describe('config path', () => {
  test('prints where the settings are, be they there or not', async ({ petstore, folder }) => {
    const path = settingsOf(folder);

    expect(await petstore(['config', 'path'])).toMatchObject({ exitCode: 0, stdout: `${path}\n` });
    expect(JSON.parse((await petstore(['config', 'path', '--json'])).stdout)).toEqual({ path });
    expect(existsSync(join(folder, 'config'))).toBe(false);
  });
});

describe('a name that is no setting', () => {
  const all =
    'base-url, output, max-wait, rate-limit-line, plan, limit-store, api-key-command, default-profile';
  test.for([
    { argv: ['set', 'base-ulr', url], hint: `Did you mean base-url? One of: ${all}` },
    { argv: ['set', 'BASE-URL', url], hint: `Did you mean base-url? One of: ${all}` },
    { argv: ['unset', 'defaultprofile'], hint: `Did you mean default-profile? One of: ${all}` },
    { argv: ['get', 'plann'], hint: `Did you mean plan? One of: profile, ${all}` },
    { argv: ['get', 'api-key'], hint: `One of: profile, ${all}` },
    { argv: ['set', 'profile', 'staging'], hint: `One of: ${all}` },
    { argv: ['unset', '__proto__'], hint: `One of: ${all}` },
    { argv: ['get', 'x'.repeat(100_000)], hint: `One of: profile, ${all}` },
  ])('$argv: refused with the nearest one', async ({ argv, hint }, { petstore, folder }) => {
    const { stdout, stderr, exitCode } = await petstore(['config', ...argv]);

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr.split('\n')[0]).toMatch(/^petstore: unknown setting/);
    expect(stderr.split('\n')[2]).toBe(hint);
    expect(existsSync(join(folder, 'config'))).toBe(false);
  });
});

describe('settings that cannot be used', () => {
  test.for([
    { argv: ['base-url', url], says: 'the sandbox has its own base URL, API key and limit' },
    {
      argv: ['limit-store', 'redis://h'],
      says: 'the sandbox has its own base URL, API key and limit',
    },
    {
      argv: ['api-key-command', 'pass'],
      says: 'the sandbox has its own base URL, API key and limit',
    },
  ])('$argv of the sandbox is refused', async ({ argv, says }, { petstore, folder }) => {
    const result = await petstore(['config', 'set', ...argv, '-p', 'sandbox']);

    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain(says);
    expect(existsSync(join(folder, 'config'))).toBe(false);
  });

  test('a format in the settings that is none is refused with its place, and a flag mends it', async ({
    petstore,
    folder,
  }) => {
    mkdirSync(join(folder, 'config'));
    writeFileSync(settingsOf(folder), '{"profiles":{"production":{"output":"xml"}}}');

    const { exitCode, stderr } = await petstore(['config', 'get', 'output']);
    await petstore(['config', 'unset', 'output', '-o', 'table']);

    expect(exitCode).toBe(2);
    expect(stderr).toContain(
      `invalid output format "xml" from output of profile production in ${settingsOf(folder)}\n`,
    );
    expect((await petstore(['config', 'get', 'output'])).stdout).toBe('table\n');
  });
});
