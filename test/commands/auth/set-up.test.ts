import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe } from 'vitest';
import {
  expect,
  type Fixtures,
  networkError,
  type RunOptions,
  reply,
  test,
  testKey,
} from '../../support/petstore.ts';
import { interrupted } from '../../support/values.ts';

const local = 'http://127.0.0.1:4010/v1';
const noEnv = { PETSTORE_BASE_URL: undefined, PETSTORE_API_KEY: undefined };
const settingsIn = (folder: string) => join(folder, 'config', 'settings.json');
const keyIn = (folder: string) => join(folder, 'config', 'keys', 'production.json');

/** Someone at a terminal who types these lines and secrets until one is taken; an error is Ctrl-C. */
function terminal(typed: readonly (string | Error)[]) {
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
  return {
    asked,
    refused,
    options: { columns: 80, context: { stdin, askLine: ask, askSecret: ask } },
  };
}

function login({ petstore }: Fixtures | Pick<Fixtures, 'petstore'>, more: readonly string[] = []) {
  return async (typed: readonly (string | Error)[], env: RunOptions['env'] = {}) => {
    const { asked, refused, options } = terminal(typed);
    const result = await petstore(['auth', 'login', ...more], {
      ...options,
      env: { ...noEnv, ...env },
    });
    return { ...result, asked, refused };
  };
}

/** What was broken at words for the terminal's width, in one line again. */
function unwrapped(text: string): string {
  return text.replaceAll('\n  ', ' ');
}

