import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe } from 'vitest';
import { expect, launcher, test } from '../support/program.ts';
import type { ServiceOptions } from '../support/service.ts';

const petstore = `'${process.execPath}' '${launcher}'`;

/** Options of a service that lists so many categories. */
const listing = (count: number): ServiceOptions => {
  const rows = Array.from({ length: count }, (_, id) => ({ id, name: `category number ${id}` }));
  return { react: () => ({ status: 200, body: JSON.stringify(rows) }) };
};

describe('standard output', () => {
  test('a reader that goes away ends the command quietly with 141', async ({ execute, serve }) => {
    const { env } = await serve(listing(20_000));
    const script = `{ ${petstore} categories list -q -o ndjson; echo $? >&2; } | head -n 1`;

    expect(await execute('sh', ['-c', script], { env })).toEqual({
      code: 0,
      stdout: '{"id":0,"name":"category number 0"}\n',
      stderr: '141\n',
    });
  });

  test('a reader that goes away before a create is printed: 141, and what was created is said', async ({
    execute,
  }) => {
    const command = `${petstore} categories create rabbit -q -p sandbox`;
    // Its one reader closes the pipe before anything is written.
    const script = `mkfifo pipe; exec 3<>pipe 4>pipe 3<&-; ${command} >&4; echo $? >&2`;

    const { stderr } = await execute('sh', ['-c', script]);

    expect(stderr).toMatch(
      /^petstore: created "rabbit" with id \d+; the result could not be printed\n141\n$/,
    );
  });

  test.for(['--help', '--version'])(
    'a reader that went away before %s ends it quietly with 141',
    async (words, { execute }) => {
      const script = `mkfifo pipe; exec 3<>pipe 4>pipe 3<&-; ${petstore} ${words} >&4`;

      expect(await execute('sh', ['-c', script])).toEqual({ code: 141, stdout: '', stderr: '' });
    },
  );

  test.skipIf(!existsSync('/dev/full')).for(['categories list -p sandbox', '--help'])(
    'a full disk that %s meets: exit 74, and it is said',
    async (words, { execute }) => {
      const { code, stderr } = await execute('sh', ['-c', `${petstore} ${words} > /dev/full`]);

      expect(code).toBe(74);
      const says = 'petstore: cannot write the result to standard output (ENOSPC)';
      expect(stderr).toContain(says);
    },
  );

  test.skipIf(process.platform !== 'linux').for([
    ['categories list -p sandbox', '>&-', 74],
    ['categories create emu -p sandbox', '>&-', 74],
    ['config path', '>&-', 74],
    ['--help', '>&-', 74],
    ['categories list -p sandbox', '>/dev/null', 0],
  ] as const)('of %s that a shell opens with %s: exit %i', async (row, { execute }) => {
    const [words, redirect, exitCode] = row;

    const { code, stderr } = await execute('sh', [
      '-c',
      `${petstore} ${words} ${redirect}; exit $?`,
    ]);

    expect(code).toBe(exitCode);
    const says = 'petstore: cannot write the result to standard output (EBADF)';
    expect(stderr.includes(says)).toBe(exitCode > 0);
    expect(stderr.includes('The category was created with id')).toBe(words.includes('create'));
  });

  test('that a program ignores is no failure', async ({ execute }) => {
    const script = `const argv = [${JSON.stringify(launcher)}, 'categories', 'list', '-p', 'sandbox'];
      const { spawnSync } = require('node:child_process');
      process.exitCode = spawnSync(process.execPath, argv, { stdio: ['inherit', 'ignore', 'inherit'] }).status;`;

    expect(await execute(process.execPath, ['-e', script])).toMatchObject({ code: 0 });
  });

  test('a big result arrives whole in a slow pipe', async ({ start, serve }) => {
    const { env } = await serve(listing(50_000));
    const { child, ended } = start('categories list -q -o ndjson', {
      env,
      unread: true,
    });
    // The pipe is full, and nobody has read.
    await new Promise((resolve) => child.stdout.once('readable', resolve));

    const lines = (await text(child.stdout)).trimEnd().split('\n');

    expect(lines).toHaveLength(50_000);
    expect((await ended).code).toBe(0);
  });
});

test.for(['2>&-', '2>/dev/full'])(
  '%s changes nothing of the result',
  async (redirect, { execute }) => {
    const list = `${petstore} categories list -p sandbox -o ndjson`;

    const result = await execute('sh', ['-c', `${list} ${redirect}`]);

    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout.split('\n').length).toBeGreaterThan(2);
  },
);

test.for([
  ['an error that is thrown', 'throw new Error(process.env.SECRET)'],
  ['a rejection with nothing', 'Promise.reject(undefined)'],
] as const)(
  '%s that nobody foresaw: exit 1 in words of our own',
  async ([, script], { execute, folder }) => {
    writeFileSync(`${folder}/unforeseen.cjs`, `setTimeout(() => { ${script} }, 300)`);
    const args = ['--require', './unforeseen.cjs', launcher, 'sandbox'];

    const result = await execute(process.execPath, args, { env: { SECRET: 'the-real-key' } });

    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(
      /^petstore: unexpected internal error\nThis is a bug in petstore\..*\n$/m,
    );
    expect(result.stderr).not.toMatch(/the-real-key|\n\s+at |node:internal|Node\.js/);
  },
);

test('a run that never settles: exit 1, and it says so', async ({ spawn, folder }) => {
  writeFileSync(join(folder, 'unref.cjs'), 'process.stdin.unref();');
  const argv = ['--require', './unref.cjs', launcher, 'auth', 'login'];
  const env = { PETSTORE_BASE_URL: 'http://127.0.0.1:9/v1' };

  expect(await spawn(process.execPath, argv, { env, stdin: null }).ended).toEqual({
    code: 1,
    stdout: '',
    stderr: 'petstore: unexpected internal error: it ended without a result\n',
  });
});

/** Emits warnings at the start and later, as Node or a library would. */
const warnings = `
process.emitWarning('a leak', 'MaxListenersExceededWarning');
const warn = () => process.emitWarning('old', { type: 'DeprecationWarning', code: 'DEP9999' });
process.nextTick(() => setImmediate(warn));
`;

test('a warning of Node is a notice with --verbose, and dropped without it', async ({
  petstore,
  folder,
}) => {
  writeFileSync(join(folder, 'warnings.cjs'), warnings);
  const env = { NODE_OPTIONS: '--require ./warnings.cjs' };
  const list = ['categories', 'list', '-p', 'sandbox', '--json'];

  const verbose = await petstore([...list, '-v'], { env });
  const usual = await petstore(list, { env });

  for (const warning of ['MaxListenersExceededWarning: a leak', 'DeprecationWarning: old']) {
    expect(verbose.stderr).toContain(`"message":"Node.js warning: ${warning}"`);
  }
  expect(usual.stderr).not.toMatch(/warning/i);
});

test('times are in UTC, in text as in events, whatever the time zone', async ({ petstore }) => {
  const list = ['categories', 'list', '-p', 'sandbox'];

  const { stderr } = await petstore(list, { env: { TZ: 'Asia/Kolkata' } });

  const [, hours, minutes] = /\((\d\d):(\d\d):\d\dZ\)/.exec(stderr) ?? [];
  const now = new Date();
  const ahead = (Number(hours) - now.getUTCHours()) * 60 + Number(minutes) - now.getUTCMinutes();
  // The reset is within a minute, and may be on the next day.
  expect((ahead + 1_440) % 1_440).toBeLessThan(5);
});
