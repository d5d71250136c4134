import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { expect, launcher, test } from '../support/program.ts';
import { filesBelow, formsOf } from '../support/promises.ts';
import { type RawService, say, startRaw, whole } from '../support/raw.ts';

/** A key of characters that each encoding writes in its own way. */
const canary = 'ky+7Canary/%41"<b>=\\Zq9~f';
let server: RawService;
beforeAll(async () => {
  server = await startRaw();
});
afterAll(() => server.close());

/** Variables that make Node or a library say more. */
const debugSwitches = {
  NODE_DEBUG: '*',
  DEBUG: '*',
  NODE_DEBUG_NATIVE: 'HTTP2SESSION,CRYPTO,TLS,ASYNC_WRAP',
  NODE_OPTIONS: '--trace-warnings --trace-uncaught --trace-exit',
};

test('a stored key is in no output and in its one file, also for who debugs Node', async ({
  start,
  folder,
}) => {
  const { url, seen } = server.at(say(whole));
  const env = { ...debugSwitches, PETSTORE_BASE_URL: url };

  const login = await start('auth login -v', { env, stdin: canary }).ended;
  const list = await start('categories list -v', { env }).ended;

  expect([login.code, list.code, seen.length]).toEqual([0, 0, 2]);
  for (const { stdout, stderr } of [login, list]) expect(holdsKey(stdout + stderr)).toBe(false);
  const file = join(folder, '.config', 'petstore', 'keys', 'production.json');
  const files = filesBelow(folder).filter((path) => holdsKey(readFileSync(path, 'latin1')));
  expect(files).toEqual([file]);
});

test('every system call writes the key to the socket of its service or to its file (needs strace)', {
  tags: ['strace'],
}, async ({ execute, folder }) => {
  const key = 'plain-canary-0123456789';
  const { url } = server.at(say(whole));
  const calls = 'trace=write,writev,pwrite64,pwritev,sendto,sendmsg,execve';
  const options = ['-f', '-yy', '-s', '65536', '-o', join(folder, 'trace'), '-e', calls];
  const run = async (...argv: readonly string[]) => {
    const words = [...options, process.execPath, launcher, ...argv, '--base-url', url];
    const { code } = await execute('strace', words, { stdin: key });
    const lines = readFileSync(join(folder, 'trace'), 'utf8').split('\n');
    return [code, ...lines.filter((line) => line.includes(key))];
  };
  const toService = expect.stringContaining(`->127.0.0.1:${new URL(url).port}]>`);
  const toFile = expect.stringMatching(/write\(\d+<[^>]*\/keys\//);

  expect(await run('auth', 'login')).toEqual([0, toService, toFile]);
  expect(await run('categories', 'list', '-v')).toEqual([0, toService]);
});

function holdsKey(text: string): boolean {
  return formsOf(canary).some((form) => text.includes(form));
}
