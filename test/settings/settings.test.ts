import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe } from 'vitest';
import { expect, reply, test, testKey } from '../support/petstore.ts';
import { isPosix, isPrivate } from '../support/posix.ts';
import { interrupted, tryLock } from '../support/values.ts';

const list = ['categories', 'list'];
const url = (name: string) => `https://${name}.example/v1`;
const noEnv = { PETSTORE_BASE_URL: undefined, PETSTORE_API_KEY: undefined };

describe('auth login', () => {
  const env = { ...noEnv, PETSTORE_BASE_URL: url('a') };

  test('stores the key of standard input, for its owner and one origin alone', async ({
    petstore,
    folder,
  }) => {
    const result = await petstore(['auth', 'login'], { env, stdin: `${testKey}\n` });

    const file = join(folder, 'config', 'keys', 'production.json');
    expect(result).toMatchObject({ exitCode: 0, stdout: '' });
    expect(result.stderr).toContain('for https://a.example only');
    expect(result.stderr).not.toContain(testKey);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      origin: 'https://a.example',
      key: testKey,
    });
    for (const path of [file, join(folder, 'config', 'keys'), join(folder, 'config')]) {
      expect(isPrivate(path)).toBe(true);
    }
    expect(readdirSync(join(folder, 'config', 'keys'))).toHaveLength(1);
  });

  test.for([
    ['another host', 'https://a.example', 'https://b.example'],
    ['a host below it', 'https://a.example', 'https://x.a.example'],
    ['another port', 'https://a.example', 'https://a.example:8443'],
    ['another scheme', 'https://127.0.0.1:4010', 'http://127.0.0.1:4010'],
  ] as const)(
    'the stored key does not go to %s, however that is given',
    async ([, own, other], { petstore, sandbox }) => {
      const asked = `${other}/v1`;
      await petstore(['auth', 'login', '--base-url', `${own}/v1`], { env, stdin: testKey });
      const results = [
        await petstore([...list, '--base-url', asked], { env }),
        await petstore(list, { env: { ...env, PETSTORE_BASE_URL: asked } }),
        await petstore([...list, '-p', 'production'], {
          env: { ...env, PETSTORE_BASE_URL: asked },
        }),
      ];
      await petstore(['config', 'set', 'base-url', asked], { env: noEnv });
      results.push(await petstore(list, { env: noEnv }));

      for (const { exitCode, stderr } of results) {
        expect(exitCode).toBe(2);
        expect(stderr).toContain(`is for ${own}, not for ${other}`);
      }
      expect(sandbox.requests).toHaveLength(0);
    },
  );

  test.skipIf(!isPosix)(
    'a stored key that others can read is refused',
    async ({ petstore, folder, sandbox }) => {
      await petstore(['auth', 'login'], { env, stdin: testKey });
      chmodSync(join(folder, 'config', 'keys', 'production.json'), 0o640);

      const result = await petstore(list, { env });

      expect(result.exitCode).toBe(2);
      expect(result.stderr).toContain('is readable by other users');
      expect(sandbox.requests).toHaveLength(0);
    },
  );

  test('asks on a terminal without showing what is typed', async ({ petstore, sandbox }) => {
    const terminal = Object.assign(Readable.from([]), {
      isTTY: true,
    });
    const asked: string[] = [];
    const askSecret = async (question: string) => {
      asked.push(question);
      return testKey;
    };

    sandbox.reactions.push(reply(200, []));
    const login = await petstore(['auth', 'login'], {
      env,
      columns: 80,
      context: { stdin: terminal, askSecret },
    });
    await petstore(list, { env });

    expect(login.exitCode).toBe(0);
    expect(asked).toEqual(['API key for https://a.example']);
    expect(sandbox.requests.at(-1)?.headers.authorization).toBe(`Bearer ${testKey}`);
  });

  test('Ctrl-C ends it while standard input says nothing', async ({ petstore, folder }) => {
    const ctrlC = new AbortController();
    const stdin = new Readable({ read: () => ctrlC.abort(interrupted(130)) });

    const result = await petstore(['auth', 'login'], {
      env,
      signal: ctrlC.signal,
      context: { stdin },
    });

    expect(result).toMatchObject({ exitCode: 130, stdout: '' });
    expect(existsSync(join(folder, 'config', 'keys'))).toBe(false);
  });

  test.for([
    ['in CI', { ...env, CI: 'true' }, [], 80],
    ['with --no-input', env, ['--no-input'], 80],
    ['where nobody would see the question', env, [], undefined],
    ['for another profile', { ...env, CI: 'true' }, ['--profile', 'staging'], 80],
  ] as const)('never asks %s', async ([, env, argv, columns], { petstore }) => {
    const terminal = Object.assign(Readable.from([]), {
      isTTY: true,
    });

    const result = await petstore(['auth', 'login', ...argv], {
      env,
      ...(columns && { columns }),
      context: { stdin: terminal },
    });

    expect(result.exitCode).toBe(2);
    expect(result.stderr).toMatch(
      argv[0] === '--profile'
        ? /^petstore auth login --profile staging < KEY_FILE$/m
        : /^petstore auth login < KEY_FILE$/m,
    );
  });

  test.for([
    ['nothing', '', 'must not be empty'],
    ['two lines', 'abcdefgh\nijklmnop\n', 'character 9 is a space'],
    ['an accent', 'abcdefghé', 'character 9 is a space'],
    ['UTF-16', 'a\0b\0c\0\r\0\n\0', 'it is in UTF-16; save it as UTF-8'],
  ] as const)('refuses %s and stores nothing', async ([, stdin, says], { petstore, folder }) => {
    const result = await petstore(['auth', 'login'], { env, stdin });

    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain(says);
    expect(result.stderr).not.toContain('abc');
    expect(existsSync(join(folder, 'config', 'keys'))).toBe(false);
  });
});

