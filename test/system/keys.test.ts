import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, isAlive, launcher, saveProfile, test, until } from '../support/program.ts';
import { filesBelow } from '../support/promises.ts';
import type { Service } from '../support/service.ts';

const run = `'${process.execPath}' '${launcher}'`;
const list = 'categories list';
const nowhere = 'http://127.0.0.1:9/v1';
/** Prints the key of the service, without the key in it. */
const printKey = 'echo freivpr-xrl-0123456789 | tr a-z n-za-m';

describe.concurrent('the program that prints a key', () => {
  test('gives it to its service, and to no file and no output', async ({
    serve,
    petstore,
    folder,
  }) => {
    const service = await serve();
    const command = `${printKey}; ${printKey} >&2`;
    saveProfile(folder, { 'base-url': service.url, 'api-key-command': command });

    // Node would print the bytes that arrive from a program.
    const env = { NODE_DEBUG: 'stream' };
    const { code, stdout, stderr } = await petstore(`${list} --verbose`, { env });

    expect(code).toBe(0);
    expect(stderr).not.toContain('STREAM');
    expect(keysAt(service)).toEqual([service.key]);
    const texts = filesBelow(folder).map((path) => readFileSync(path, 'latin1'));
    for (const text of [stdout, stderr, ...texts]) expect(text).not.toContain(service.key);
  });

  test('is ended where it prints without end', async ({ petstore, folder }) => {
    saveProfile(folder, { 'base-url': nowhere, 'api-key-command': 'yes' });

    const { code, stderr } = await petstore(list);

    expect([code, stderr]).toEqual([4, expect.stringContaining('printed too much')]);
  });

  test('is ended with petstore, and what it started too', async ({ start, folder }) => {
    const file = join(folder, 'pid');
    const command = `(sleep 300 & echo $! > '${file}'; wait)`;
    saveProfile(folder, { 'base-url': nowhere, 'api-key-command': command });

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
    ['a file as /dev/stdin', 'printf KEY > k; RUN --api-key-file /dev/stdin < k'],
  ] as const)('is read from %s', async ([, line], { serve, execute }) => {
    const service = await serve();
    const listing = `${run} ${list} -q --base-url ${service.url}`;
    const script = line.replace('RUN', listing).replace('KEY', service.key);

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

    const { child, ended } = start(`${list} --api-key-file ${path} --base-url ${nowhere}`);
    // It opens as soon as petstore reads from it.
    const writer = await open(path, 'w');
    onTestFinished(() => writer.close());
    child.kill('SIGINT');

    expect((await ended).code).toBe(130);
  });
});

test('the program that prints a key may ask on a terminal, also where the result is JSON', {
  tags: ['script'],
}, async ({ serve, spawn, folder }) => {
  const service = await serve();
  const command = `printf 'PIN? ' >&2; read pin; test "$pin" = 1234 && ${printKey}`;
  saveProfile(folder, { 'base-url': service.url, 'api-key-command': command });

  const argv = ['-qec', `${run} ${list} --json`, '/dev/null'];
  const { child, shows, ended } = spawn('script', argv, { stdin: null });
  await shows('PIN?');
  child.stdin.write('1234\r');

  expect((await ended).code).toBe(0);
  expect(keysAt(service)).toEqual([service.key]);
});

test.for(['no lock', 'the lock of a killed one'])(
  'of several that save at the same moment each is in the file, or says that it is not: %s',
  async (found, { petstore, folder, serve }) => {
    const { env, key } = await serve();
    const config = join(folder, '.config', 'petstore');
    const lock = join(config, 'settings.json.lock');
    mkdirSync(config, { recursive: true, mode: 0o700 });
    if (found !== 'no lock') writeFileSync(lock, '');
    if (found !== 'no lock') utimesSync(lock, 1, 1);
    const names = Array.from({ length: 10 }, (_, index) => `p${index}`);
    const saves = [
      ...names.map((name) => petstore(`config set output json -p ${name}`, { env })),
      ...['one', 'other'].map((name) => petstore(`auth login -p ${name}`, { env, stdin: key })),
    ];

    const ended = await Promise.all(saves);

    const { profiles } = JSON.parse(readFileSync(join(config, 'settings.json'), 'utf8'));
    for (const [index, name] of [...names, 'one', 'other'].entries()) {
      const { code } = ended[index] ?? {};
      expect(code, `exit code of ${name}`).toBe(name in profiles ? 0 : 74);
    }
    for (const name of ['one', 'other']) {
      expect(readFileSync(join(config, 'keys', `${name}.json`), 'utf8')).toContain(key);
    }
    expect(filesBelow(config)).toHaveLength(3);
  },
);

function keysAt({ requests }: Service) {
  return requests.map(({ headers }) => headers.authorization?.replace('Bearer ', ''));
}
