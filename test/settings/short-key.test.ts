import { expect, reply, test } from '../support/petstore.ts';

const list = ['categories', 'list'];
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
  sandbox.reactions.push(reply(200, []));
  const login = await petstore(['auth', 'login'], { stdin: 'rat\n' });
  expect(login.stderr).toContain(`petstore: ${notice}\n`);
});
