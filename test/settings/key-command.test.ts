import { chmodSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe } from 'vitest';
import { startTime } from '../support/clock.ts';
import { test as base, expect, reply, testKey } from '../support/petstore.ts';
import { isPosix } from '../support/posix.ts';
import { type Captured, type CaptureOptions, interrupted } from '../support/values.ts';

const local = 'http://127.0.0.1:4010/v1';
const noEnv = { PETSTORE_BASE_URL: undefined, PETSTORE_API_KEY: undefined };
const command = 'pass show petstore';
const list = ['categories', 'list'];

type Calls = { readonly command: string; readonly options: CaptureOptions }[];

/** A program that prints the key of the sandbox, unless a test makes it print something else. */
function program(printed: Partial<Captured> | ((options: CaptureOptions) => Promise<Captured>)) {
  const calls: Calls = [];
  const capture = async (command: string, options: CaptureOptions) => {
    calls.push({ command, options });
    if (typeof printed === 'function') return printed(options);
    return { exitCode: 0, stdout: `${testKey}\n`, ...printed };
  };
  return { calls, capture };
}

const test = base.extend<{ auto: undefined }>({
  auto: [
    async ({ petstore }, use) => {
      await petstore(['config', 'set', 'base-url', local], { env: noEnv });
      await petstore(['config', 'set', 'api-key-command', command], { env: noEnv });
      await use(undefined);
    },
    { auto: true },
  ],
});

