import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, test, testKey } from '../support/petstore.ts';

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

  test('never shows the password of a limit store', async ({ petstore }) => {
    await petstore(['config', 'set', 'limit-store', 'redis://me:open-sesame@h']);
    const elsewhere = { PETSTORE_LIMIT_STORE: 'redis://me:open-sesame@elsewhere' };

    for (const env of [{}, elsewhere]) {
      for (const line of ['config list', 'config list --json', 'config get limit-store']) {
        const { stdout, stderr } = await petstore(line.split(' '), { env });
        expect(stdout).toContain('redis://');
        expect(stdout + stderr).not.toContain('sesame');
      }
    }
  });

  test('the sandbox has no address that one could know beforehand', async ({ petstore }) => {
    const { stdout } = await petstore(['config', 'list', '-p', 'sandbox', '--json']);

    expect(JSON.parse(stdout)[1]).toEqual({ setting: 'base-url' });
  });
});

describe('config list shows what other commands do', () => {
  test.for([
    [['--json'], {}],
    [['-o', 'csv'], {}],
    [['-o', 'table'], { PETSTORE_OUTPUT: 'yaml' }],
  ] as const)('%j is not the setting in force', async ([argv, env], { petstore }) => {
    const { stdout } = await petstore(['config', 'list', ...argv], { env: { ...noEnv, ...env } });

    const [, row = ''] = /^(.*output.*?)$/m.exec(stdout.replaceAll(',\n', ',')) ?? [];
    const given = Object.entries({ ...env });
    const [source, value] = given[0] ?? ['default', 'table'];
    expect(row).toContain(value);
    expect(row).toContain(source);
    expect(stdout).not.toContain('--');
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

  test.for([
    ['plan', ' for profile production'],
    ['default-profile', ''],
  ] as const)(
    '%s that was not set: said, exit 0, and no file is made',
    async ([name, whose], { petstore, folder }) => {
      const result = await petstore(['config', 'unset', name]);

      expect(result).toMatchObject({ exitCode: 0, stdout: '' });
      expect(result.stderr).toBe(`petstore: ${name} is not set${whose}\n`);
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
  const all = 'base-url, output, max-wait, plan, limit-store, api-key-command, default-profile';
  test.for([
    [['set', 'base-ulr', url], `Did you mean base-url? One of: ${all}`],
    [['set', 'BASE-URL', url], `One of: ${all}`],
    [['unset', 'defaultprofile'], `Did you mean default-profile? One of: ${all}`],
    [['get', 'plann'], `Did you mean plan? One of: profile, ${all}`],
    [['get', 'api-key'], `One of: profile, ${all}`],
    [['set', 'profile', 'staging'], `One of: ${all}`],
    [['set', 'url', url], `One of: ${all}`],
    [['unset', '__proto__'], `One of: ${all}`],
    [['get', 'x'.repeat(100_000)], `One of: profile, ${all}`],
  ] as const)('%j: refused with the names', async ([argv, hint], { petstore, folder }) => {
    const { stdout, stderr, exitCode } = await petstore(['config', ...argv]);

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr.split('\n')[0]).toMatch(/^petstore: invalid value.* for <setting>$/);
    expect(stderr.split('\n')[2]).toBe(hint);
    expect(existsSync(join(folder, 'config'))).toBe(false);
  });
});

describe('settings that cannot be used', () => {
  test.for([
    [['base-url', url], 'the sandbox has its own base URL, API key and limit'],
    [['limit-store', 'redis://h'], 'the sandbox has its own base URL, API key and limit'],
    [['api-key-command', 'pass'], 'the sandbox has its own base URL, API key and limit'],
  ] as const)('%j of the sandbox is refused', async ([argv, says], { petstore, folder }) => {
    const result = await petstore(['config', 'set', ...argv, '-p', 'sandbox']);

    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain(says);
    expect(existsSync(join(folder, 'config'))).toBe(false);
  });
});

describe('config set', () => {
  test.for([
    [['output', 'json'], 'saved output=json for profile production'],
    [['output', 'json', '-p', 'new'], 'saved output=json for profile new'],
    [['default-profile', 'staging'], 'saved default-profile=staging'],
    [['api-key-command', 'pass x'], 'saved api-key-command for profile production'],
    [
      ['limit-store', 'redis://me:open-sesame@h'],
      'saved limit-store=redis://h:6379 for profile production',
    ],
  ] as const)(
    'says what it saved, for which profile and where: %j',
    async ([argv, says], { petstore, folder }) => {
      const { exitCode, stderr } = await petstore(['config', 'set', ...argv], { env: noEnv });

      expect([exitCode, stderr]).toEqual([0, `petstore: ${says} in ${settingsOf(folder)}\n`]);
    },
  );

  test.for([
    ['https://pets.example', true],
    ['https://pets.example/api', true],
    ['https://pets.example/v1', false],
    ['https://pets.example/api/v2/', false],
  ] as const)(
    'a base URL without a version prefix is pointed out: %s %s',
    async (row, { petstore }) => {
      const [url, isSaid] = row;
      const { exitCode, stderr } = await petstore(['config', 'set', 'base-url', url]);

      expect(exitCode).toBe(0);
      expect(stderr.includes('the base URL has no version prefix such as /v1')).toBe(isSaid);
    },
  );

  test('a default profile that does not exist yet is saved, with a notice', async ({
    petstore,
  }) => {
    const { exitCode, stderr } = await petstore(['config', 'set', 'default-profile', 'sandbx'], {
      env: noEnv,
    });

    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^petstore: saved default-profile=sandbx in /);
    expect(stderr).toContain(
      'petstore: profile "sandbx" does not exist yet; to undo: petstore config unset default-profile\n',
    );
  });
});

describe('an invalid setting in the settings file', () => {
  const write = (folder: string, text: string) => {
    mkdirSync(join(folder, 'config'));
    writeFileSync(settingsOf(folder), text);
  };
  const rows = [
    {
      name: 'output',
      text: '{"profiles":{"production":{"output":"xml"}}}',
      says: (file: string) =>
        `invalid output format "xml" from output of profile production in ${file}`,
    },
    {
      name: 'default-profile',
      text: '{"default-profile":"a b"}',
      says: (file: string) => `invalid profile name "a b" from default-profile in ${file}`,
    },
    {
      name: 'default-profile',
      text: '{"default-profile":"sandbx"}',
      says: (file: string) => `unknown profile "sandbx" from default-profile in ${file}`,
    },
  ];

  test.for(rows)(
    '$text: every command names the file and the setting',
    async (row, { petstore, folder, sandbox }) => {
      write(folder, row.text);

      for (const argv of [['categories', 'list'], ['config', 'get', 'output'], ['limits']]) {
        const { exitCode, stderr } = await petstore(argv, { env: noEnv });
        expect([exitCode, stderr.split('\n')[0]]).toEqual([
          2,
          `petstore: ${row.says(settingsOf(folder))}`,
        ]);
      }
      expect(sandbox.requests).toHaveLength(0);
    },
  );

  test.for(rows)(
    '$text: config list and path work, with a notice',
    async (row, { petstore, folder }) => {
      write(folder, row.text);

      const list = await petstore(['config', 'list', '-o', 'csv'], { env: noEnv });
      const path = await petstore(['config', 'path'], { env: noEnv });

      const [, value] = /:"([^"]*)"\}*$/.exec(row.text) ?? [];
      expect(list.exitCode).toBe(0);
      expect(list.stdout).toContain(`\n${row.name},${value},${settingsOf(folder)}\n`);
      expect(list.stderr).toBe(
        row.name === 'output' ? '' : `petstore: ${row.says(settingsOf(folder))}\n`,
      );
      expect(path).toMatchObject({ exitCode: 0, stdout: `${settingsOf(folder)}\n` });
      expect(path.stderr).toContain(row.says(settingsOf(folder)));
    },
  );

  test.for(rows)('$text: config unset removes it', async ({ name, text }, { petstore, folder }) => {
    write(folder, text);

    const { exitCode, stderr } = await petstore(['config', 'unset', name], { env: noEnv });

    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^petstore: removed .*\n$/);
    expect(read(folder)[name]).toBeUndefined();
    expect(await petstore(['config', 'get', 'output'], { env: noEnv })).toMatchObject({
      exitCode: 0,
      stdout: 'table\n',
      stderr: '',
    });
  });

  test.for(rows)('$text: config set replaces it', async ({ name, text }, { petstore, folder }) => {
    const value = { output: 'json', 'default-profile': 'staging' }[name];
    write(folder, text);

    expect((await petstore(['config', 'set', name, `${value}`], { env: noEnv })).exitCode).toBe(0);

    expect((await petstore(['config', 'get', name], { env: noEnv })).stdout).toContain(`${value}`);
  });

  test.for(rows)('$text: doctor reports it', async ({ text, says }, { petstore, folder }) => {
    write(folder, text);

    const { exitCode, stdout } = await petstore(['doctor'], { env: noEnv });

    expect(exitCode).toBe(2);
    expect(stdout).toContain('│ settings     │ fail   │');
    expect(stdout).toContain(says(settingsOf(folder)));
  });

  test('config path works where the file is not valid JSON', async ({ petstore, folder }) => {
    write(folder, '{"profiles":');

    const path = await petstore(['config', 'path', '-p', 'mine'], { env: noEnv });

    expect(path).toMatchObject({ exitCode: 0, stdout: `${settingsOf(folder)}\n` });
    expect(path.stderr).toContain(
      `the settings file is not valid JSON (${settingsOf(folder)}:1:13)`,
    );
    expect((await petstore(['config', 'list'], { env: noEnv })).exitCode).toBe(2);
  });

  test('a flag is no excuse: an invalid one fails config list as well', async ({ petstore }) => {
    const env = { ...noEnv, PETSTORE_OUTPUT: 'xml' };

    expect((await petstore(['config', 'list'], { env })).exitCode).toBe(2);
  });
});
