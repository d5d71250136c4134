import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe } from 'vitest';
import { expect, networkError, reply, test, testKey } from '../support/petstore.ts';

const local = 'http://127.0.0.1:4010/v1';
const env = { PETSTORE_BASE_URL: local, PETSTORE_API_KEY: undefined };
const keyFile = (folder: string) => join(folder, 'config', 'keys', 'production.json');

describe('auth status', () => {
  test.for([
    {
      what: 'the environment',
      argv: [],
      env: { PETSTORE_API_KEY: testKey },
      source: () => 'PETSTORE_API_KEY',
    },
    {
      what: 'standard input',
      argv: ['--api-key-file', '-'],
      env: {},
      source: () => 'standard input',
    },
    { what: 'the key file', argv: [], env: {}, source: keyFile },
  ])('says that the key comes from $what, offline', async (row, { petstore, sandbox, folder }) => {
    await petstore(['auth', 'login'], { env, stdin: testKey });

    for (const json of [false, true]) {
      const argv = ['auth', 'status', ...row.argv, ...(json ? ['--json'] : [])];
      const result = await petstore(argv, { env: { ...env, ...row.env }, stdin: testKey });

      expect(result).toMatchObject({ exitCode: 0, stderr: '' });
      expect(result.stdout).not.toContain(testKey);
      const fields = {
        profile: 'production',
        baseUrl: local,
        keySource: row.source(folder),
        keyEnding: 'cdef',
      };
      if (json) expect(JSON.parse(result.stdout)).toEqual(fields);
      else for (const text of Object.values(fields)) expect(result.stdout).toContain(` ${text} `);
    }
    expect(sandbox.requests).toHaveLength(0);
  });

  test('shows nothing of a key shorter than 16 characters', async ({ petstore }) => {
    const { stdout } = await petstore(['auth', 'status', '--json'], {
      env: { ...env, PETSTORE_API_KEY: 'fifteen-chars-1' },
    });

    expect(JSON.parse(stdout)).not.toHaveProperty('keyEnding');
    expect(stdout).not.toContain('rs-1');
  });

  test.for([[[]], [['--check']]] as const)(
    'without a key: what is known, the next command, and exit 4 (%j)',
    async ([argv], { petstore, sandbox }) => {
      const words = ['auth', 'status', '-p', 'staging', '--json', ...argv];
      const { exitCode, stdout, events } = await petstore(words, { env });

      expect(exitCode).toBe(4);
      expect(JSON.parse(stdout)).toEqual({ profile: 'staging', baseUrl: local });
      expect(events()).toMatchObject([
        {
          kind: 'auth',
          message: 'no API key for profile staging',
          hint: 'petstore auth login --profile staging (or set PETSTORE_API_KEY)',
        },
      ]);
      expect(sandbox.requests).toHaveLength(0);
    },
  );

  test('works where no base URL is set', async ({ petstore }) => {
    const { exitCode, stdout } = await petstore(['auth', 'status', '--json'], {
      env: { PETSTORE_BASE_URL: undefined, PETSTORE_API_KEY: testKey },
    });

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).not.toHaveProperty('baseUrl');
  });

  test('a stored key of another origin: as any command would say it', async ({ petstore }) => {
    await petstore(['auth', 'login'], { env, stdin: testKey });

    const words = ['auth', 'status', '--base-url', 'https://b.example/v1'];
    const { exitCode, stderr } = await petstore(words, { env });

    expect(exitCode).toBe(2);
    expect(stderr).toContain('is for http://127.0.0.1:4010, not for https://b.example');
    expect(stderr).toContain(
      'petstore config list. If the service has moved: petstore auth login\n',
    );
  });

  test('the sandbox has its own key, and never sees yours', async ({ petstore, sandbox }) => {
    const words = ['auth', 'status', '-p', 'sandbox', '--json'];
    const { exitCode, stdout } = await petstore(words, { env: { PETSTORE_API_KEY: testKey } });

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ profile: 'sandbox', keySource: 'the sandbox' });
    expect(sandbox.requests).toHaveLength(0);
  });

  test.for([
    ['a key that works', undefined, true, 0],
    ['a 401', () => reply(401, { code: 'x', message: 'no', status: 401 }), false, 4],
    ['a 403', () => reply(403, ''), undefined, 4],
    ['no connection', () => networkError('ENOTFOUND'), undefined, 5],
    ['half an answer', () => reply(200, '['), undefined, 5],
  ] as const)(
    '--check spends one request and says only what it told: %s',
    async ([, reaction, works, exitCode], { petstore, sandbox }) => {
      if (reaction) sandbox.reactions.push(reaction());

      const result = await petstore(['auth', 'status', '--check', '--json'], {
        env: { ...env, PETSTORE_API_KEY: testKey },
      });

      expect(result.exitCode).toBe(exitCode);
      expect(JSON.parse(result.stdout)).toEqual({
        profile: 'production',
        baseUrl: local,
        keySource: 'PETSTORE_API_KEY',
        keyEnding: 'cdef',
        ...(works !== undefined && { works }),
      });
      expect(sandbox.requests.map(({ method, url }) => `${method} ${url.href}`)).toEqual([
        `GET ${local}/categories`,
      ]);
    },
  );

  test('--check takes a key of standard input', async ({ petstore }) => {
    const words = ['auth', 'status', '--check', '--api-key-file', '-'];

    expect((await petstore(words, { env, stdin: testKey })).exitCode).toBe(0);
  });
});

