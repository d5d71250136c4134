import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe } from 'vitest';
import { expect, type Fixtures, networkError, reply, test, testKey } from '../support/petstore.ts';
import { interrupted } from '../support/values.ts';

const local = 'http://127.0.0.1:4010/v1';
const env = { PETSTORE_BASE_URL: local, PETSTORE_API_KEY: undefined };
const noEnv = { PETSTORE_BASE_URL: undefined, PETSTORE_API_KEY: undefined };
const keysIn = (folder: string) => join(folder, 'config', 'keys');
const keyFile = (folder: string) => join(keysIn(folder), 'production.json');

describe('auth status', () => {
  test.for([
    ['of the environment', '', testKey, () => 'PETSTORE_API_KEY'],
    ['of standard input', '--api-key-file -', undefined, () => 'standard input'],
    ['of the login', '', undefined, keyFile],
  ] as const)('shows, offline, the key %s', async (row, { petstore, sandbox, folder }) => {
    const [, more, PETSTORE_API_KEY, source] = row;
    await petstore('auth login', { env, stdin: testKey });
    sandbox.requests.length = 0;
    const argv = ['auth', 'status', ...more.split(' ').filter(Boolean)];
    const options = { env: { ...env, PETSTORE_API_KEY }, stdin: testKey };

    const table = await petstore(argv, options);
    const json = await petstore([...argv, '--json'], options);

    const known = { profile: 'production', baseUrl: local, keyEnding: 'cdef' };
    const fields = { ...known, keySource: source(folder) };
    expect(table).toMatchObject({ exitCode: 0, stderr: '' });
    for (const text of Object.values(fields)) expect(table.stdout).toContain(` ${text} `);
    expect(JSON.parse(json.stdout)).toEqual(fields);
    expect(table.stdout + json.stdout).not.toContain(testKey);
    expect(sandbox.requests).toHaveLength(0);
  });

  test('shows nothing of a key shorter than 16 characters', async ({ petstore }) => {
    const { stdout } = await petstore('auth status --json', {
      env: { ...env, PETSTORE_API_KEY: 'fifteen-chars-1' },
    });

    expect(JSON.parse(stdout)).not.toHaveProperty('keyEnding');
    expect(stdout).not.toContain('rs-1');
  });

  test.for([[[]], [['--check']]] as const)('without a key: %j', async ([more], { petstore }) => {
    const argv = ['auth', 'status', '-p', 'staging', '--json', ...more];
    const { exitCode, stdout, events } = await petstore(argv, { env });

    expect(exitCode).toBe(4);
    expect(JSON.parse(stdout)).toEqual({ profile: 'staging', baseUrl: local });
    expect(events()).toMatchObject([
      {
        kind: 'auth',
        message: 'no API key for profile staging',
        hint: 'Run: petstore auth login --profile staging < KEY_FILE (or set PETSTORE_API_KEY)',
      },
    ]);
  });

  test('works without a base URL, and in the sandbox without your key', async ({ petstore }) => {
    const keyed = { ...noEnv, PETSTORE_API_KEY: testKey };
    const addressless = await petstore('auth status --json', { env: keyed });
    const sandbox = await petstore('auth status -p sandbox --json');

    expect(addressless.exitCode).toBe(0);
    expect(JSON.parse(addressless.stdout)).not.toHaveProperty('baseUrl');
    expect(sandbox.exitCode).toBe(0);
    expect(JSON.parse(sandbox.stdout)).toEqual({ profile: 'sandbox', keySource: 'the sandbox' });
  });

  test.for([
    ['a key that works', undefined, true, 0],
    ['a 401', () => reply(401, { code: 'x', message: 'no', status: 401 }), false, 4],
    ['a 403', () => reply(403, ''), undefined, 4],
    ['no connection', () => networkError('ENOTFOUND'), undefined, 5],
  ] as const)('--check sends one request: %s', async (row, { petstore, sandbox }) => {
    const [, reaction, works, exitCode] = row;
    if (reaction) sandbox.reactions.push(reaction());

    const argv = ['auth', 'status', '--check', '--api-key-file', '-', '--json'];
    const result = await petstore(argv, { env, stdin: testKey });

    const known = { profile: 'production', baseUrl: local, keyEnding: 'cdef' };
    const fields = { ...known, keySource: 'standard input', ...(works !== undefined && { works }) };
    expect(result.exitCode).toBe(exitCode);
    expect(JSON.parse(result.stdout)).toEqual(fields);
    expect(sandbox.requests.map(({ method, url }) => `${method} ${url.href}`)).toEqual([
      `GET ${local}/categories`,
    ]);
  });
});

