import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, test, testKey } from '../support/petstore.ts';
import { saveSettings } from '../support/settings-file.ts';

const env = { PETSTORE_BASE_URL: undefined, PETSTORE_API_KEY: undefined };
const url = 'https://pets.example/v1';
const settingsOf = (folder: string) => join(folder, 'config', 'settings.json');
const read = (folder: string) => JSON.parse(readFileSync(settingsOf(folder), 'utf8'));

describe('config list', () => {
  test('shows each setting in force with its origin, and no key', async ({ petstore, folder }) => {
    await petstore(['config', 'set', 'base-url', url, '-p', 'staging']);

    const { stdout, exitCode } = await petstore('config list --max-wait 1h -o csv --no-header', {
      env: { ...env, PETSTORE_PROFILE: 'staging', PETSTORE_API_KEY: testKey },
    });

    expect(exitCode).toBe(0);
    expect(stdout.split('\n')).toEqual(
      expect.arrayContaining([
        'profile,staging,PETSTORE_PROFILE',
        `base-url,${url},${settingsOf(folder)}`,
        'output,table,default',
        'max-wait,1h,--max-wait',
        'shared-store,,',
        'default-profile,production,default',
      ]),
    );
    expect(stdout).not.toContain(testKey);
  });

  test('says of an api-key-command only that there is one', async ({ petstore }) => {
    await petstore("config set api-key-command 'vault unlock sesame'");

    for (const more of [[], ['--json']]) {
      const { stdout } = await petstore(['config', 'list', ...more]);
      expect(stdout).toMatch(/api-key-command.*\(set\)/s);
      expect(stdout).not.toContain('sesame');
    }
  });

  test('never shows the password of a shared store', async ({ petstore }) => {
    await petstore('config set shared-store redis://me:open-sesame@h');
    const elsewhere = { PETSTORE_SHARED_STORE: 'redis://me:open-sesame@elsewhere' };

    for (const env of [{}, elsewhere]) {
      for (const line of ['config list', 'config list --json', 'config get shared-store']) {
        const { stdout, stderr } = await petstore(line.split(' '), { env });
        expect(stdout).toContain('redis://');
        expect(stdout + stderr).not.toContain('sesame');
      }
    }
  });
});

test('what may grant access in a base URL is shown by no list', async ({ petstore, folder }) => {
  const url = 'https://admin:se/s@me@host/v1?api_key=sesame#sesame';
  mkdirSync(join(folder, 'config'), { mode: 0o700 });
  const profiles = { production: { 'base-url': url } };
  writeFileSync(settingsOf(folder), JSON.stringify({ profiles }), { mode: 0o600 });

  for (const line of ['config list', 'config get base-url', 'profile list', 'doctor']) {
    for (const env of [{ PETSTORE_BASE_URL: undefined }, { PETSTORE_BASE_URL: url }]) {
      const { stdout, stderr } = await petstore(line.split(' '), { env });

      expect(stdout + stderr).not.toMatch(/admin|s@me|sesame/);
      if (line !== 'doctor') expect(stdout).toContain('https://[hidden]@host/v1?[hidden]');
    }
  }
});

describe('config get', () => {
  test('prints the bare value, in JSON its origin too', async ({ petstore, folder }) => {
    const command = String.raw`vault read \"a\b\" | head -1`;
    await petstore(['config', 'set', 'api-key-command', command]);

    const bare = await petstore('config get api-key-command');
    const json = await petstore('config get api-key-command --json');

    const source = settingsOf(folder);
    expect(bare).toMatchObject({ exitCode: 0, stdout: `${command}\n`, stderr: '' });
    expect(JSON.parse(json.stdout)).toEqual({ setting: 'api-key-command', value: command, source });
  });
});

describe('one word is printed as it is, whatever the format of other commands is', () => {
  test.for([
    ['config path', 'path'],
    ['config get max-wait', '5m'],
    ['config get profile', 'production'],
  ] as const)('%s', async ([line, word], { petstore, folder }) => {
    const text = `${word === 'path' ? settingsOf(folder) : word}\n`;
    const argv = line.split(' ');
    await petstore('config set max-wait 5m', { env });
    const byVariable = await petstore(argv, { env: { ...env, PETSTORE_OUTPUT: 'json' } });
    await petstore('config set output yaml', { env });
    const bySetting = await petstore(argv, { env });
    const byFlag = await petstore([...argv, '--json'], { env });

    expect([byVariable.stdout, bySetting.stdout]).toEqual([text, text]);
    expect(Object.values(JSON.parse(byFlag.stdout))).toContain(text.trim());
  });
});

