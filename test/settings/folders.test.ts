import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, test, testKey } from '../support/petstore.ts';

const unset = { PETSTORE_CONFIG_DIR: undefined, PETSTORE_STATE_DIR: undefined };
const list = ['categories', 'list'];

describe('the folders for settings and state', () => {
  const [config, state] = ['.config/petstore', '.local/state/petstore'];

  test.for([
    ['linux', {}, config, state],
    ['linux', { XDG_CONFIG_HOME: 'c', XDG_STATE_HOME: 's' }, 'c/petstore', 's/petstore'],
    ['linux', { XDG_CONFIG_HOME: '', XDG_STATE_HOME: '' }, config, state],
    ['linux', { PETSTORE_CONFIG_DIR: '', PETSTORE_STATE_DIR: '' }, config, state],
    ['darwin', {}, 'Library/Preferences/petstore', state],
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

test('a key is taken from echo and from a line of a file on Windows', async ({
  petstore,
  folder,
}) => {
  const env = { PETSTORE_API_KEY: undefined };
  for (const ending of [' \r\n', '\r\n']) {
    expect((await petstore(['auth', 'login'], { env, stdin: testKey + ending })).exitCode).toBe(0);

    const stored = readFileSync(join(folder, 'config', 'keys', 'production.json'), 'utf8');
    expect(JSON.parse(stored)).toMatchObject({ key: testKey });
  }
});
