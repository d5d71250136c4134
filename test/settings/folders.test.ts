import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '../support/petstore.ts';

const unset = { PETSTORE_CONFIG_DIR: undefined, PETSTORE_STATE_DIR: undefined };
const [config, state] = ['.config/petstore', '.local/state/petstore'];

test.for([
  ['linux', {}, config, state],
  ['linux', { XDG_CONFIG_HOME: '~/c', XDG_STATE_HOME: '~/s' }, 'c/petstore', 's/petstore'],
  ['linux', { XDG_CONFIG_HOME: './c', XDG_STATE_HOME: './s' }, config, state],
  ['linux', { XDG_CONFIG_HOME: '', XDG_STATE_HOME: '' }, config, state],
  ['linux', { PETSTORE_CONFIG_DIR: '', PETSTORE_STATE_DIR: '' }, config, state],
  ['darwin', {}, 'Library/Preferences/petstore', state],
  ['win32', { APPDATA: '~/r', LOCALAPPDATA: '~/l' }, 'r/petstore/Config', 'l/petstore'],
  ['linux', { PETSTORE_CONFIG_DIR: '~/c', PETSTORE_STATE_DIR: '~/s' }, 'c', 's'],
] as const)(
  'on %s with %j settings are in %s, and the state in %s',
  async (row, { petstore, folder }) => {
    const [platform, given, settings, state] = row;
    const places = Object.entries(given).map(([name, path]) => [name, path.replace('~', folder)]);
    const options = { env: { ...unset, ...Object.fromEntries(places) }, context: { platform } };

    await petstore('config set output csv', options);
    const { stdout } = await petstore('categories list --columns id', options);

    expect(stdout).toBe('id\n');
    expect(existsSync(join(folder, settings, 'settings.json'))).toBe(true);
    expect(existsSync(join(folder, state, 'limits'))).toBe(true);
  },
);

const linux = { platform: 'linux', home: '' } as const;
const windows = { platform: 'win32', uid: undefined } as const;

test.for([
  ['HOME', linux, { XDG_CONFIG_HOME: 'a', XDG_STATE_HOME: './a' }],
  ['HOME', { ...linux, home: 'a' }, {}],
  ['APPDATA', windows, { APPDATA: 'a', LOCALAPPDATA: 'a' }],
  // Relative to the folder in use on that drive.
  ['APPDATA', windows, { APPDATA: 'C:a', LOCALAPPDATA: 'C:a' }],
] as const)(
  'without a %s that is absolute there are none, and the key of the environment still works: %j, %j',
  async ([variable, context, given], { petstore, sandbox }) => {
    for (const [line, code] of [
      ['categories list', 0],
      ['config set output json', 74],
      ['auth login', 74],
      ['categories create cat --if-missing', 74],
      ['categories import - --format ndjson --yes', 74],
    ] as const) {
      // A row, and a key as well.
      const stdin = '{"name":"dog"}';
      const options = { env: { ...unset, ...given }, context, stdin };
      const { exitCode, stderr } = await petstore(line, options);
      expect(exitCode, line).toBe(code);
      const says = new RegExp(`cannot store anything: (LOCAL)?${variable}`);
      expect(says.test(stderr)).toBe(code === 74);
      const isAlone = /limit is not shared with other petstore processes/.test(stderr);
      expect(isAlone, line).toBe(code === 0);
    }
    expect(['a', 'C:a'].filter((path) => existsSync(path))).toEqual([]);
    expect(sandbox.requests.every(({ method }) => method === 'GET')).toBe(true);
  },
);
