import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import {
  expect,
  noEnv,
  noKey,
  type RunOptions,
  reply,
  test,
  testKey,
} from '../support/petstore.ts';
import { isPrivate } from '../support/posix.ts';

const list = 'categories list';

describe('auth login', () => {
  const env = { ...noEnv, PETSTORE_BASE_URL: 'https://a.example/v1' };

  // Files and `echo` of Windows end lines otherwise.
  test.for(['\n', '\r\n', ' \r\n'])(
    'stores the key of standard input before %j, for its owner and one origin alone',
    async (ending, { petstore, sandbox, folder }) => {
      const config = join(folder, 'config');
      const keys = join(config, 'keys');
      sandbox.react = () => reply(200, []);
      const logIn = () => petstore('auth login', { env, stdin: testKey + ending });
      await logIn();
      chmodSync(keys, 0o755);

      const result = await logIn();

      expect(result).toMatchObject({ exitCode: 0, stdout: '' });
      expect(result.stderr).toContain('for https://a.example only');
      const file = join(keys, 'production.json');
      const stored = { origin: 'https://a.example', key: testKey };
      expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(stored);
      const open = [file, keys, config].filter((path) => !isPrivate(path));
      expect(open, 'others can read it').toEqual([]);
      expect(readdirSync(keys)).toEqual(['production.json']);
    },
  );

  test.for([
    ['https://a.example', 'https://b.example', '--base-url OTHER', undefined, ''],
    ['https://a.example', 'https://x.a.example', '', 'https://x.a.example/v1', ''],
    [
      'https://a.example',
      'https://a.example:8443',
      '-p production',
      undefined,
      ' --profile production',
    ],
    ['https://127.0.0.1:4010', 'http://127.0.0.1:4010', '', undefined, ''],
  ] as const)(
    'stores no key for another origin: of %s, not of %s (%s)',
    async ([own, other, flags, variable, profile], { petstore, sandbox }) => {
      sandbox.react = () => reply(200, []);
      await petstore(`auth login --base-url ${own}/v1`, { env, stdin: testKey });
      await petstore(`config set base-url ${other}/v1 -p production`, { env });
      sandbox.requests.length = 0;

      const { exitCode, stderr } = await petstore(
        `${list} ${flags.replace('OTHER', `${other}/v1`)}`,
        { env: { ...noEnv, PETSTORE_BASE_URL: variable } },
      );

      expect(exitCode).toBe(2);
      expect(stderr).toContain(`is for ${own}, not for ${other}`);
      const login = `petstore auth login${profile} --base-url ${other}/v1 < KEY_FILE`;
      expect(stderr).toContain(`Run: ${login}\n`);
      expect(sandbox.requests).toHaveLength(0);
    },
  );
});

test.for([0o444, 0o666])('a key file may have the mode %o', async (mode, { petstore, folder }) => {
  const file = join(folder, 'key.txt');
  writeFileSync(file, testKey);
  chmodSync(file, mode);

  const { exitCode, stderr } = await petstore(`${list} --api-key-file ${file}`, { env: noKey });

  expect(exitCode).toBe(0);
  expect(stderr).not.toContain('other users');
});

test.for([
  ['sevench', 'sevench', true],
  ['eightcha', '[key]', false],
] as const)(
  'a key below eight characters is used, named by what shows the key, and tears no text: %s',
  async ([key, shown, isShort], { petstore, sandbox }) => {
    const env = { PETSTORE_API_KEY: key };
    sandbox.react = () => reply(200, [{ id: 1, name: key }]);

    const listed = await petstore(`${list} -o raw`, { env });
    const login = await petstore('auth login', { stdin: key });
    const status = await petstore('auth status', { env });
    const doctor = await petstore('doctor', { env });

    expect(listed).toMatchObject({ stdout: `{"id":1,"name":"${shown}"}\n`, stderr: '' });
    expect(sandbox.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
    for (const { stdout, stderr } of [login, status, doctor]) {
      const said = /API key is shorter than 8 characters, so/.test(stdout + stderr);
      expect(said, stdout + stderr).toBe(isShort);
    }
  },
);

/** No two parts of it are the same. */
const maxKey = Array.from({ length: 2_048 }, (_, n) => n.toString(36).padStart(4, '-')).join('');

test.for<[string, string, (key: string, folder: string) => RunOptions]>([
  ['PETSTORE_API_KEY', list, (key) => ({ env: { PETSTORE_API_KEY: key } })],
  ['standard input', `${list} --api-key-file -`, (stdin) => ({ stdin })],
  ['a file', `${list} --api-key-file FOLDER/key`, writeKey],
  ['an api-key-command', list, (key) => ({ env: noKey, context: { capture: print(key) } })],
  ['a login', 'auth login', (stdin) => ({ env: noKey, stdin })],
])(
  'a key has at most 8,192 characters, and is hidden in each form: from %s',
  async ([name, line, give], { petstore, sandbox, folder }) => {
    const run = (key: string, more = '') =>
      petstore(`${line.replace('FOLDER', folder)} ${more}`, {
        ...give(key, folder),
        secrets: [key],
      });
    if (name.includes('command')) {
      await petstore('config set base-url http://127.0.0.1:4010/v1');
      await petstore('config set api-key-command x');
    }
    sandbox.react = () => reply(200, [{ id: 1, name: maxKey }]);

    const long = await run(`${maxKey}x`);
    expect(long.exitCode, long.stderr).toBe(2);
    expect(long.stderr).toContain('must be at most 8192 characters');
    expect(sandbox.requests).toHaveLength(0);

    const used = await run(maxKey, '--verbose');
    const listed = line.startsWith(list)
      ? used
      : await petstore(list, { env: noKey, secrets: [maxKey] });
    const answers = [maxKey, btoa(maxKey), encodeURIComponent(`+${maxKey}`)];
    sandbox.react = () => reply(401, { message: answers.join(' '), code: 'no' });
    const refused = await run(maxKey, '--json');

    expect([used.exitCode, listed.exitCode, refused.exitCode]).toEqual([0, 0, 4]);
    expect(listed.stdout).toContain('[key]');
    const sent = sandbox.requests.map(({ headers }) => headers.authorization);
    expect(new Set(sent)).toEqual(new Set([`Bearer ${maxKey}`]));
  },
);

function writeKey(key: string, folder: string): RunOptions {
  writeFileSync(join(folder, 'key'), `${key}\n`);
  return { env: noKey };
}

function print(key: string) {
  return async () => ({ exitCode: 0, stdout: `${key}\n` });
}
