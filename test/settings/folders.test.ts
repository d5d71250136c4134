import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, test, testKey } from '../support/petstore.ts';

const unset = { PETSTORE_CONFIG_DIR: undefined, PETSTORE_STATE_DIR: undefined };
const list = ['categories', 'list'];

describe('the folders for settings and state', () => {
  test.for([
    ['linux', {}, '.config/petstore', '.local/state/petstore'],
    ['linux', { XDG_CONFIG_HOME: 'c', XDG_STATE_HOME: 's' }, 'c/petstore', 's/petstore'],
    [
      'linux',
      { XDG_CONFIG_HOME: '', XDG_STATE_HOME: '' },
      '.config/petstore',
      '.local/state/petstore',
    ],
    [
      'linux',
      { PETSTORE_CONFIG_DIR: '', PETSTORE_STATE_DIR: '' },
      '.config/petstore',
      '.local/state/petstore',
    ],
    ['darwin', {}, 'Library/Preferences/petstore', '.local/state/petstore'],
    ['win32', { APPDATA: 'r', LOCALAPPDATA: 'l' }, 'r/petstore/Config', 'l/petstore'],
    ['linux', { PETSTORE_CONFIG_DIR: 'c', PETSTORE_STATE_DIR: 's' }, 'c', 's'],
  ] as const)('on %s with %j are %s and %s', async (row, { petstore, folder }) => {
    const [platform, given, settings, state] = row;
    const places = Object.entries(given).map(([name, path]) => [name, path && join(folder, path)]);
    const env = { ...unset, ...Object.fromEntries(places) };

    await petstore(['config', 'set', 'output', 'csv'], { env, context: { platform } });
    const { stdout } = await petstore(list, { env, context: { platform } });

    expect(stdout).toBe('id,name,description\n');
    expect(existsSync(join(folder, settings, 'settings.json'))).toBe(true);
    expect(existsSync(join(folder, state, 'limits'))).toBe(true);
  });

  test.for(['AppData', 'C:AppData'])(
    'on Windows are never below the relative APPDATA %s, and the message names it',
    async (path, { petstore }) => {
      const env = { ...unset, APPDATA: path, LOCALAPPDATA: path };

      const { exitCode, stderr } = await petstore(['config', 'set', 'max-wait', '1m'], {
        env,
        context: { platform: 'win32', uid: undefined },
      });

      expect(exitCode).toBe(2);
      expect(stderr).toContain('cannot store anything: APPDATA is not an absolute path');
      expect(existsSync(path)).toBe(false);
    },
  );
});

test.for([
  ['what echo writes into a pipe on Windows', ' \r\n'],
  ['a line of a file there', '\r\n'],
] as const)('a key is taken from %s', async ([, ending], { petstore, folder }) => {
  const env = { PETSTORE_API_KEY: undefined };

  expect((await petstore(['auth', 'login'], { env, stdin: testKey + ending })).exitCode).toBe(0);

  const stored = readFileSync(join(folder, 'config', 'keys', 'production.json'), 'utf8');
  expect(JSON.parse(stored)).toMatchObject({ key: testKey });
});
