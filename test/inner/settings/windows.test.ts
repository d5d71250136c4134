import { join } from 'node:path';
import { describe } from 'vitest';
import { configFolder, stateFolder } from '../../../src/settings/folders.ts';
import { parseKey } from '../../../src/settings/keys.ts';
import { expect, test } from '../../support/petstore.ts';

describe('on Windows', () => {
  test.for([
    ['C:\\Users\\anna\\AppData', true],
    ['\\\\server\\share', true],
    ['AppData', false],
    ['C:AppData', false],
  ] as const)('the folders are below %s only if it is absolute: %s', ([folder, isTaken]) => {
    const env = { APPDATA: folder, LOCALAPPDATA: folder };
    const machine = { env, platform: 'win32', home: 'C:\\Users\\anna' };

    const found = [configFolder(machine), stateFolder(machine)];

    const wanted = [join(folder, 'petstore', 'Config'), join(folder, 'petstore')];
    expect(found).toEqual(isTaken ? wanted : [undefined, undefined]);
  });

  test('the message about a relative one names it', async ({ petstore }) => {
    const env = { PETSTORE_CONFIG_DIR: undefined, APPDATA: 'AppData' };
    const context = { platform: 'win32', uid: undefined };

    const { exitCode, stderr } = await petstore(['config', 'set', 'max-wait', '1m'], {
      env,
      context,
    });

    expect(exitCode).toBe(2);
    expect(stderr).toContain('cannot store anything: APPDATA is not an absolute path');
  });

  test.for([
    ['win32', '/a/b'],
    ['linux', '/a//b'],
  ] as const)('a folder of the user is named as the system does: %s', ([platform, folder]) => {
    const env = { PETSTORE_CONFIG_DIR: '/a//b', PETSTORE_STATE_DIR: '/a//b' };
    const machine = { env, platform, home: '/' };

    expect([configFolder(machine), stateFolder(machine)]).toEqual([folder, folder]);
  });

  test.for([
    ['key-12345678 \r\n', 'what echo writes into a pipe'],
    ['key-12345678\r\n', 'a line of a file'],
  ] as const)('a key is taken from %j: %s', ([text]) => {
    expect(parseKey(text)).toBe('key-12345678');
  });

  test('a key in UTF-16 is refused with what to do', async ({ petstore }) => {
    const login = ['auth', 'login', '--base-url', 'https://a.example/v1'];

    const { exitCode, stderr } = await petstore(login, { stdin: 'k\0e\0y\0-\x001\x002\0\r\0\n\0' });

    expect(exitCode).toBe(2);
    expect(stderr).toContain(
      'invalid API key from standard input: it is in UTF-16; save it as UTF-8',
    );
  });
});