describe('auth login on a terminal', () => {
  test('asks for base URL and key, verifies the key with one request and says so', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const result = await login({ petstore })([local, testKey]);

    expect(result).toMatchObject({ exitCode: 0, stdout: '' });
    expect(result.asked).toEqual([
      'Base URL for profile production (https://HOST/v1)',
      'API key for http://127.0.0.1:4010',
    ]);
    expect(unwrapped(result.stderr)).toBe(
      [
        `petstore: saved base-url=${local} for profile production in ${settingsIn(folder)}`,
        'petstore: ✔ Key accepted. rate limit: 59 of 60 left',
        `petstore: stored the API key of profile production in ${join(folder, 'config', 'keys')}, for http://127.0.0.1:4010 only`,
        '',
      ].join('\n'),
    );
    expect(sandbox.requests.map(({ method, url }) => `${method} ${url.href}`)).toEqual([
      `GET ${local}/categories`,
    ]);
    expect((await petstore(['categories', 'list'], { env: noEnv })).exitCode).toBe(0);
  });

  test('asks for the key alone where the base URL is set', async ({ petstore, folder }) => {
    const { exitCode, asked } = await login({ petstore })([testKey], { PETSTORE_BASE_URL: local });

    expect([exitCode, asked]).toEqual([0, ['API key for http://127.0.0.1:4010']]);
    expect(existsSync(settingsIn(folder))).toBe(false);
  });

  test('sets up the profile that it is given', async ({ petstore, folder }) => {
    await login({ petstore }, ['-p', 'staging'])([local, testKey]);

    const { profiles } = JSON.parse(readFileSync(settingsIn(folder), 'utf8'));
    expect(profiles).toEqual({ staging: { 'base-url': local } });
    expect(existsSync(join(folder, 'config', 'keys', 'staging.json'))).toBe(true);
  });

  test('says that a base URL lacks a version prefix', async ({ petstore }) => {
    const without = await login({ petstore })(['http://127.0.0.1:4010', testKey]);
    const complete = await login({ petstore }, ['-p', 'staging'])([local, testKey]);

    expect([without.exitCode, complete.exitCode]).toEqual([0, 0]);
    expect(unwrapped(without.stderr)).toContain('version prefix');
    expect(unwrapped(complete.stderr)).not.toContain('version prefix');
  });

  test('draws no mark where the locale has none', async ({ petstore }) => {
    const { stderr } = await login({ petstore })([local, testKey], { LC_ALL: 'C' });

    expect(stderr).toContain('petstore: Key accepted. rate limit: 59 of 60 left\n');
  });

  test('asks again for what is invalid, and says why', async ({ petstore }) => {
    const wrongUrl =
      'invalid base URL. Must start with https://. Example: https://HOST/v1 (http only for localhost)';
    const typed = ['pets.example/v1', ' ', ` ${local} `, '', 'two words', `${testKey} `];

    const { exitCode, asked, refused } = await login({ petstore })(typed);

    expect([exitCode, asked.length]).toEqual([0, 2]);
    expect(refused).toEqual([
      wrongUrl,
      wrongUrl,
      'invalid API key: must not be empty',
      'invalid API key: character 4 is a space, a control or a non-ASCII character',
    ]);
  });

  test('points out a base URL without a version prefix', async ({ petstore }) => {
    const { stderr } = await login({ petstore })(['http://127.0.0.1:4010', testKey]);

    expect(unwrapped(stderr)).toContain('petstore: the base URL has no version prefix such as /v1');
  });

  test.for([
    ['base URL', [interrupted(130)]],
    ['key', [local, interrupted(130)]],
  ] as const)(
    'Ctrl-C at the question for the %s stores nothing: exit 130',
    async ([, typed], { petstore, folder }) => {
      expect((await login({ petstore })(typed)).exitCode).toBe(130);
      expect(existsSync(join(folder, 'config'))).toBe(false);
    },
  );

  test.for([401, 403])(
    'a key that the service rejects with %s is not stored: exit 4',
    async (status, { petstore, sandbox, folder }) => {
      sandbox.reactions.push(reply(status, { code: 'no', message: 'go away', status }));

      const { exitCode, stderr } = await login({ petstore }, ['-p', 'production'])([
        local,
        'wrong-key-0123456789',
      ]);

      expect(exitCode).toBe(4);
      expect(stderr).toContain('\nThe key was not stored.\n');
      expect(stderr).toContain('try again: petstore auth login --profile production\n');
      expect(stderr).not.toContain('accepted');
      expect(existsSync(keyIn(folder))).toBe(false);
      expect(sandbox.requests).toHaveLength(1);
    },
  );

  test.for([
    ['no connection', () => networkError('ENOTFOUND')],
    ['a 503', () => reply(503, '')],
    ['a 429', () => reply(429, '', { 'retry-after': '7' })],
    ['a 404', () => reply(404, '')],
    ['half a response', () => reply(200, '[')],
  ] as const)(
    'with %s the key is stored, not verified, after that one request',
    async ([, reaction], { petstore, sandbox, folder }) => {
      sandbox.react = reaction;

      const { exitCode, stderr } = await login({ petstore })([local, testKey]);

      expect(exitCode).toBe(0);
      expect(stderr).toContain('petstore: the key could not be verified: ');
      expect(stderr).toContain('petstore: to verify it later: petstore auth status --check\n');
      expect(stderr).toContain('to correct the base URL: petstore config set base-url URL\n');
      expect(stderr).not.toContain('accepted');
      expect(existsSync(keyIn(folder))).toBe(true);
      expect(sandbox.requests).toHaveLength(1);
    },
  );

  test('sends nothing where the limit is known to be reached', async ({ petstore, sandbox }) => {
    sandbox.reactions.push(reply(429, '', { 'retry-after': '600' }));
    await login({ petstore })([local, testKey]);

    const { exitCode, stderr } = await login({ petstore })([testKey]);

    expect(exitCode).toBe(0);
    expect(stderr).toContain('petstore: the key could not be verified: ');
    expect(sandbox.requests).toHaveLength(1);
  });

  test('stores no key where the run ends while it is verified', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const ctrlC = new AbortController();
    sandbox.reactions.push(async () => {
      ctrlC.abort(interrupted(130));
      throw networkError('ECONNRESET');
    });
    const { options } = terminal([local, testKey]);

    const result = await petstore(['auth', 'login'], {
      ...options,
      env: noEnv,
      signal: ctrlC.signal,
    });

    expect(result.exitCode).toBe(130);
    expect(result.stderr).toContain('The key was not stored.\n');
    expect(existsSync(keyIn(folder))).toBe(false);
  });
});

test('without a base URL any command on a terminal names auth login', async ({ petstore }) => {
  const { options } = terminal([]);

  const { exitCode, stderr } = await petstore(['categories', 'list', '-p', 'staging'], {
    ...options,
    env: noEnv,
  });

  expect(exitCode).toBe(2);
  expect(unwrapped(stderr)).toContain('\npetstore auth login --profile staging. To try petstore ');
});

describe('auth login in a script', () => {
  test.for([
    ['a pipe', [], {}],
    ['CI', [], { CI: 'true' }],
    ['--no-input', ['--no-input'], {}],
  ] as const)(
    'asks nothing, sends nothing and reads standard input: %s',
    async ([, argv, env], { petstore, sandbox, folder }) => {
      const result = await petstore(['auth', 'login', ...argv], {
        env: { ...noEnv, PETSTORE_BASE_URL: local, ...env },
        stdin: testKey,
      });

      expect(result).toMatchObject({ exitCode: 0, stdout: '' });
      expect(existsSync(keyIn(folder))).toBe(true);
      expect(sandbox.requests).toHaveLength(0);
    },
  );
});
