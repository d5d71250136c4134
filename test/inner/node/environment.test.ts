import { join } from 'node:path';
import { describe } from 'vitest';
import { readEnvironment } from '../../../src/node/node-context.ts';
import { expect, test } from '../../support/petstore.ts';

const variables = { Path: 'C:\\Windows', http_proxy: 'http://a.example', Petstore_Profile: 'x' };

describe('the environment on Windows, where the case of a name means nothing', () => {
  test('has each under its upper case', () => {
    const env = readEnvironment(variables, 'win32');

    expect([env.PATH, env.Path, env.APPDATA]).toEqual(['C:\\Windows', 'C:\\Windows', undefined]);
    expect([env.http_proxy, env.PETSTORE_PROFILE]).toEqual(['http://a.example', 'x']);
  });

  test('counts for a command as it is spelled', async ({ petstore, folder }) => {
    const { stdout } = await petstore('config path', {
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

test('what others read stays as it is: Node and the programs that are run', () => {
  const env = { NODE_EXTRA_CA_CERTS: '/ca.pem\r', SSH_KEY: 'a\n', PATH: '/bin\n' };

  expect(readEnvironment(env, 'linux')).toEqual(env);
});
