import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe } from 'vitest';
import { expect, launcher, test } from '../support/program.ts';
import type { ServiceOptions } from '../support/service.ts';

const petstore = `'${process.execPath}' '${launcher}'`;

describe('standard output', () => {
  test.for([
    ['categories list -p sandbox -q', ''],
    ['--help', ''],
    ['--version', ''],
    [
      'categories create rabbit -q -p sandbox',
      'petstore: created "rabbit" with id 4; the result could not be printed\n',
    ],
  ])(
    'a reader that went away before %s is printed ends it with 141',
    async ([line, stderr], { execute }) => {
      // The one reader closes the pipe before anything is written.
      const script = `mkfifo pipe; exec 3<>pipe 4>pipe 3<&-; ${petstore} ${line} >&4`;

      expect(await execute('sh', ['-c', script])).toEqual({ code: 141, stdout: '', stderr });
    },
  );

  test.skipIf(!existsSync('/dev/full')).for([
    ['categories list -p sandbox', '>/dev/full', 74, /^petstore: .*\(ENOSPC\); the list is /m],
    ['--help', '>/dev/full', 74, /^petstore: .*\(ENOSPC\)$/m],
    ['--version', '>/dev/full', 74, /^petstore: .*\(ENOSPC\)$/m],
    ['categories create emu -p sandbox', '>&-', 74, /created "emu" with id \d+; .*\(EBADF\)/],
    ['--help', '>&-', 74, /^petstore: cannot write the result to standard output \(EBADF\)$/m],
    ['categories list -p sandbox', '>/dev/null', 0, /^rate limit: /],
    ['categories list -p sandbox -o ndjson', '2>&-', 0, /^(\{.*\}\n){3}$/],
    ['categories list -p sandbox -o ndjson', '2>/dev/full', 0, /^(\{.*\}\n){3}$/],
  ] as const)('petstore %s %s ends with %i', async ([line, redirect, code, says], { execute }) => {
    const script = `${petstore} ${line} ${redirect}; exit $?`;
    const { stdout, stderr, ...end } = await execute('sh', ['-c', script]);

    expect(end).toEqual({ code });
    expect(stdout + stderr).toMatch(says);
  });

  test('that a program ignores is no failure', async ({ execute }) => {
    const script = `const argv = [${JSON.stringify(launcher)}, 'categories', 'list', '-p', 'sandbox'];
      const { spawnSync } = require('node:child_process');
      process.exitCode = spawnSync(process.execPath, argv, { stdio: ['inherit', 'ignore', 'inherit'] }).status;`;

    expect(await execute(process.execPath, ['-e', script])).toMatchObject({ code: 0 });
  });

  test('a slow reader gets all of it, and one that has enough ends it quietly', async ({
    serve,
    spawn,
    execute,
  }) => {
    const { env } = await serve(listing(20_000));
    const list = `${petstore} categories list -q -o ndjson`;
    const { child, ended } = spawn('sh', ['-c', `exec ${list}`], { env, unread: true });
    // It has begun to write, and more than a pipe holds waits to be read.
    await new Promise((resolve) => child.stdout.once('readable', resolve));
    const lines = (await text(child.stdout)).trimEnd().split('\n');
    expect([(await ended).code, lines.length]).toEqual([0, 20_000]);

    const script = `{ ${list}; echo $? >&2; } | head -n 1`;
    expect(await execute('sh', ['-c', script], { env })).toMatchObject({
      stdout: '{"id":0,"name":"category number 0"}\n',
      stderr: '141\n',
    });
  });
});

test.for([
  ['an error that is thrown', 'throw new Error(process.env.SECRET)'],
  ['a rejection with nothing', 'Promise.reject(undefined)'],
])(
  '%s that nobody foresaw: exit 1 in words of our own',
  async ([, script], { execute, folder }) => {
    writeFileSync(join(folder, 'unforeseen.cjs'), `setTimeout(() => { ${script} }, 300)`);
    const args = ['--require', './unforeseen.cjs', launcher, 'sandbox', '-q'];

    const { code, stderr } = await execute(process.execPath, args, {
      env: { SECRET: 'the-real-key' },
    });

    expect(code).toBe(1);
    expect(stderr).toBe(
      'petstore: unexpected internal error\nThis is a bug in petstore. Please report it.\n',
    );
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
  const list = 'categories list -p sandbox --json';

  const verbose = await petstore(`${list} -v`, { env });
  const usual = await petstore(list, { env });

  for (const warning of ['MaxListenersExceededWarning: a leak', 'DeprecationWarning: old']) {
    expect(verbose.stderr).toContain(`"message":"Node.js warning: ${warning}"`);
  }
  expect(usual.stderr).not.toMatch(/warning/i);
});

/** Prints on the console by each of its methods, once petstore runs. */
const printing = `setImmediate(() => {
  for (const name of Object.keys(console)) if (/^[a-z]/.test(name)) console[name]('a library', 1);
});`;

test('what a library prints on the console reaches nobody', async ({ petstore, folder }) => {
  writeFileSync(join(folder, 'printing.cjs'), printing);
  const env = { NODE_OPTIONS: '--require ./printing.cjs' };

  const { code, stdout, stderr } = await petstore('pets get 1 -p sandbox --json -v', { env });

  expect([code, JSON.parse(stdout)]).toMatchObject([0, { id: 1 }]);
  expect(stderr).not.toContain('a library');
});

test('times are in UTC, whatever the time zone', async ({ petstore }) => {
  const { stderr } = await petstore('pets get 1 -p sandbox', { env: { TZ: 'Asia/Kolkata' } });

  // In that zone, the time would be five and a half hours ahead. Midnight may lie between.
  const day = new Date().toISOString().slice(0, 11);
  const reset = Date.parse(`${day}${/\d\d:\d\d:\d\dZ/.exec(stderr)}`);
  const minutesOff = Math.abs(reset - Date.now()) / 60_000;
  expect(Math.min(minutesOff, 24 * 60 - minutesOff), stderr).toBeLessThan(30);
});

/** Options of a service that lists so many categories. */
function listing(count: number): ServiceOptions {
  const rows = Array.from({ length: count }, (_, id) => ({ id, name: `category number ${id}` }));
  return { react: () => ({ status: 200, body: JSON.stringify(rows) }) };
}
