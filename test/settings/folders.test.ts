import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, test } from '../support/petstore.ts';

const unset = { PETSTORE_CONFIG_DIR: undefined, PETSTORE_STATE_DIR: undefined };
const list = ['categories', 'list'];

describe('the folders for settings and state', () => {
  const [config, state] = ['.config/petstore', '.local/state/petstore'];

  test.for([
    ['linux', {}, config, state],
    ['linux', { XDG_CONFIG_HOME: 'c', XDG_STATE_HOME: 's' }, 'c/petstore', 's/petstore'],
    ['linux', { XDG_CONFIG_HOME: './c', XDG_STATE_HOME: './s' }, config, state],
    ['linux', { XDG_CONFIG_HOME: '', XDG_STATE_HOME: '' }, config, state],
    ['linux', { PETSTORE_CONFIG_DIR: '', PETSTORE_STATE_DIR: '' }, config, state],
    ['darwin', {}, 'Library/Preferences/petstore', state],
    ['win32', { APPDATA: 'r', LOCALAPPDATA: 'l' }, 'r/petstore/Config', 'l/petstore'],
    ['linux', { PETSTORE_CONFIG_DIR: 'c', PETSTORE_STATE_DIR: 's' }, 'c', 's'],
  ] as const)('on %s with %j are %s and %s', async (row, { petstore, folder }) => {
    const [platform, given, settings, state] = row;
    const places = Object.entries(given).map(([name, path]) => [
      name,
      /^\w/.test(path) ? join(folder, path) : path,
    ]);
    const env = { ...unset, ...Object.fromEntries(places) };

    await petstore('config set output csv', { env, context: { platform } });
    const { stdout } = await petstore([...list, '--columns', 'id'], { env, context: { platform } });

    expect(stdout).toBe('id\n');
    expect(existsSync(join(folder, settings, 'settings.json'))).toBe(true);
    expect(existsSync(join(folder, state, 'limits'))).toBe(true);
  });

  const linux = { platform: 'linux' } as const;
  const windows = { platform: 'win32', uid: undefined } as const;
  test.for([
    ['no HOME', 'HOME', { ...linux, home: '' }, {}],
    ['a relative HOME', 'HOME', { ...linux, home: 'a' }, {}],
    [
      'relative XDG folders as well',
      'HOME',
      { ...linux, home: '' },
      { XDG_CONFIG_HOME: 'a', XDG_STATE_HOME: './a' },
    ],
    ['relative folders on Windows', 'APPDATA', windows, { APPDATA: 'a', LOCALAPPDATA: 'a' }],
    ['folders relative to a drive', 'APPDATA', windows, { APPDATA: 'C:a', LOCALAPPDATA: 'C:a' }],
  ] as const)(
    'are nowhere with %s, and the key of the environment still works',
    async ([, variable, context, given], { petstore, sandbox }) => {
      const env = { ...unset, ...given };
      for (const [line, code] of [
        ['categories list', 0],
        ['config set output json', 2],
        ['auth login', 2],
        ['categories import - --format ndjson --yes', 2],
      ] as const) {
        // A row, and a key as well.
        const stdin = '{"name":"dog"}';
        const { exitCode, stderr } = await petstore(line.split(' '), { env, context, stdin });
        expect(exitCode, line).toBe(code);
        const says = new RegExp(`cannot store anything: (LOCAL)?${variable}`);
        expect(says.test(stderr)).toBe(code === 2);
      }
      expect(['a', 'C:a'].filter((path) => existsSync(path))).toEqual([]);
      expect(sandbox.requests.every(({ method }) => method === 'GET')).toBe(true);
    },
  );
});