describe('config set', () => {
  test('keeps what others have set', async ({ petstore, folder }) => {
    await petstore(['config', 'set', 'base-url', url('a')]);
    await petstore(['config', 'set', 'base-url', url('b'), '-p', 'staging']);
    await petstore(['config', 'set', 'max-wait', '5m']);

    const file = join(folder, 'config', 'settings.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      profiles: {
        production: { 'base-url': url('a'), 'max-wait': '5m' },
        staging: { 'base-url': url('b') },
      },
    });
    expect(isPrivate(file)).toBe(true);
  });

  test.for([
    [['base-ulr', url('a')], 'invalid value for <setting>'],
    [['__proto__', 'x'], 'invalid value for <setting>'],
    [['base-url', 'http://pets.example'], 'http would send the API key unencrypted'],
    [['output', 'xml'], 'invalid output format "xml"'],
    [['max-wait', 'soon'], 'invalid duration "soon"'],
    [['plan', 'gold'], 'invalid plan "gold"'],
    [['plan', '0/min,5/day'], 'Must be free, pro, business or N/min,M/day.'],
    [['api-key-command', ' '], 'Must not be blank'],
    [['api-key-command', 'pass\nshow'], 'invalid api-key-command'],
    [['default-profile', 'a b'], 'invalid profile name "a b"'],
    [['default-profile', 'Prod'], 'invalid profile name "Prod"'],
  ] as const)('refuses %j', async ([argv, says], { petstore, folder }) => {
    const result = await petstore(['config', 'set', ...argv]);

    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain(says);
    expect(existsSync(join(folder, 'config', 'settings.json'))).toBe(false);
  });
});