describe('auth logout', () => {
  test('removes the key of one profile', async ({ petstore, folder }) => {
    await petstore('auth login', { env, stdin: testKey });
    await petstore('auth login -p staging', { env, stdin: testKey });

    const result = await petstore('auth logout', { env });

    expect(result).toMatchObject({ exitCode: 0, stdout: '' });
    expect(result.stderr).toBe(
      'petstore: removed the API key of profile production from this machine. The key itself is still valid until you revoke it\n',
    );
    expect(readdirSync(keysIn(folder))).toEqual(['staging.json']);
    expect((await petstore('auth status', { env })).exitCode).toBe(4);
  });

  test.for<readonly [string, (file: string) => void]>([
    ['a corrupted file', (file) => writeFileSync(file, '{"half', { mode: 0o644 })],
    ['a link to nowhere', (file) => symlinkSync('nowhere', file)],
    ['no file', () => {}],
  ])('removes %s, and what a killed login left', async ([, make], { petstore, folder }) => {
    mkdirSync(keysIn(folder), { recursive: true });
    make(keyFile(folder));
    writeFileSync(`${keyFile(folder)}.${crypto.randomUUID()}.tmp`, testKey);

    expect((await petstore('auth logout', { env })).stderr).toContain('removed the API key');

    expect(readdirSync(keysIn(folder))).toEqual([]);
  });

  test('a key that cannot be removed is a failure: exit 74', async ({ petstore, folder }) => {
    mkdirSync(keyFile(folder), { recursive: true });

    const { exitCode, stderr } = await petstore('auth logout', { env });

    expect(exitCode).toBe(74);
    expect(stderr).toContain(`cannot remove ${keyFile(folder)}`);
  });
});

/** Logs in as someone at a terminal who types these lines until one is taken; an error is Ctrl-C. */
async function logIn(
  petstore: Fixtures['petstore'],
  typed: readonly (string | Error)[],
  { more = [] as readonly string[], env = {}, signal = new AbortController().signal } = {},
) {
  const left = [...typed];
  const asked: string[] = [];
  const refused: string[] = [];
  const ask = async (question: string, validate: (answer: string) => true | string) => {
    asked.push(question);
    for (;;) {
      const next = left.shift();
      if (next === undefined || next instanceof Error) throw next ?? new Error('no more is typed');
      const verdict = validate(next);
      if (verdict === true) return next;
      refused.push(verdict);
    }
  };
  const stdin = Object.assign(Readable.from([]), { isTTY: true });
  const { exitCode, stdout, stderr } = await petstore(['auth', 'login', ...more], {
    columns: 80,
    env: { ...noEnv, ...env },
    signal,
    context: { stdin, askLine: ask, askSecret: ask },
  });
  // Lines are wrapped to the width of the terminal.
  return { exitCode, stdout, stderr: stderr.replaceAll('\n  ', ' '), asked, refused };
}

