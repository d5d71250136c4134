import { join } from 'node:path';
import { describe } from 'vitest';
import { readEnvironment } from '../../../src/node/environment.ts';
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
});

test('elsewhere names that differ in case are different variables', () => {
  const env = readEnvironment(variables, 'linux');

  expect(env.PATH).toBeUndefined();
  expect(env).toEqual(variables);
});
