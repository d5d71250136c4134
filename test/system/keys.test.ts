import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe } from 'vitest';
import { isRunning, ownerOf } from '../../src/disk/owner.ts';
import { json } from '../hostile/answers.ts';
import { filesBelow } from '../hostile/invariants.ts';
import { type HostileServer, type Reaction, startHostileServer } from '../hostile/server.ts';
import { cleanEnvironment, expect, launcher, test } from '../support/program.ts';

const key = 'plain-canary-0123456789';
/** Prints the key, without the key in it. */
const printsKey = 'echo cynva-pnanel-0123456789 | tr a-z n-za-m';
const well: Reaction = (socket, { status, good }) => socket.write(json(status, good));

let server: HostileServer;
beforeAll(async () => {
  server = await startHostileServer();
});
afterAll(() => server.close());

test('a key that a program prints goes to its service, and to no file and no output', async ({
  petstore,
  folder,
}) => {
  const { url, seen } = server.play(well);
  await petstore(['config', 'set', 'base-url', url]);
  await petstore(['config', 'set', 'api-key-command', `${printsKey}; ${printsKey} >&2`]);

  const { code, stdout, stderr } = await petstore(['categories', 'list', '--verbose']);

  expect(code).toBe(0);
  expect(seen[0]?.head).toContain(`authorization: Bearer ${key}`);
  expect(stdout + stderr).not.toContain(key);
  for (const path of filesBelow(folder)) expect(readFileSync(path, 'latin1')).not.toContain(key);
});

test('what a program says on stderr is shown on a terminal alone, also where it fails', async ({
  petstore,
}) => {
  await petstore(['config', 'set', 'base-url', server.play(well).url]);
  await petstore(['config', 'set', 'api-key-command', 'echo half-a-secret >&2; exit 3']);

  const { code, stderr } = await petstore(['categories', 'list', '--verbose']);

  expect(code).toBe(4);
  expect(stderr).toContain('failed with exit code 3');
  expect(stderr).not.toContain('half-a-secret');
});

test('a program that prints no end of it is ended', async ({ petstore }) => {
  await petstore(['config', 'set', 'base-url', server.play(well).url]);
  await petstore(['config', 'set', 'api-key-command', 'yes']);

  const { code, stderr } = await petstore(['categories', 'list']);

  expect(code).toBe(4);
  expect(stderr).toContain('printed too much for an API key');
});

test('who ends petstore ends the program, and what it started', async ({ petstore, folder }) => {
  const pid = join(folder, 'pid');
  await petstore(['config', 'set', 'base-url', server.play(well).url]);
  await petstore(['config', 'set', 'api-key-command', `(sleep 300 & echo $! > '${pid}'; wait)`]);

  const child = spawn(process.execPath, [launcher, 'categories', 'list'], {
    env: cleanEnvironment(folder),
    stdio: 'ignore',
  });
  while (!existsSync(pid) || readFileSync(pid, 'utf8') === '') await pause(10);
  const sleeper = ownerOf(Number(readFileSync(pid, 'utf8')));
  child.kill('SIGTERM');
  const code = await new Promise((resolve) => child.once('close', resolve));

  expect(code).toBe(143);
  // Ends by the time limit of the test if it is never ended.
  while (isRunning(sleeper, process.kill)) await pause(10);
});

describe('a key from a pipe', () => {
  test.for([
    {
      what: 'a process substitution',
      line: (run: string) => `${run} --api-key-file <(printf ${key})`,
    },
    {
      what: 'one that is slow',
      line: (run: string) => `${run} --api-key-file <(sleep 0.2; printf ${key})`,
    },
    {
      what: '/dev/stdin',
      line: (run: string) => `printf ${key} | ${run} --api-key-file /dev/stdin`,
    },
    {
      what: 'a file as /dev/stdin',
      line: (run: string) => `printf ${key} > k; ${run} --api-key-file /dev/stdin < k`,
    },
  ])('is read from $what', async ({ line }, { execute, folder }) => {
    const { url, seen } = server.play(well);
    const run = `'${process.execPath}' '${launcher}' categories list --base-url ${url}`;

    const { code, stderr } = await execute('bash', ['-c', line(run)], {
      env: cleanEnvironment(folder),
      cwd: folder,
    });

    expect([code, stderr]).toEqual([0, '']);
    expect(seen[0]?.head).toContain(`authorization: Bearer ${key}`);
  });
});

describe('on a terminal (needs script)', { tags: ['script'] }, () => {
  test('login shows nothing of what is typed', async ({ petstore, folder }) => {
    const { url, seen } = server.play(well);
    await petstore(['config', 'set', 'base-url', url]);

    const login = await onTerminal(folder, 'auth login', { 'API key for': `${key}\r` });
    const { code } = await petstore(['categories', 'list']);

    expect([login.code, code]).toEqual([0, 0]);
    expect(login.screen).toContain('Key accepted');
    expect(login.screen).toContain('stored the API key of profile production in');
    expect(login.screen).not.toContain(key);
    expect(seen[0]?.head).toContain(`authorization: Bearer ${key}`);
  });

  test('the program may ask there, also where the result is JSON', async ({ petstore, folder }) => {
    const { url, seen } = server.play(well);
    const asks = `printf 'PIN? ' >&2; read pin; test "$pin" = 1234 && ${printsKey}`;
    await petstore(['config', 'set', 'base-url', url]);
    await petstore(['config', 'set', 'api-key-command', asks]);

    const right = await onTerminal(folder, 'categories list --json', { 'PIN?': '1234\r' });
    const wrong = await onTerminal(folder, 'categories list --json', { 'PIN?': '1\r' });

    expect([right.code, wrong.code]).toEqual([0, 4]);
    expect(seen).toHaveLength(1);
    expect(seen[0]?.head).toContain(`authorization: Bearer ${key}`);
  });
});

/** Runs petstore on a terminal; what is asked for is typed once the question stands there. */
async function onTerminal(home: string, words: string, answers: Readonly<Record<string, string>>) {
  const command = `'${process.execPath}' '${launcher}' ${words}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], { env: cleanEnvironment(home) });
  const open = new Map(Object.entries(answers));
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    screen += text;
    for (const [question, answer] of open) {
      if (!screen.includes(question)) continue;
      open.delete(question);
      child.stdin.write(answer);
    }
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, screen };
}