describe('auth login on a terminal', () => {
  test('asks for what is missing and verifies the key', async ({ petstore, sandbox, folder }) => {
    const result = await logIn(petstore, [local, testKey]);

    const settings = join(folder, 'config', 'settings.json');
    expect(result).toMatchObject({ exitCode: 0, stdout: '' });
    expect(result.asked).toEqual([
      'Base URL for profile production (https://HOST/v1)',
      'API key for http://127.0.0.1:4010',
    ]);
    expect(result.stderr.split('\n')).toEqual([
      'petstore: the service accepted the key',
      `petstore: stored the API key of profile production in ${keysIn(folder)}, for http://127.0.0.1:4010 only`,
      `petstore: saved base-url=${local} for profile production in ${settings}`,
      expect.stringContaining('rate limit: 59 of 60 left, resets in '),
      '',
    ]);
    expect(sandbox.requests.map(({ method, url }) => `${method} ${url.href}`)).toEqual([
      `GET ${local}/categories`,
    ]);
    expect((await petstore('categories list', { env: noEnv })).exitCode).toBe(0);
  });

  test('asks nobody for a key of --api-key-file', async ({ petstore, folder }) => {
    const file = join(folder, 'key');
    writeFileSync(file, `${testKey}\n`, { mode: 0o600 });

    const { exitCode } = await logIn(petstore, [], { env, more: ['--api-key-file', file] });

    expect(exitCode).toBe(0);
    expect((await petstore('categories list', { env })).exitCode).toBe(0);
  });

  test('sets up the profile that it is given', async ({ petstore, folder }) => {
    const more = ['-p', 'staging'];
    const { stderr } = await logIn(petstore, [local, testKey], { more });

    const { profiles } = JSON.parse(readFileSync(join(folder, 'config', 'settings.json'), 'utf8'));
    expect(profiles).toEqual({ staging: { 'base-url': local } });
    expect(readdirSync(keysIn(folder))).toEqual(['staging.json']);
    expect(stderr).not.toContain('version prefix');
  });

  test('says that PETSTORE_API_KEY takes precedence', async ({ petstore }) => {
    const { exitCode, stderr } = await petstore('auth login', { stdin: testKey });

    expect(exitCode).toBe(0);
    expect(stderr).toContain('takes precedence, unless you pass --profile production');
  });

  test('asks again for what is invalid, and says why', async ({ petstore }) => {
    const wrongUrl = (text: string) =>
      `invalid base URL "${text}". It must start with https://. Write https://HOST/v1 (http only for localhost).`;
    const typed = ['pets.example/v1', ' ', ` ${local} `, '', 'two words', `${testKey} `];

    const { exitCode, asked, refused } = await logIn(petstore, typed);

    expect([exitCode, asked.length]).toEqual([0, 2]);
    expect(refused).toEqual([
      wrongUrl('pets.example/v1'),
      wrongUrl(''),
      'invalid API key: must not be empty',
      'invalid API key: character 4 is a space, a control or a non-ASCII character',
    ]);
  });

  test.for([
    ['base URL', [interrupted(130)]],
    ['key', [local, interrupted(130)]],
  ] as const)('Ctrl-C instead of a %s stores nothing', async ([, typed], { petstore, folder }) => {
    expect((await logIn(petstore, typed)).exitCode).toBe(130);
    expect(existsSync(join(folder, 'config'))).toBe(false);
  });

  test('Ctrl-C while the key is verified stores no key', async ({ petstore, sandbox, folder }) => {
    const ctrlC = new AbortController();
    sandbox.reactions.push(async () => {
      ctrlC.abort(interrupted(130));
      throw networkError('ECONNRESET');
    });

    const { signal } = ctrlC;
    const { exitCode, stderr } = await logIn(petstore, [local, testKey], { signal });

    expect(exitCode).toBe(130);
    expect(stderr).toContain('The key was not stored.\n');
    expect(existsSync(keyFile(folder))).toBe(false);
  });

  test.for([
    ['a 401', 4, () => reply(401, { code: 'no', message: 'go away', status: 401 })],
    ['a 403', 4, () => reply(403, '')],
    ['no connection', 5, () => networkError('ENOTFOUND')],
    ['a 503', 5, () => reply(503, '')],
    ['a 404', 3, () => reply(404, '')],
    ['a 429', 75, () => reply(429, '', { 'retry-after': '600' })],
  ] as const)(
    'after %s nothing is stored, in a script neither: exit %i',
    async ([, exitCode, reaction], { petstore, sandbox, folder }) => {
      sandbox.react = reaction;
      const more = ['-p', 'production', '--base-url', local];

      const asked = await logIn(petstore, [testKey], { more });
      const PETSTORE_STATE_DIR = join(folder, 'other');
      const script = { env: { ...noEnv, PETSTORE_STATE_DIR }, stdin: testKey };
      const scripted = await petstore(['auth', 'login', ...more], script);

      for (const result of [asked, scripted]) {
        expect(result.exitCode).toBe(exitCode);
        expect(result.stderr).toContain('\nThe key was not stored.\n');
        // Nothing else says where the key came from.
        if (exitCode === 4) expect(result.stderr).toContain('\nThe key comes from ');
      }
      expect(existsSync(join(folder, 'config'))).toBe(false);
    },
  );
});