describe('config unset', () => {
  test('removes one setting and nothing else', async ({ petstore, folder }) => {
    for (const line of [
      `set base-url ${url}`,
      'set max-wait 5m',
      'set output json -p staging',
      'set default-profile staging',
      'unset default-profile',
      'unset max-wait',
      'unset output -p staging',
    ]) {
      expect((await petstore(['config', ...line.split(' ')])).exitCode, line).toBe(0);
    }

    expect(read(folder)).toEqual({ profiles: { production: { 'base-url': url } } });
  });
});

test('config path prints where the settings are, or will be', async ({ petstore, folder }) => {
  const path = settingsOf(folder);

  expect(await petstore('config path')).toMatchObject({ exitCode: 0, stdout: `${path}\n` });
  expect(JSON.parse((await petstore('config path --json')).stdout)).toEqual({ path });
  expect(existsSync(join(folder, 'config'))).toBe(false);
});

describe('an invalid setting in the settings file', () => {
  const format = 'unknown output format "xml" from output of profile production';
  test.for([
    ['output', 'xml', 'json', '{"profiles":{"production":{"output":"xml"}}}', format],
    [
      'default-profile',
      'a b',
      'staging',
      '{"default-profile":"a b"}',
      'invalid profile name "a b"',
    ],
    ['default-profile', 'sandbx', 'staging', '{"default-profile":"sandbx"}', 'unknown profile'],
  ] as const)('%s=%s is named, shown and repaired', async (row, { petstore, folder }) => {
    const [name, value, valid, text, says] = row;
    const path = settingsOf(folder);
    const run = (line: string) => petstore(line.split(' '), { env });
    saveSettings(folder, text);

    for (const line of ['categories list', 'config get output', 'limits']) {
      const { exitCode, stderr } = await run(line);
      expect(exitCode).toBe(2);
      expect(stderr).toContain(`petstore: ${says}`);
      expect(stderr).toContain(path);
    }
    const list = await run('config list -o csv');
    expect(list.exitCode).toBe(0);
    expect(list.stdout).toContain(`\n${name},${value},${path}\n`);
    const printed = await run('config path');
    expect(printed).toMatchObject({ exitCode: 0, stdout: `${path}\n` });
    const profiles = await run('profile list');
    expect(profiles.stdout).toContain('│ production │');
    for (const { stderr } of [printed, profiles]) expect(stderr).toContain(says);

    const removed = await run(`config unset ${name}`);
    expect(removed.exitCode).toBe(0);
    expect(removed.stderr).toMatch(/^petstore: removed .*\n$/);
    expect(await run('config get output')).toMatchObject({ stdout: 'table\n', stderr: '' });
    const use = name === 'default-profile' ? ['profile use staging'] : [];
    for (const repair of [`config set ${name} ${valid}`, ...use]) {
      writeFileSync(path, text);
      expect((await run(repair)).exitCode, repair).toBe(0);
      expect((await run(`config get ${name}`)).stdout, repair).toContain(valid);
    }
  });

  test('config path works if the file is not valid JSON', async ({ petstore, folder }) => {
    saveSettings(folder, '{"profiles":');

    const path = await petstore('config path -p mine', { env });

    const file = settingsOf(folder);
    expect(path).toMatchObject({ exitCode: 0, stdout: `${file}\n` });
    expect(path.stderr).toContain(`the settings file is not valid JSON (${file}:1:13)`);
    expect((await petstore('config list', { env })).exitCode).toBe(2);
  });

  test('an invalid variable is shown by config list as well', async ({ petstore }) => {
    const invalid = { env: { ...env, PETSTORE_OUTPUT: 'xml' } };
    const table = await petstore('config list', invalid);
    const json = await petstore('config list --json', invalid);

    expect([table.exitCode, json.exitCode]).toEqual([0, 0]);
    expect(table.stdout).toMatch(/output +│ xml +│ PETSTORE_OUTPUT/);
    expect(table.stderr).toContain('format "xml" from PETSTORE_OUTPUT\n');
  });
});
