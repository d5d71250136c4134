import { describe } from 'vitest';
import { expect, reply, test } from '../support/petstore.ts';

const list = ['categories', 'list'];
const rabbits = [{ id: 1, name: 'rabbit', description: 'a cat, a rat' }];
const notice =
  'the API key is shorter than 8 characters, so it is not redacted from results and messages';

describe('a key that is too short to be cut out of other text', () => {
  test.for(['a', 'rat', 'sevench'])(
    '%s is used, and tears no text',
    async (key, { petstore, sandbox }) => {
      sandbox.reactions.push(reply(200, rabbits));
      const env = { PETSTORE_API_KEY: key };

      const { exitCode, stdout, stderr } = await petstore([...list, '-o', 'csv'], { env });

      expect(exitCode).toBe(0);
      expect(stdout).toBe('id,name,description\n1,rabbit,"a cat, a rat"\n');
      expect(stderr).toContain(`petstore: ${notice}\n`);
      expect(sandbox.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
    },
  );

  test('is spoken of once in a run, as an event where stderr is JSON, and not with --quiet', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.react = () => reply(200, rabbits);
    const env = { PETSTORE_API_KEY: 'rat' };

    const create = await petstore(['categories', 'create', 'rabbit', '--if-missing'], { env });
    const json = await petstore([...list, '--json'], { env });
    const quiet = await petstore([...list, '--quiet'], { env });

    expect(create.stderr.split(notice)).toHaveLength(2);
    expect(json.events()).toEqual([{ event: 'notice', message: notice }]);
    expect(quiet.stderr).toBe('');
  });

  test('tears no word of an error, neither ours nor the service’s', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.reactions.push(reply(401, { code: 'no', message: 'a wrong rat', status: 401 }));

    const { exitCode, stderr } = await petstore(list, { env: { PETSTORE_API_KEY: 'rat' } });

    expect(exitCode).toBe(4);
    expect(stderr).toContain('petstore: the API key was rejected (401 no): a wrong rat\n');
  });

  test('can be stored', async ({ petstore, sandbox }) => {
    sandbox.react = () => reply(200, rabbits);
    const env = { PETSTORE_API_KEY: undefined };

    const login = await petstore(['auth', 'login'], { env, stdin: 'rat\n' });
    await petstore(list, { env });

    expect(login.exitCode).toBe(0);
    expect(login.stderr).toContain(`petstore: ${notice}\n`);
    expect(sandbox.requests[0]?.headers.authorization).toBe('Bearer rat');
  });

  test('may come from a program', async ({ petstore, sandbox }) => {
    sandbox.react = () => reply(200, rabbits);
    const env = { PETSTORE_BASE_URL: undefined, PETSTORE_API_KEY: undefined };
    const capture = async () => ({ exitCode: 0, stdout: 'rat\n' });
    await petstore(['config', 'set', 'base-url', 'http://127.0.0.1:4010/v1'], { env });
    await petstore(['config', 'set', 'api-key-command', 'pass show petstore'], { env });

    const { exitCode, stderr } = await petstore(list, { env, context: { capture } });

    expect([exitCode, stderr]).toEqual([0, `petstore: ${notice}\n`]);
  });

  test('of eight characters is hidden, and nothing is said', async ({ petstore, sandbox }) => {
    sandbox.reactions.push(reply(200, [{ id: 1, name: 'eightcha' }]));

    const result = await petstore([...list, '-o', 'tsv'], {
      env: { PETSTORE_API_KEY: 'eightcha' },
    });

    expect(result).toMatchObject({ stdout: 'id\tname\tdescription\n1\t[key]\t\n', stderr: '' });
  });
});
