import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { expect, launcher, test } from '../support/program.ts';
import { filesBelow, formsOf } from '../support/promises.ts';
import { http, type RawService, type React, say, startRaw, whole } from '../support/raw.ts';

/** A key of characters that each encoding writes in its own way. */
const canary = 'ky+7Canary/%41"<b>=\\Zq9~f';
let server: RawService;
let elsewhere: RawService;
beforeAll(async () => {
  [server, elsewhere] = [await startRaw(), await startRaw()];
});
afterAll(() => {
  server.close();
  elsewhere.close();
});

const echo = JSON.stringify({ code: canary, message: `Bearer ${canary}` });
const well = say(whole);
const redirect: React = (socket, seen) => {
  const location = `${elsewhere.url}/?key=${encodeURIComponent(canary)}`;
  say(http(307, echo, { location }))(socket, seen);
};

/** Variables that make Node or a library say more. */
const debugSwitches = {
  NODE_DEBUG: '*',
  DEBUG: '*',
  NODE_DEBUG_NATIVE: 'HTTP2SESSION,CRYPTO,TLS,ASYNC_WRAP',
  NODE_OPTIONS: '--trace-warnings --trace-uncaught --trace-exit',
};

/** Where a program may write: everything below is looked through afterwards. */
function prepare(folder: string): Record<string, string> {
  mkdirSync(join(folder, 'tmp'));
  return { TMPDIR: join(folder, 'tmp') };
}

const holdsKey = (text: string) => formsOf(canary).some((form) => text.includes(form));
const filesWithKey = (folder: string) =>
  filesBelow(folder).filter((path) => holdsKey(readFileSync(path, 'latin1')));

describe.concurrent('the key is in no output and no file, and goes to its service alone:', () => {
  test.for<[command: string, response: string, react: React, env?: object]>([
    ['categories create rabbit --json', 'a redirect elsewhere', redirect],
    ['doctor --check', 'a failure with the key', say(http(500, echo))],
    ['categories create toad', 'a good response to who debugs', well, debugSwitches],
  ])('%s, %s', async ([words, , react, more], { petstore, start, folder }) => {
    const { url, seen } = server.at(react, { commits: true });
    const env = { ...prepare(folder), PETSTORE_BASE_URL: url, PETSTORE_API_KEY: canary, ...more };

    const argv = [...words.split(' '), '-v', '--max-wait', '0'];
    // Who debugs gets more lines than those of petstore.
    const run = more ? start(argv, { env }).ended : petstore(argv, { env });
    const { stdout, stderr } = await run;

    expect(holdsKey(stdout + stderr), stdout + stderr).toBe(false);
    expect(stderr).not.toBe('');
    expect(filesWithKey(folder)).toEqual([]);
    for (const { head } of seen) expect(head).toContain(`authorization: Bearer ${canary}`);
    expect(elsewhere.connections()).toBe(0);
  });

  test('a stored key is in its one file, and goes to no other origin', async ({
    petstore,
    folder,
  }) => {
    const env = prepare(folder);
    const { url, seen } = server.at(well);
    const login = await petstore(['auth', 'login', '--verbose', '--base-url', url], {
      env,
      stdin: `${canary}\n`,
    });
    const list = await petstore(['categories', 'list', '-v', '--base-url', url], { env });
    const other = await petstore(['categories', 'list', '-v', '--base-url', elsewhere.url], {
      env,
    });

    expect([login.code, list.code, other.code]).toEqual([0, 0, 2]);
    for (const { stdout, stderr } of [login, list, other]) {
      expect(holdsKey(stdout + stderr)).toBe(false);
    }
    expect(filesWithKey(folder)).toEqual([
      join(folder, '.config', 'petstore', 'keys', 'production.json'),
    ]);
    // Those of the login and of the list.
    expect(seen).toHaveLength(2);
    expect(elsewhere.connections()).toBe(0);
  });

  test('no program that a sandbox runs is given the key', async ({ petstore, folder }) => {
    const env = { ...prepare(folder), PETSTORE_API_KEY: canary };
    const script = 'env; for p in $$ $PPID; do tr "\\0" " " < /proc/$p/cmdline; done';

    const { stdout, stderr } = await petstore(['sandbox', '--', 'sh', '-c', script], { env });

    expect(stdout).toContain('PETSTORE_API_KEY=sandbox-');
    expect(holdsKey(stdout + stderr)).toBe(false);
    expect(filesWithKey(folder)).toEqual([]);
  });
});

test('every system call writes the key to the socket of its service or to its file (needs strace)', {
  tags: ['strace'],
}, async ({ execute, folder }) => {
  const key = 'plain-canary-0123456789';
  const env = prepare(folder);
  const { url } = server.at(well);
  const program = [process.execPath, launcher];
  const options = ['-f', '-yy', '-s', '65536', '-o', join(folder, 'trace')];
  const calls = 'trace=write,writev,pwrite64,pwritev,sendto,sendmsg,execve';
  const run = async (argv: string[], stdin = '') => {
    const words = [...options, '-e', calls, ...program, ...argv, '--base-url', url];
    const { code } = await execute('strace', words, { env, stdin });
    const lines = readFileSync(join(folder, 'trace'), 'utf8').split('\n');
    return { code, told: lines.filter((line) => line.includes(key)) };
  };

  const login = await run(['auth', 'login'], key);
  const list = await run(['categories', 'list', '-v']);

  expect([login.code, list.code]).toEqual([0, 0]);
  const toService = `->127.0.0.1:${new URL(url).port}]>`;
  expect(login.told).toHaveLength(2);
  expect(login.told[0]).toContain(toService);
  expect(login.told[1]).toMatch(/write\(\d+<[^>]*\/keys\//);
  expect(list.told).toHaveLength(1);
  expect(list.told[0]).toContain(toService);
});
