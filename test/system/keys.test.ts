import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, isAlive, launcher, saveProfile, test, until } from '../support/program.ts';
import { filesBelow } from '../support/promises.ts';
import type { Service } from '../support/service.ts';

const list = ['categories', 'list'];
/** Prints the key of the service, without the key in it. */
const printKey = 'echo freivpr-xrl-0123456789 | tr a-z n-za-m';
const keysAt = ({ requests }: Service) =>
  requests.map(({ headers }) => headers.authorization?.replace('Bearer ', ''));

describe.concurrent('the program that prints a key', () => {
  test('gives it to its service, and to no file and no output', async ({
    serve,
    petstore,
    folder,
  }) => {
    const service = await serve();
    const command = `${printKey}; ${printKey} >&2`;
    saveProfile(folder, { 'base-url': service.url, 'api-key-command': command });

    const { code, stdout, stderr } = await petstore([...list, '--verbose']);

    expect(code).toBe(0);
    expect(keysAt(service)).toEqual([service.key]);
    const texts = filesBelow(folder).map((path) => readFileSync(path, 'latin1'));
    for (const text of [stdout, stderr, ...texts]) expect(text).not.toContain(service.key);
  });

  test.for([
    ['fails', 'echo half-a-secret >&2; exit 3', 'failed with exit code 3'],
    ['prints no end of it', 'yes', 'printed too much for an API key'],
  ] as const)(
    'and %s: exit 4, and nothing of what it says is shown',
    async (row, { petstore, folder }) => {
      const [, command, says] = row;
      saveProfile(folder, { 'base-url': 'http://127.0.0.1:9/v1', 'api-key-command': command });

      const { code, stderr } = await petstore([...list, '--verbose']);

      expect(code, stderr).toBe(4);
      expect(stderr).toContain(says);
      expect(stderr).not.toContain('half-a-secret');
    },
  );

  test('is ended with petstore, and what it started too', async ({ start, folder }) => {
    const file = join(folder, 'pid');
    const command = `(sleep 300 & echo $! > '${file}'; wait)`;
    saveProfile(folder, { 'base-url': 'http://127.0.0.1:9/v1', 'api-key-command': command });

    const { child, ended } = start(list);
    await until(() => filesBelow(folder).includes(file) && readFileSync(file, 'utf8') !== '');
    child.kill('SIGTERM');

    expect(await ended).toEqual({ code: 143, stdout: '', stderr: 'petstore: terminated\n' });
    const sleeper = Number(readFileSync(file, 'utf8'));
    await until(() => !isAlive(sleeper));
  });
});

describe.concurrent('a key from a pipe', () => {
  test.for([
    ['a process substitution that is slow', 'RUN --api-key-file <(sleep 0.2; printf KEY)'],
    ['/dev/stdin', 'printf KEY | RUN --api-key-file /dev/stdin'],
    ['a file as /dev/stdin', 'printf KEY > k; RUN --api-key-file /dev/stdin < k'],
  ] as const)('is read from %s', async ([, line], { serve, execute }) => {
    const service = await serve();
    const run = `'${process.execPath}' '${launcher}' categories list -q --base-url ${service.url}`;
    const script = line.replace('RUN', run).replace('KEY', service.key);

    const { code, stderr } = await execute('bash', ['-c', script]);

    expect([code, stderr]).toEqual([0, '']);
    expect(keysAt(service)).toEqual([service.key]);
  });

  test('that never ends keeps no process beyond Ctrl-C', async ({
    start,
    folder,
    onTestFinished,
  }) => {
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
    const base = ['--base-url', 'http://127.0.0.1:9/v1'];

    const { child, ended } = start([...list, '--api-key-file', path, ...base]);
    // It opens as soon as petstore reads from it.
    const writer = await open(path, 'w');
    onTestFinished(() => writer.close());
    child.kill('SIGINT');

    expect((await ended).code).toBe(130);
  });
});

describe.concurrent('on a terminal (needs script)', { tags: ['script'] }, () => {
  const onTerminal = (words: string) => [
    '-qec',
    `'${process.execPath}' '${launcher}' ${words}`,
    '/dev/null',
  ];

  test('login shows nothing of what is typed', async ({ serve, spawn, petstore }) => {
    const service = await serve();
    const env = { PETSTORE_BASE_URL: service.url };

    const { child, shows, ended } = spawn('script', onTerminal('auth login'), { env, stdin: null });
    await shows('API key for');
    child.stdin.write(`${service.key}\r`);
    const login = await ended;
    const { code } = await petstore(list, { env });

    expect([login.code, code]).toEqual([0, 0]);
    expect(login.stdout).toContain('the service accepted the key');
    expect(login.stdout).toContain('stored the API key of profile production in');
    expect(login.stdout).not.toContain(service.key);
    expect(keysAt(service)).toEqual([service.key, service.key]);
  });

  test('the program that prints the key may ask there, also where the result is JSON', async ({
    serve,
    spawn,
    folder,
  }) => {
    const service = await serve();
    const command = `printf 'PIN? ' >&2; read pin; test "$pin" = 1234 && ${printKey}`;
    saveProfile(folder, { 'base-url': service.url, 'api-key-command': command });
    const answer = async (pin: string) => {
      const argv = onTerminal('categories list --json');
      const { child, shows, ended } = spawn('script', argv, { stdin: null });
      await shows('PIN?');
      child.stdin.write(`${pin}\r`);
      return (await ended).code;
    };

    expect([await answer('1234'), await answer('1')]).toEqual([0, 4]);
    expect(keysAt(service)).toEqual([service.key]);
  });
});

test('of several that save at the same moment none fails, and the file is whole', async ({
  petstore,
  folder,
  serve,
}) => {
  const service = await serve();
  const config = join(folder, 'config');
  const env = { ...service.env, PETSTORE_CONFIG_DIR: config };
  const saves = [0, 1, 2, 3, 4, 5].flatMap((n) => [
    petstore(['config', 'set', 'output', 'json', '-p', `p${n}`], { env }),
    petstore('auth login -q', { env, stdin: service.key }),
  ]);

  for (const { code, stderr } of await Promise.all(saves)) expect(code, stderr).toBe(0);

  const { profiles } = JSON.parse(readFileSync(join(config, 'settings.json'), 'utf8'));
  expect(Object.keys(profiles).join()).toMatch(/p\d/);
  expect(readFileSync(join(config, 'keys/production.json'), 'utf8')).toContain(service.key);
  expect(filesBelow(config)).toHaveLength(2);
});
