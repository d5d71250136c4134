import { join } from 'node:path';
import { describe } from 'vitest';
import { forChild, readEnvironment } from '../../../src/node/environment.ts';
import { expect, test } from '../../support/petstore.ts';

const variables = { Path: 'C:\\Windows', http_proxy: 'http://a.example', Petstore_Profile: 'x' };

describe('the environment on Windows, where the case of a name means nothing', () => {
  test.for([
    ['PATH', 'C:\\Windows'],
    ['Path', 'C:\\Windows'],
    ['HTTP_PROXY', 'http://a.example'],
    ['http_proxy', 'http://a.example'],
    ['PETSTORE_PROFILE', 'x'],
    ['APPDATA', undefined],
  ] as const)('has %s as %o', ([name, value]) => {
    expect(readEnvironment(variables, 'win32')[name]).toBe(value);
  });

  test('counts for a command as it is spelled', async ({ petstore, folder }) => {
    const { stdout } = await petstore(['config', 'path'], {
      env: { PETSTORE_CONFIG_DIR: undefined, Appdata: folder },
      context: { platform: 'win32' },
    });

    expect(stdout).toBe(`${join(folder, 'petstore', 'Config', 'settings.json')}\n`);
  });

  test('has one variable of each name for a child, of the last value, as the user spells it', () => {
    const env = {
      ...readEnvironment(variables, 'win32'),
      PATH: 'D:\\',
      PETSTORE_PROFILE: undefined,
    };

    expect(Object.entries(forChild(env, 'win32'))).toEqual([
      ['Path', 'D:\\'],
      ['http_proxy', 'http://a.example'],
      ['Petstore_Profile', undefined],
    ]);
  });
});

test('elsewhere names that differ in case are different variables', () => {
  const env = readEnvironment(variables, 'linux');

  expect(env.PATH).toBeUndefined();
  expect(forChild({ ...env, PATH: '/bin' }, 'linux')).toEqual({ ...variables, PATH: '/bin' });
});
