import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { json, status } from '../hostile/answers.ts';
import { canary, filesBelow, holdsKey } from '../hostile/invariants.ts';
import { type HostilePair, type Reaction, startHostilePair } from '../hostile/server.ts';
import { expect, launcher, test } from '../support/program.ts';

let pair: HostilePair;
beforeAll(async () => {
  pair = await startHostilePair();
});
afterAll(() => pair.close());

const echo = JSON.stringify({ code: canary, message: `Bearer ${canary}` });
const well: Reaction = (socket, { status, good }) => socket.write(json(status, good));
const limited = status(429, echo, { 'retry-after': '900' });
const failure = status(500, echo);
const redirect: Reaction = (socket, seen) => {
  const location = `${seen.elsewhere}/?key=${encodeURIComponent(canary)}`;
  status(307, echo, { location })(socket, seen);
};
const broken: Reaction = (socket) => socket.end(`HTTP/1.1 200 ${canary}\r\nbroken`);

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
  writeFileSync(join(folder, 'rows.ndjson'), '{"name":"parrot"}\n{"name":"ferret"}\n');
  return { TMPDIR: join(folder, 'tmp') };
}

const filesWithKey = (folder: string) =>
  filesBelow(folder).filter((path) => holdsKey(readFileSync(path, 'latin1')));

describe.concurrent('the key is in no output and no file, and goes to its service alone:', () => {
  // Real processes. In memory, output/secrets and the fault table of hostile look for the key in all commands and responses.
  test.for<[command: string, response: string, reaction: Reaction, env?: object]>([
    ['categories create rabbit --json', 'a redirect elsewhere', redirect],
    ['categories import rows.ndjson --yes --settle 1s', 'a broken response', broken],
    ['limits --refresh', 'a limit with the key', limited],
    ['doctor --check', 'a failure with the key', failure],
    ['categories create toad', 'a good response to who debugs', well, debugSwitches],
  ])('%s, %s', async ([words, , reaction, more], { petstore, folder }) => {
    const { url, seen } = pair.server.serveAt(reaction, { commits: true });
    const env = { ...prepare(folder), PETSTORE_BASE_URL: url, PETSTORE_API_KEY: canary, ...more };
    const argv = [...words.split(' '), '--verbose', '--max-wait', '0'];

    const { stdout, stderr } = await petstore(argv, { env });

    expect(holdsKey(stdout), stdout).toBe(false);
    expect(holdsKey(stderr), stderr).toBe(false);
    expect(stderr).not.toBe('');
    expect(filesWithKey(folder)).toEqual([]);
    for (const { head } of seen) expect(head).toContain(`authorization: Bearer ${canary}`);
    expect(pair.elsewhere.connections()).toBe(0);
  });

  test('a stored key is in its one file, and goes to no other origin', async ({
    petstore,
    folder,
  }) => {
    const env = prepare(folder);
    const { url, seen } = pair.server.serveAt(well);
    const login = await petstore(['auth', 'login', '--verbose', '--base-url', url], {
      env,
      stdin: `${canary}\n`,
    });
    const list = await petstore(['categories', 'list', '-v', '--base-url', url], { env });
    const other = await petstore(['categories', 'list', '-v', '--base-url', pair.elsewhere.url], {
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
    expect(pair.elsewhere.connections()).toBe(0);
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
  const { url } = pair.server.serveAt(well);
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