describe('config set, for many', () => {
  const other = { pid: 77, host: 'elsewhere' };
  const saving = [
    { argv: ['config', 'set', 'output', 'json'], lock: 'settings.json.lock' },
    { argv: ['auth', 'login'], lock: 'keys.lock' },
  ];

  test.for(['constructor', 'prototype', 'con', 'nul', 'com1'])(
    'no profile may be called %s',
    async (profile, { petstore, folder }) => {
      const result = await petstore(['config', 'set', 'output', 'json', '-p', profile]);

      expect(result).toMatchObject({ exitCode: 2, stdout: '' });
      expect(result.stderr).toContain('invalid profile name');
      expect(result.stderr).toContain('This name is reserved; choose another one.');
      expect(existsSync(join(folder, 'config'))).toBe(false);
    },
  );

  test.for(['valueof', 'con2', '0', '1'])(
    'a profile may be called %s',
    async (profile, { petstore, sandbox }) => {
      await petstore(['config', 'set', 'base-url', url('own'), '-p', profile], { env: noEnv });

      await petstore([...list, '-p', profile], { env: { ...noEnv, PETSTORE_API_KEY: testKey } });

      expect(sandbox.requests.at(-1)?.url.host).toBe('own.example');
    },
  );

  test('all who save at once have saved', async ({ petstore, folder }) => {
    const names = Array.from({ length: 12 }, (_, n) => `p${n}`);

    await Promise.all(
      names.map((name) => petstore(['config', 'set', 'output', 'json', '-p', name])),
    );

    const { profiles } = JSON.parse(readFileSync(join(folder, 'config', 'settings.json'), 'utf8'));
    expect(Object.keys(profiles).sort()).toEqual(names.sort());
    expect(readdirSync(join(folder, 'config'))).toEqual(['settings.json', 'settings.json.lock']);
  });

  test('what another process saves while its lock is waited for stays', async ({
    petstore,
    folder,
    clock,
  }) => {
    await petstore(['config', 'set', 'max-wait', '5m']);
    const file = join(folder, 'config', 'settings.json');
    const world = { owner: other, isRunning: () => true, now: clock.now };
    const lock = await tryLock(world, `${file}.lock`);
    let waits = 0;
    const sleep: typeof clock.sleep = async (ms, signal) => {
      waits += 1;
      if (waits === 1 && lock.acquired) {
        writeFileSync(file, '{"default-profile":"staging"}');
        await lock.release();
      }
      return clock.sleep(ms, signal);
    };

    const { exitCode } = await petstore(['config', 'set', 'output', 'json', '-p', 'mine'], {
      context: { sleep },
    });

    expect([exitCode, waits > 0]).toEqual([0, true]);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      'default-profile': 'staging',
      profiles: { mine: { output: 'json' } },
    });
  });

  test('what a killed process held is taken over at once', async ({ petstore, folder, clock }) => {
    const before = clock.now();
    const isRunning = () => false;
    for (const { argv, lock } of saving) {
      await tryLock({ owner: other, isRunning, now: clock.now }, join(folder, 'config', lock));

      const result = await petstore(argv, { stdin: testKey, context: { isRunning } });

      expect(result).toMatchObject({ exitCode: 0 });
    }
    expect(clock.now()).toBe(before);
  });

  test.for(saving)(
    '$argv waits five seconds for a process that runs, and names it: exit 74',
    async ({ argv, lock }, { petstore, folder, clock }) => {
      const path = join(folder, 'config', lock);
      const isRunning = () => true;
      await tryLock({ owner: other, isRunning, now: clock.now }, path);
      const before = clock.now();

      const { exitCode, stderr } = await petstore(argv, { stdin: testKey });

      expect(exitCode).toBe(74);
      expect(stderr).toBe(
        `petstore: process 77 on elsewhere has locked ${path} since 2026-11-20T15:04:00Z\n` +
          'Nothing was changed.\n' +
          `Try again. If that process no longer exists (other machine or container): rm -r '${path}'\n`,
      );
      expect(clock.now() - before).toBeGreaterThanOrEqual(5_000);
      expect(clock.now() - before).toBeLessThanOrEqual(8_000);
      expect(readdirSync(join(folder, 'config'))).toEqual([lock]);
    },
  );

  test.skipIf(!existsSync('/proc/self'))(
    'a file system that takes no folders: exit 74',
    async ({ petstore }) => {
      const env = { PETSTORE_CONFIG_DIR: '/proc/petstore/config' };

      expect((await petstore(['config', 'set', 'output', 'json'], { env })).exitCode).toBe(74);
    },
  );

  test.for([
    ['config set', ['config', 'set', 'output', 'json']],
    ['auth login', ['auth', 'login']],
  ] as const)('%s where no folder can be: exit 74', async ([, argv], { petstore, folder }) => {
    writeFileSync(join(folder, 'file'), '');
    const env = { PETSTORE_CONFIG_DIR: join(folder, 'file', 'config') };

    const result = await petstore(argv, { env, stdin: testKey });

    expect(result.exitCode).toBe(74);
    expect(result.stderr).toMatch(/^petstore: cannot save .* \(E[A-Z]+\)\n/);
  });

  test('a settings file with a byte order mark is read and kept', async ({ petstore, folder }) => {
    mkdirSync(join(folder, 'config'));
    writeFileSync(join(folder, 'config', 'settings.json'), '\ufeff{"default-profile":"staging"}');

    expect((await petstore(['config', 'set', 'output', 'json'])).exitCode).toBe(0);
    expect(readFileSync(join(folder, 'config', 'settings.json'), 'utf8')).toContain('"staging"');
  });
});