describe('api-key-command', () => {
  test('its first line is the key; it runs once, in the settings folder, without the key of the environment', async ({
    petstore,
    sandbox,
    clock,
    folder,
  }) => {
    const { calls, capture } = program({ stdout: `${testKey}\r\nuser: me\r\n` });
    const env = { ...noEnv, PETSTORE_API_KEY: 'another-key-0123456789', VAULT_ADDR: 'x' };

    const words = ['categories', 'create', 'dog', '--if-missing', '-p', 'production'];
    const result = await petstore(words, { env, context: { capture } });

    expect(result.exitCode).toBe(0);
    expect(sandbox.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${testKey}`,
      `Bearer ${testKey}`,
    ]);
    expect(calls).toMatchObject([
      { command, options: { terminal: false, folder: join(folder, 'config') } },
    ]);
    expect(calls[0]?.options.env).toMatchObject({ VAULT_ADDR: 'x' });
    expect(calls[0]?.options.env.PETSTORE_API_KEY).toBeUndefined();
    expect(clock.now()).toBe(startTime);
  });

  test.for([
    [['auth', 'status']],
    [['auth', 'status', '--json']],
    [['doctor']],
    [['auth', 'logout']],
    [['config', 'list']],
    [['config', 'set', 'output', 'table']],
    [['categories', 'list', '-p', 'sandbox']],
    [['categories', 'create', '']],
    [['pets', 'get', '']],
  ] as const)('does not run for %j', async ([argv], { petstore }) => {
    const { calls, capture } = program({});

    const { stdout } = await petstore(argv, { env: noEnv, context: { capture } });

    expect(calls).toEqual([]);
    if (argv[1] === 'status' || argv[0] === 'doctor') {
      expect(stdout).toContain('the api-key-command of profile production');
      expect(stdout).not.toContain(command);
    }
  });

  test('status --check runs it, and a 401 names it', async ({ petstore }) => {
    const { calls, capture } = program({ stdout: 'wrong-key-0123456789\n' });
    const words = ['auth', 'status', '--check', '--json'];

    const { exitCode, stdout, events } = await petstore(words, {
      env: noEnv,
      context: { capture },
    });

    expect(exitCode).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({ works: false });
    expect(events().at(-1)).toMatchObject({
      hint: `The key comes from the api-key-command of profile production and ends in 6789.`,
    });
    expect(calls).toHaveLength(1);
  });

  test('may ask only where somebody is there to be asked', async ({ petstore }) => {
    const { calls, capture } = program({});
    for (const { more, CI, isTTY } of [
      { more: [], CI: undefined, isTTY: true },
      { more: ['--no-input'], CI: undefined, isTTY: true },
      { more: [], CI: 'true', isTTY: true },
      { more: [], CI: undefined, isTTY: false },
    ]) {
      const stdin = Object.assign(Readable.from([]), { isTTY });
      const context = { capture, stdin };
      await petstore([...list, ...more], { env: { ...noEnv, CI }, columns: 80, context });
    }

    expect(calls.map(({ options }) => options.terminal)).toEqual([true, false, false, false]);
  });

  test.for<{ what: string; printed: Partial<Captured>; exitCode: number; says: string }>([
    {
      what: 'fails',
      printed: { exitCode: 1, stdout: 'half-a-secret-1\n' },
      exitCode: 4,
      says: 'failed with exit code 1\n',
    },
    {
      what: 'is not there',
      printed: { exitCode: 127, stdout: '' },
      exitCode: 4,
      says: 'failed with exit code 127\n',
    },
    { what: 'prints nothing', printed: { stdout: '' }, exitCode: 4, says: 'printed nothing' },
    {
      what: 'prints an empty line first',
      printed: { stdout: '\nhalf-a-secret-1\n' },
      exitCode: 4,
      says: 'printed nothing in its first line, where the API key belongs',
    },
    {
      what: 'prints no end of it',
      printed: { exitCode: 137, stdout: 'half-a-secret-1'.repeat(5_000) },
      exitCode: 4,
      says: 'printed too much for an API key',
    },
    {
      what: 'prints words',
      printed: { stdout: 'half-a-secret-1 is your key\n' },
      exitCode: 2,
      says: 'character 16 is a space',
    },
  ])('that $what: three lines, none of them its output', async (row, { petstore, sandbox }) => {
    const { capture } = program(row.printed);

    for (const more of [[], ['--json']]) {
      const result = await petstore([...list, ...more], { env: noEnv, context: { capture } });

      expect(result).toMatchObject({ exitCode: row.exitCode, stdout: '' });
      expect(result.stderr).not.toContain('half-a-secret');
      if (more.length > 0) continue;
      expect(result.stderr).toContain(row.says);
      expect(result.stderr).toContain('\nNothing was sent.\n');
      expect(result.stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(3);
    }
    expect(sandbox.requests).toHaveLength(0);
  });

  test('cannot be started: exit 4', async ({ petstore }) => {
    const { capture } = program(() =>
      Promise.reject(Object.assign(new Error('spawn'), { code: 'ENOENT' })),
    );

    const { exitCode, stderr } = await petstore(list, { env: noEnv, context: { capture } });

    expect(exitCode).toBe(4);
    expect(stderr).toContain('the api-key-command of profile production cannot run (ENOENT)');
    expect(stderr).toContain(
      'run the command that this prints: petstore config get api-key-command\n',
    );
  });

  test('each line that it printed is hidden, also without the blanks around it', async ({
    petstore,
    sandbox,
  }) => {
    const { capture } = program({ stdout: `${testKey}\n  \tother-secret-0123 \r\n` });
    sandbox.reactions.push(
      reply(200, [{ id: 1, name: 'other-secret-0123', description: testKey }]),
    );

    const { stdout } = await petstore([...list, '-o', 'ndjson'], {
      env: noEnv,
      context: { capture },
    });

    expect(stdout).toBe('{"id":1,"name":"[key]","description":"[key]"}\n');
  });

  test('a padded key is refused and stands in no message', async ({ petstore }) => {
    const { capture } = program({ stdout: ` ${testKey}\t\n` });

    const { exitCode, stderr } = await petstore(['categories', 'create', testKey, '-v'], {
      env: noEnv,
      context: { capture },
    });

    expect(exitCode).toBe(2);
    expect(stderr).toContain('character 1 is a space');
    expect(stderr).not.toContain(testKey);
  });

  test('that takes longer than a minute is ended', async ({ petstore, clock, sandbox }) => {
    const start = clock.now();
    let ended: unknown;
    const { capture } = program(
      ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            ended = signal.reason;
            reject(signal.reason);
          });
        }),
    );

    const { exitCode, stderr } = await petstore(list, { env: noEnv, context: { capture } });

    expect(exitCode).toBe(4);
    expect(stderr).toContain('timed out after 60s');
    expect(ended).toBeDefined();
    expect(clock.now() - start).toBe(60_000);
    expect(sandbox.requests).toHaveLength(0);
  });

  test('is ended by Ctrl-C', async ({ petstore, clock }) => {
    const start = clock.now();
    const ctrlC = new AbortController();
    const { capture } = program(
      ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          ctrlC.abort(interrupted(130));
        }),
    );

    const { signal } = ctrlC;
    const result = await petstore(list, { env: noEnv, signal, context: { capture } });

    expect(result).toMatchObject({ exitCode: 130, stdout: '' });
    expect(result.stderr).toContain('petstore: interrupted\n');
    expect(clock.now()).toBe(start);
  });
});

describe('the key of an api-key-command', () => {
  test.for([
    ['--base-url', ['--base-url', 'https://b.example/v1'], {}],
    ['PETSTORE_BASE_URL', [], { PETSTORE_BASE_URL: 'https://b.example/v1' }],
  ] as const)(
    'goes to the origin of its profile alone: %s',
    async ([, argv, env], { petstore, sandbox }) => {
      const { calls, capture } = program({});

      const result = await petstore([...list, ...argv], {
        env: { ...noEnv, ...env },
        context: { capture },
      });

      expect(result.exitCode).toBe(2);
      expect(result.stderr).toContain('is for http://127.0.0.1:4010, not for https://b.example');
      expect([calls.length, sandbox.requests.length]).toEqual([0, 0]);
    },
  );

  test('goes nowhere without a base URL beside it', async ({ petstore, sandbox }) => {
    const { calls, capture } = program({});
    await petstore(['config', 'unset', 'base-url']);

    const env = { ...noEnv, PETSTORE_BASE_URL: local };
    const result = await petstore(list, { env, context: { capture } });

    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain('petstore config set base-url URL\n');
    expect([calls.length, sandbox.requests.length]).toEqual([0, 0]);
  });

  test.skipIf(!isPosix).for([
    ['a group can write the file', (config: string) => chmodSync(`${config}/settings.json`, 0o620)],
    ['all can write the file', (config: string) => chmodSync(`${config}/settings.json`, 0o602)],
    ['a group can write the folder', (config: string) => chmodSync(config, 0o770)],
    [
      'the folder that a link leads to is open',
      (config: string) => {
        const other = join(config, 'shared');
        mkdirSync(other);
        chmodSync(other, 0o777);
        renameSync(`${config}/settings.json`, `${other}/settings.json`);
        symlinkSync(`${other}/settings.json`, `${config}/settings.json`);
      },
    ],
  ] as const)('is not asked for where %s', async ([, open], { petstore, folder }) => {
    const { calls, capture } = program({});
    open(join(folder, 'config'));

    for (const argv of [list, ['auth', 'status']]) {
      const result = await petstore(argv, { env: noEnv, context: { capture } });

      expect(result).toMatchObject({ exitCode: 2, stdout: '' });
      expect(result.stderr).toMatch(/api-key-command was not run, because other users can change /);
      expect(result.stderr).toContain("chmod go-w '");
    }
    expect(calls).toEqual([]);
  });

  test.skipIf(!isPosix)(
    'is not asked for where the file is somebody else’s',
    async ({ petstore }) => {
      const { calls, capture } = program({});
      const uid = 12_345;
      const rooted = process.getuid?.() === 0;

      const { exitCode } = await petstore(list, { env: noEnv, context: { capture, uid } });

      // What is root's is as good as one's own.
      expect([exitCode, calls.length]).toEqual(rooted ? [0, 1] : [2, 0]);
    },
  );
});

describe('a profile has one key', () => {
  test('auth login does not store another one', async ({ petstore }) => {
    const { exitCode, stderr } = await petstore(['auth', 'login'], { env: noEnv, stdin: testKey });

    expect(exitCode).toBe(2);
    expect(stderr).toContain('has an api-key-command, which takes precedence');
    expect(stderr).toContain('petstore config unset api-key-command\n');
  });

  test('the command comes before a stored one, and is set with a word on it', async ({
    petstore,
    sandbox,
  }) => {
    const { capture } = program({});
    await petstore(['config', 'unset', 'api-key-command'], { env: noEnv });
    await petstore(['auth', 'login'], { env: noEnv, stdin: 'a-stored-key-0123456789' });

    const words = ['config', 'set', 'api-key-command', command];
    const { stderr } = await petstore(words, { env: noEnv });
    await petstore(list, { env: noEnv, context: { capture } });

    expect(stderr).toContain(
      'api-key-command takes precedence over the stored key of profile production; to remove that: petstore auth logout\n',
    );
    expect(sandbox.requests.at(-1)?.headers.authorization).toBe(`Bearer ${testKey}`);
  });
});
