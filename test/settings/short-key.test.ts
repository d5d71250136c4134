import { expect, reply, test } from '../support/petstore.ts';

const list = ['categories', 'list'];
const rabbits = [{ id: 1, name: 'rabbit', description: 'a cat, a rat' }];
const notice =
  'the API key is shorter than 8 characters, so it is not redacted from results and messages';

test('a key below eight characters is used with a notice, and tears no text', async ({
  petstore,
  sandbox,
}) => {
  for (const [key, name, said] of [
    ['a', 'a cat', `petstore: ${notice}\n`],
    ['rat', 'a rat', `petstore: ${notice}\n`],
    ['sevench', 'sevench', `petstore: ${notice}\n`],
    ['eightcha', '[key]', ''],
  ] as const) {
    sandbox.reactions.push(reply(200, [{ id: 1, name: name === '[key]' ? key : name }]));
    const env = { PETSTORE_API_KEY: key };

    const result = await petstore([...list, '-o', 'raw'], { env });

    expect(result).toMatchObject({
      exitCode: 0,
      stdout: `{"id":1,"name":"${name}"}\n`,
      stderr: said,
    });
    expect(sandbox.requests.at(-1)?.headers.authorization).toBe(`Bearer ${key}`);
  }
  sandbox.reactions.push(reply(401, { code: 'no', message: 'a wrong rat', status: 401 }));
  const { exitCode, stderr } = await petstore(list, { env: { PETSTORE_API_KEY: 'rat' } });
  expect(exitCode).toBe(4);
  expect(stderr).toContain('petstore: the API key was rejected (401 no): a wrong rat\n');
});

test('the notice comes once in a run, also as an event and from each source, but not with --quiet', async ({
  petstore,
  sandbox,
}) => {
  sandbox.react = () => reply(200, rabbits);
  const env = { PETSTORE_API_KEY: 'rat' };
  const capture = async () => ({ exitCode: 0, stdout: 'rat\n' });

  const create = await petstore(['categories', 'create', 'rabbit', '--if-missing'], { env });
  const json = await petstore([...list, '--json'], { env });
  const quiet = await petstore([...list, '--quiet'], { env });
  const noKey = { PETSTORE_API_KEY: undefined };
  const login = await petstore(['auth', 'login'], { env: noKey, stdin: 'rat\n' });
  await petstore(list, { env: noKey });
  const ownBase = { ...noKey, PETSTORE_BASE_URL: undefined };
  await petstore(['config', 'set', 'base-url', 'http://127.0.0.1:4010/v1'], { env: ownBase });
  await petstore(['config', 'set', 'api-key-command', 'pass'], { env: ownBase });
  const printed = await petstore(list, { env: ownBase, context: { capture } });

  expect(create.stderr.split(notice)).toHaveLength(2);
  expect(json.events()).toEqual([{ event: 'notice', message: notice }]);
  expect(quiet.stderr).toBe('');
  expect(login.stderr).toContain(`petstore: ${notice}\n`);
  expect(printed.stderr).toBe(`petstore: ${notice}\n`);
  const keys = sandbox.requests.map(({ headers }) => headers.authorization);
  expect(new Set(keys)).toEqual(new Set(['Bearer rat']));
});