describe('a settings file that is wrong', () => {
  test.for([
    ['cut short', '{\n  "profiles": {', ':2:16): '],
    ['empty', '', ':1:1): unexpected end of input'],
    ['of another shape', '[]', '): must be an object, not an array'],
    [
      'with a misspelt name',
      '{"profiles":\n {"production":{"base_url":"x"}}}',
      '): profiles: production: unknown field "base_url"',
    ],
    [
      'with a wrong type',
      '{"profiles":{\r\n  "production":{\r\n    "output":1}}}',
      '): profiles: production: output must be a string, not a number',
    ],
  ] as const)('%s is named and never replaced', async ([, text, says], { petstore, folder }) => {
    const file = join(folder, 'config', 'settings.json');
    mkdirSync(join(folder, 'config'));
    writeFileSync(file, text);

    for (const argv of [list, ['config', 'set', 'output', 'json']]) {
      const result = await petstore(argv);
      expect(result).toMatchObject({ exitCode: 2, stdout: '' });
      expect(result.stderr).toContain(file);
      expect(result.stderr).toContain(says);
    }
    expect(readFileSync(file, 'utf8')).toBe(text);
  });
});

test.for([
  ['http://pets.example/v1', 'Must start with https://'],
  ['https://me:open-sesame@pets.example/v1', 'Must not contain a user name or password'],
  ['https://pets.example/v1?a=1', 'Must not have a query'],
  ['pets.example', 'Must start with https://'],
] as const)(
  'a base URL written into the settings file is checked as any other: %s',
  async ([baseUrl, says], { petstore, sandbox, folder }) => {
    const file = join(folder, 'config', 'settings.json');
    mkdirSync(join(folder, 'config'));
    writeFileSync(file, JSON.stringify({ profiles: { production: { 'base-url': baseUrl } } }));
    const env = { ...noEnv, PETSTORE_API_KEY: testKey };

    for (const argv of [list, ['auth', 'status', '--check'], ['limits', '--refresh']]) {
      const { exitCode, stderr } = await petstore(argv, { env });
      expect(exitCode).toBe(2);
      expect(stderr).toContain(says);
      expect(stderr).toContain(file);
      expect(stderr).not.toContain('sesame');
    }
    expect(sandbox.requests).toHaveLength(0);
  },
);