describe('auth logout', () => {
  test('removes the key of one profile, and copies that killed processes left', async ({
    petstore,
    folder,
  }) => {
    await petstore(['auth', 'login'], { env, stdin: testKey });
    await petstore(['auth', 'login', '-p', 'staging'], { env, stdin: testKey });
    writeFileSync(`${keyFile(folder)}.${crypto.randomUUID()}.tmp`, testKey);

    const result = await petstore(['auth', 'logout'], { env });

    expect(result).toMatchObject({ exitCode: 0, stdout: '' });
    expect(result.stderr).toBe(
      'petstore: removed the API key of profile production from this machine. The key itself is still valid until you revoke it\n',
    );
    expect(readdirSync(join(folder, 'config', 'keys'))).toEqual(['staging.json']);
    expect((await petstore(['auth', 'status'], { env })).exitCode).toBe(4);
  });

  test('removes what is corrupted, open to others, or a link to nowhere, and what a killed login left', async ({
    petstore,
    folder,
  }) => {
    const keys = join(folder, 'config', 'keys');
    mkdirSync(keys, { recursive: true });
    for (const make of [
      () => writeFileSync(keyFile(folder), '{"half', { mode: 0o644 }),
      () => symlinkSync('nowhere', keyFile(folder)),
    ]) {
      make();
      writeFileSync(`${keyFile(folder)}.${crypto.randomUUID()}.tmp`, testKey);
      expect((await petstore(['auth', 'logout'], { env })).stderr).toContain('removed the API key');
      expect(readdirSync(keys)).toEqual([]);
    }
  });

  test('removes what a killed login left where no key was stored before', async ({
    petstore,
    folder,
  }) => {
    mkdirSync(join(folder, 'config', 'keys'), { recursive: true });
    writeFileSync(`${keyFile(folder)}.${crypto.randomUUID()}.tmp`, testKey);

    expect((await petstore(['auth', 'logout'], { env })).exitCode).toBe(0);

    expect(readdirSync(join(folder, 'config', 'keys'))).toEqual([]);
  });

  test('where none is stored: said, exit 0, and nothing is made', async ({ petstore, folder }) => {
    const result = await petstore(['auth', 'logout', '-p', 'staging'], { env });

    expect(result).toMatchObject({ exitCode: 0, stdout: '' });
    expect(result.stderr).toBe('petstore: no API key is stored for profile staging\n');
    expect(existsSync(join(folder, 'config'))).toBe(false);
  });

  test('says which keys there still are', async ({ petstore }) => {
    await petstore(['config', 'set', 'api-key-command', 'pass', '-p', 'staging'], { env });

    const { stderr } = await petstore(['auth', 'logout', '-p', 'staging'], {
      env: { ...env, PETSTORE_API_KEY: testKey },
    });

    expect(stderr.split('\n').slice(1)).toEqual([
      'petstore: PETSTORE_API_KEY is still set',
      'petstore: api-key-command still provides a key: petstore config unset api-key-command --profile staging',
      '',
    ]);
  });

  test('a key that cannot be removed is a failure: exit 74', async ({ petstore, folder }) => {
    mkdirSync(keyFile(folder), { recursive: true });

    const { exitCode, stderr } = await petstore(['auth', 'logout'], { env });

    expect(exitCode).toBe(74);
    expect(stderr).toContain(`cannot remove ${keyFile(folder)}`);
  });
});

describe('auth login', () => {
  test('takes the key of --api-key-file, and asks nobody', async ({ petstore, folder }) => {
    const file = join(folder, 'key');
    writeFileSync(file, `${testKey}\n`, { mode: 0o600 });
    const stdin = Object.assign(Readable.from([]), { isTTY: true });

    const words = ['auth', 'login', '--api-key-file', file];
    const login = await petstore(words, { env, columns: 80, context: { stdin } });

    expect(login.exitCode).toBe(0);
    expect((await petstore(['categories', 'list'], { env })).exitCode).toBe(0);
  });

  test('says that PETSTORE_API_KEY would come first', async ({ petstore }) => {
    const { exitCode, stderr } = await petstore(['auth', 'login'], {
      env: { ...env, PETSTORE_API_KEY: 'another-key-0123456789' },
      stdin: testKey,
    });

    expect(exitCode).toBe(0);
    expect(stderr).toContain(
      'PETSTORE_API_KEY is set and takes precedence, unless you pass --profile production',
    );
  });
});

describe('a 401 names the next command, where there is one', () => {
  const wrong = 'wrong-key-0123456789';
  test.for([
    {
      what: 'a stored key',
      more: [],
      env: {},
      hint: / Replace it: petstore auth login -.*staging$/,
    },
    { what: 'the environment', more: [], env: { PETSTORE_API_KEY: wrong }, hint: /_KEY .*6789\.$/ },
    { what: 'a flag', more: ['--api-key-file', '-'], env: {}, hint: /standard input .*6789\.$/ },
  ])('$what', async ({ more, env: given, hint }, { petstore }) => {
    await petstore(['auth', 'login', '-p', 'staging'], { env, stdin: wrong });

    const { exitCode, stderr } = await petstore(['orders', 'list', ...more], {
      env: { ...env, PETSTORE_PROFILE: 'staging', ...given },
      stdin: wrong,
    });

    expect(exitCode).toBe(4);
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(hint);
  });
});
