import { expect, reply, test } from '../support/petstore.ts';

const list = ['categories', 'list'];
const notice =
  'the API key is shorter than 8 characters, so it is not redacted from results and messages';

test.for([
  ['a', 'a cat', `petstore: ${notice}\n`],
  ['sevench', 'sevench', `petstore: ${notice}\n`],
  ['eightcha', '[key]', ''],
] as const)(
  'a key below eight characters is used, named by what shows the key, and tears no text: %s',
  async ([key, shown, said], { petstore, sandbox }) => {
    sandbox.react = () => reply(200, [{ id: 1, name: shown === '[key]' ? key : shown }]);

    const result = await petstore([...list, '-o', 'raw'], { env: { PETSTORE_API_KEY: key } });
    const login = await petstore('auth login', { stdin: key });

    const stdout = `{"id":1,"name":"${shown}"}\n`;
    expect(result).toMatchObject({ exitCode: 0, stdout, stderr: '' });
    expect(sandbox.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
    for (const command of ['auth status', 'doctor']) {
      const env = { PETSTORE_API_KEY: key };
      const { stdout, stderr } = await petstore(command.split(' '), { env });
      expect((stdout + stderr).includes(notice)).toBe(said !== '');
    }
    expect(login.stderr).toContain(said);
  },
);