describe('a settings file that is no file of settings', () => {
  const write = (text: string | Uint8Array) => (file: string) => writeFileSync(file, text);
  test.for([
    [
      'a pipe',
      (file: string): void => void execFileSync('mkfifo', [file]),
      'is not a regular file',
    ],
    ['a folder', (file: string): void => void mkdirSync(file), 'is not a regular file'],
    [
      'a link to a device',
      (file: string): void => void symlinkSync('/dev/null', file),
      'is not a regular file',
    ],
    ['a link to itself', (file: string): void => void symlinkSync(file, file), '(ELOOP)'],
    ['NUL bytes', write('{"profiles":\n\0\0'), ':2:1): '],
    ['not UTF-8', write(Buffer.from([0x7b, 0xff, 0x7d])), 'not valid UTF-8'],
    ['UTF-16', write(Buffer.from('\ufeff{}', 'utf16le')), 'not valid UTF-8'],
    ['of a newer version', write('{"version":9}'), 'unknown field "version"'],
    ['a prototype', write('{"__proto__":{}}'), 'unknown field "__proto__"'],
    ['a constructor', write('{"constructor":{}}'), 'unknown field "constructor"'],
    [
      'the prototype of a profile',
      write('{"profiles":{"a":{"__proto__":{"output":"json"}}}}'),
      '): profiles: a: unknown field "__proto__"',
    ],
    ['a name twice', write('{"profiles":{},\n"profiles":{}}'), ':2:'],
  ] as const)(
    '%s is refused and left as it is',
    async ([, make, says], { petstore, sandbox, folder }) => {
      const file = join(folder, 'config', 'settings.json');
      mkdirSync(join(folder, 'config'));
      make(file);
      const before = lstatSync(file);

      for (const argv of [list, ['config', 'set', 'output', 'json']]) {
        const result = await petstore(argv);
        expect(result).toMatchObject({ exitCode: 2, stdout: '' });
        expect(result.stderr).toContain(file);
        expect(result.stderr).toContain(says);
      }
      const { ino, size, mtimeMs, mode } = lstatSync(file);
      expect({ ino, size, mtimeMs, mode }).toEqual({
        ino: before.ino,
        size: before.size,
        mtimeMs: before.mtimeMs,
        mode: before.mode,
      });
      expect(readdirSync(join(folder, 'config'))).toEqual(['settings.json']);
      expect(sandbox.requests).toHaveLength(0);
    },
  );

  test('a byte order mark before it changes nothing', async ({ petstore, folder }) => {
    mkdirSync(join(folder, 'config'));
    const text = '\ufeff{"profiles":{"production":{"output":"json"}}}';
    writeFileSync(join(folder, 'config', 'settings.json'), text);

    expect((await petstore(list)).stdout).toBe('[]\n');
  });
});

describe('without a usable home folder', () => {
  test.for([
    ['empty', '', {}],
    ['relative', 'relative/home', {}],
    [
      'passed over for XDG folders that are relative',
      '/nowhere',
      { XDG_CONFIG_HOME: 'relative/config', XDG_STATE_HOME: './relative/state' },
    ],
  ] as const)(
    'that is %s nothing is stored, and the key of the environment still works',
    async ([, home, more], { petstore, sandbox, folder }) => {
      const env = { PETSTORE_CONFIG_DIR: undefined, PETSTORE_STATE_DIR: undefined, ...more };
      const options = { env, context: { home }, stdin: testKey };
      const rows = join(folder, 'rows.csv');
      writeFileSync(rows, 'name\ndog\n');

      expect((await petstore(list, options)).exitCode).toBe(0);
      for (const argv of [
        ['config', 'set', 'output', 'json'],
        ['auth', 'login'],
        ['categories', 'import', rows, '--yes'],
      ]) {
        const { exitCode, stderr } = await petstore(argv, options);
        expect(exitCode).toBe(2);
        expect(stderr).toContain('cannot store anything: HOME');
      }
      expect(existsSync('relative')).toBe(false);
      expect(sandbox.requests.every(({ method }) => method === 'GET')).toBe(true);
    },
  );

  test.for(['PETSTORE_CONFIG_DIR', 'PETSTORE_STATE_DIR'])(
    'a relative %s is refused',
    async (variable, { petstore, sandbox }) => {
      const result = await petstore(list, { env: { [variable]: 'relative' } });

      expect(result.exitCode).toBe(2);
      expect(result.stderr).toContain(`${variable} must be an absolute path, not "relative"`);
      expect(existsSync('relative')).toBe(false);
      expect(sandbox.requests).toHaveLength(0);
    },
  );
});
