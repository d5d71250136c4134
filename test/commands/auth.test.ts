import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe } from 'vitest';
import {
  expect,
  type Fixtures,
  networkError,
  noEnv,
  noKey,
  reply,
  test,
  testKey,
} from '../support/petstore.ts';
import { interrupted } from '../support/values.ts';

const local = 'http://127.0.0.1:4010/v1';
type Env = Readonly<Record<string, string | undefined>>;
type Sandbox = Fixtures['sandbox'];
const keysIn = (folder: string) => join(folder, 'config', 'keys');
const keyFile = (folder: string) => join(keysIn(folder), 'production.json');
const urls = ({ requests }: Sandbox) => requests.map(({ method, url }) => `${method} ${url.href}`);

/** Logs in with the key of standard input. */
const logIn = (petstore: Fixtures['petstore'], flags = '', env: Env = noKey) =>
  petstore(`auth login ${flags}`, { env, stdin: testKey });

describe('auth status', () => {
  const ofUrl = { profile: 'production', baseUrl: local };
  const keySource = 'PETSTORE_API_KEY';
  const known = { ...ofUrl, keySource, keyEnding: 'cdef' };
  const staging = { ...ofUrl, profile: 'staging' };

  test.for<[what: string, flags: string, env: Env, exit: number, shown: object]>([
    ['the key of the environment before that of a login', '', {}, 0, known],
    ['one that is short', '', { [keySource]: 'fifteen-chars-1' }, 0, { ...ofUrl, keySource }],
    ['one without a base URL', '', { PETSTORE_BASE_URL: '' }, 0, { ...known, baseUrl: undefined }],
    ['that of stdin', '--api-key-file -', noKey, 0, { ...known, keySource: 'standard input' }],
    ['that of a login', '', noKey, 0, { ...known, keySource: 'FILE' }],
    [
      'that of a login, not saved',
      '',
      noEnv,
      0,
      { ...known, keySource: 'FILE', baseUrl: undefined },
    ],
    ['that of the sandbox', '-p sandbox', {}, 0, { profile: 'sandbox', keySource: 'the sandbox' }],
    ['that there is none', '-p staging', noKey, 4, staging],
    ['that there is none to check', '-p staging --check', noKey, 4, staging],
  ])(
    'shows %s, offline',
    async ([what, flags, env, exit, shown], { petstore, sandbox, folder }) => {
      if (what.includes('login')) await logIn(petstore);
      if (what.includes('not saved')) await petstore('config unset base-url');
      sandbox.requests.length = 0;
      const options = { env, stdin: testKey };

      const table = await petstore(`auth status ${flags}`, options);
      const { exitCode, json } = await petstore(`auth status --json ${flags}`, options);

      const source = json.keySource?.replace(keyFile(folder), 'FILE');
      expect([exitCode, { ...json, keySource: source }]).toEqual([exit, shown]);
      for (const text of Object.values(json)) expect(table.stdout).toContain(` ${text} `);
      expect(sandbox.requests).toHaveLength(0);
    },
  );

  test.for([
    ['a key that works', undefined, true, 0],
    ['a 401', reply(401, { code: 'x', message: 'no', status: 401 }), false, 4],
    ['the 401 of a firewall', reply(401, '<html>'), undefined, 4],
    ['a 403', reply(403, ''), undefined, 4],
    ['no connection', networkError('ENOTFOUND'), undefined, 5],
  ] as const)(
    '--check sends one request: %s',
    async ([, given, works, exit], { petstore, sandbox }) => {
      if (given) sandbox.reactions.push(given);

      const { exitCode, json } = await petstore('auth status --check --json');

      expect([exitCode, json]).toEqual([exit, { ...known, ...(works !== undefined && { works }) }]);
      expect(urls(sandbox)).toEqual([`GET ${local}/categories`]);
    },
  );
});

test.for<[string, number, (file: string) => void]>([
  ['a key', 0, (file) => writeFileSync(file, '{}', { mode: 0o600 })],
  ['a corrupted file', 0, (file) => writeFileSync(file, '{"half', { mode: 0o644 })],
  ['a link to nowhere', 0, (file) => symlinkSync('nowhere', file)],
  ['no file', 0, () => {}],
  ['no folder, which is in its place', 74, (file) => mkdirSync(file)],
])(
  'auth logout removes %s of one profile, and what a killed login left (exit %i)',
  async ([, exit, make], { petstore, folder }) => {
    await logIn(petstore, '-p staging');
    make(keyFile(folder));
    writeFileSync(`${keyFile(folder)}.${crypto.randomUUID()}.tmp`, testKey);

    const { exitCode, stderr } = await petstore('auth logout', { env: noKey });

    expect(exitCode).toBe(exit);
    const removed = /removed the API key of profile production from this machine\. The key/;
    expect(stderr).toMatch(exit === 0 ? removed : /cannot remove .*keys/);
    if (exit === 0) expect(readdirSync(keysIn(folder))).toEqual(['staging.json']);
  },
);