describe('auth login in a script', () => {
  test.for([
    ['--base-url', 'https://b.example/v1', undefined],
    ['PETSTORE_BASE_URL', undefined, 'https://b.example/v1'],
  ] as const)('saves the address of the key, given by %s', async (row, { petstore, sandbox }) => {
    const [, flag, PETSTORE_BASE_URL] = row;
    const argv = ['auth', 'login', ...(flag ? ['--base-url', flag] : [])];
    await petstore('config set base-url https://a.example/v1', { env: noEnv });
    sandbox.react = () => reply(200, []);

    await petstore(argv, { env: { ...noEnv, PETSTORE_BASE_URL }, stdin: testKey });
    const { exitCode } = await petstore('categories list', { env: noEnv });

    expect(exitCode).toBe(0);
    expect(sandbox.requests.map(({ url }) => url.host)).toEqual(['b.example', 'b.example']);
  });
});

test.for([
  [
    'of the login',
    '',
    undefined,
    /staging\.json and ends in 6789\. Run: petstore auth login --profile staging < KEY_FILE$/,
  ],
  ['of the environment', '', 'wrong-key-0123456789', /_KEY .*6789\.$/],
  ['of standard input', '--api-key-file -', undefined, /standard input .*6789\.$/],
] as const)('a 401 names the key %s', async (row, { petstore, sandbox }) => {
  const [, more, PETSTORE_API_KEY, hint] = row;
  const stdin = 'wrong-key-0123456789';
  sandbox.reactions.push(reply(200, []));
  await petstore('auth login -p staging', { env, stdin });

  const argv = ['orders', 'list', ...more.split(' ').filter(Boolean)];
  const { exitCode, stderr } = await petstore(argv, {
    env: { ...env, PETSTORE_PROFILE: 'staging', PETSTORE_API_KEY },
    stdin,
  });

  expect(exitCode).toBe(4);
  expect(stderr).toContain('the API key was rejected (401 invalid_key): invalid API key\n');
  expect(stderr.trimEnd().split('\n').at(-1)).toMatch(hint);
  expect(stderr).not.toContain(stdin);
});

test.for([
  ['a file', ['--api-key-file', 'FILE'], ''],
  ['standard input', [], 'wrong-key-0123456789'],
] as const)(
  'a login with a rejected key of %s says so, and what to do',
  async (row, { petstore, folder }) => {
    const [source, more, stdin] = row;
    const file = join(folder, 'key');
    writeFileSync(file, 'wrong-key-0123456789');
    const flags = more.map((word) => word.replace('FILE', file));

    const login = ['auth', 'login', '--base-url', local, ...flags];
    const { exitCode, stderr } = await petstore(login, { env: noEnv, stdin });

    expect(exitCode).toBe(4);
    const from = source === 'a file' ? file : source;
    expect(stderr).toContain(
      `The key comes from ${from} and ends in 6789. Run: petstore auth login --base-url ${local} < KEY_FILE\n`,
    );
  },
);

test('a key that is missing because its variable is empty is said to be', async ({ petstore }) => {
  for (const argv of [
    ['categories', 'list'],
    ['auth', 'status'],
    ['doctor', '-p', 'staging'],
  ]) {
    const empty = await petstore(argv, { env: { ...env, PETSTORE_API_KEY: '' } });
    const unset = await petstore(argv, { env });

    expect([empty.exitCode, unset.exitCode]).toEqual([4, 4]);
    const why = ': PETSTORE_API_KEY is set, but empty\n';
    expect([empty.stderr.includes(why), unset.stderr.includes(why)]).toEqual([true, false]);
  }
});