describe('auth login on a terminal', () => {
  test('asks for what is missing, verifies the key and stores both', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const user = typing(local, testKey);

    const { exitCode, stdout, stderr } = await petstore('auth login', { ...user, env: noEnv });

    expect([exitCode, stdout]).toEqual([0, '']);
    expect(user.asked).toEqual([
      'Base URL for profile production (https://HOST/v1)',
      'API key for http://127.0.0.1:4010',
    ]);
    expect(stderr).toContain('petstore: the service accepted the key\n');
    expect(stderr).not.toContain('takes precedence');
    expect(stderr).toContain(`production in ${keysIn(folder)}, for http://127.0.0.1:4010 only\n`);
    expect(stderr).toContain(
      `saved base-url=${local} for profile production in ${folder}/config/set`,
    );
    expect(urls(sandbox)).toEqual([`GET ${local}/categories`]);
    expect((await petstore('categories list', { env: noEnv })).exitCode).toBe(0);
    expect((await petstore('categories list -p staging', { env: noEnv })).exitCode).toBe(2);
  });

  test('asks for nothing that it is given', async ({ petstore, folder }) => {
    writeFileSync(join(folder, 'key'), `${testKey}\n`);
    const user = typing();

    const line = `auth login -p staging --api-key-file ${folder}/key`;
    const { exitCode, stderr } = await petstore(line, user);

    expect([exitCode, user.asked]).toEqual([0, []]);
    expect(readdirSync(keysIn(folder))).toEqual(['staging.json']);
    expect(stderr).toContain('takes precedence, unless you pass --profile staging\n');
  });

  test('asks again for what is invalid, and says why', async ({ petstore }) => {
    const keys = ['', 'two words', 'k'.repeat(8_193), `${testKey} `];
    const user = typing('pets.example/v1', ' ', ` ${local} `, ...keys);

    expect((await petstore('auth login', { ...user, env: noEnv })).exitCode).toBe(0);

    const start = 'It must start with https://. Write https://HOST/v1 (http only for localhost).';
    expect(user.refused).toEqual([
      `invalid base URL "pets.example/v1". ${start}`,
      `invalid base URL "". ${start}`,
      'invalid API key: must not be empty',
      'invalid API key: character 4 is a space, a control or a non-ASCII character',
      'invalid API key: must be at most 8192 characters',
    ]);
  });

  test.for([
    ['in place of a base URL', ['Ctrl-C'], ''],
    ['in place of a key', [local, 'Ctrl-C'], ''],
    ['while the key is verified', [local, testKey], '\nThe key was not stored.\n'],
  ] as const)(
    'Ctrl-C %s stores nothing',
    async ([, typed, says], { petstore, sandbox, folder }) => {
      const stop = new AbortController();
      sandbox.reactions.push(async () => {
        stop.abort(interrupted(130));
        throw networkError('ECONNRESET');
      });

      const options = { ...typing(...typed), env: noEnv, signal: stop.signal };
      const { exitCode, stderr } = await petstore('auth login', options);

      expect([exitCode, stderr]).toEqual([130, expect.stringContaining(says)]);
      expect(existsSync(keysIn(folder))).toBe(false);
    },
  );
});

test.for([
  ['--base-url', '--base-url https://b.example/v1', noEnv],
  ['PETSTORE_BASE_URL', '', { ...noEnv, PETSTORE_BASE_URL: 'https://b.example/v1' }],
] as const)(
  'a login saves the address of its key, given by %s',
  async ([, flag, env], { petstore, sandbox }) => {
    await petstore('config set base-url https://a.example/v1', { env: noEnv });
    sandbox.react = () => reply(200, '[]');

    await logIn(petstore, flag, env);

    expect((await petstore('categories list', { env: noEnv })).exitCode).toBe(0);
    expect(sandbox.requests.map(({ url }) => url.host)).toEqual(['b.example', 'b.example']);
  },
);

test('a login whose typed address is not found says how to type another one', async ({
  petstore,
  sandbox,
}) => {
  sandbox.react = () => reply(404, '<html>');

  const { stderr } = await petstore('auth login', { ...typing(local, testKey), env: noEnv });

  expect(stderr).toMatch(/\nThe key was not stored\.\nSee: petstore auth login\n$/);
});

/** Somebody at a terminal who types these lines until one is taken; Ctrl-C ends it. */
function typing(...lines: readonly string[]) {
  const left = [...lines];
  const asked: string[] = [];
  const refused: string[] = [];
  const ask = async (question: string, validate: (text: string) => true | string) => {
    asked.push(question);
    for (;;) {
      const next = left.shift();
      if (next === undefined || next === 'Ctrl-C') throw interrupted(130);
      const verdict = validate(next);
      if (verdict === true) return next;
      refused.push(verdict);
    }
  };
  const stdin = Object.assign(Readable.from([]), { isTTY: true });
  return { asked, refused, columns: 200, context: { stdin, askLine: ask, askSecret: ask } };
}
