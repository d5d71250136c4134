import { chmodSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { startTime } from '../support/clock.ts';
import { test as base, expect, reply, testKey } from '../support/petstore.ts';
import { isPosix } from '../support/posix.ts';
import type { Captured, CaptureOptions } from '../support/values.ts';

const local = 'http://127.0.0.1:4010/v1';
const env = { PETSTORE_BASE_URL: undefined, PETSTORE_API_KEY: undefined };
const command = 'pass show petstore';
const list = ['categories', 'list'];

type Capture = (options: CaptureOptions) => Promise<Captured>;

/** A program that prints the key of the sandbox, unless a test makes it print something else. */
function program(printed: Partial<Captured> | Capture = {}) {
  const calls: { readonly command: string; readonly options: CaptureOptions }[] = [];
  const capture = async (command: string, options: CaptureOptions) => {
    calls.push({ command, options });
    if (typeof printed === 'function') return printed(options);
    return { exitCode: 0, stdout: `${testKey}\n`, ...printed };
  };
  return { calls, capture };
}

/** A profile with a base URL and an api-key-command. */
const test = base.extend<{ auto: undefined }>({
  auto: [
    async ({ petstore }, use) => {
      await petstore(['config', 'set', 'base-url', local], { env });
      await petstore(['config', 'set', 'api-key-command', command], { env });
      await use(undefined);
    },
    { auto: true },
  ],
});

test('its first line is the key; it runs once, in the settings folder, without the key of the environment', async ({
  petstore,
  sandbox,
  clock,
  folder,
}) => {
  const { calls, capture } = program({ stdout: `${testKey}\r\nuser: me\r\n` });
  const argv = ['categories', 'create', 'dog', '--if-missing', '-p', 'production'];
  const given = { ...env, PETSTORE_API_KEY: 'another-key-0123456789', VAULT_ADDR: 'x' };

  const { exitCode } = await petstore(argv, { env: given, context: { capture } });

  expect(exitCode).toBe(0);
  const sent = sandbox.requests.map(({ headers }) => headers.authorization);
  expect(sent).toEqual([`Bearer ${testKey}`, `Bearer ${testKey}`]);
  const options = { terminal: false, folder: join(folder, 'config') };
  expect(calls).toMatchObject([{ command, options }]);
  expect(calls[0]?.options.env).toMatchObject({ VAULT_ADDR: 'x' });
  expect(calls[0]?.options.env.PETSTORE_API_KEY).toBeUndefined();
  expect(clock.now()).toBe(startTime);
});

test('does not run where no key is needed, and is not shown', async ({ petstore }) => {
  const { calls, capture } = program();
  for (const argv of [
    ['auth', 'status'],
    ['auth', 'status', '--json'],
    ['doctor'],
    ['auth', 'logout'],
    ['config', 'list'],
    ['config', 'set', 'output', 'table'],
    ['categories', 'list', '-p', 'sandbox'],
    ['categories', 'create', ''],
    ['pets', 'get', ''],
  ]) {
    const { stdout } = await petstore(argv, { env, context: { capture } });

    expect(calls, argv.join(' ')).toEqual([]);
    if (argv[1] !== 'status' && argv[0] !== 'doctor') continue;
    expect(stdout).toContain('the api-key-command of profile production');
    expect(stdout).not.toContain(command);
  }
});

test('may ask only where somebody is there to be asked', async ({ petstore }) => {
  const { calls, capture } = program();
  for (const [flags, CI, isTTY] of [
    [[], undefined, true],
    [['--no-input'], undefined, true],
    [[], 'true', true],
    [[], undefined, false],
    // Not in CI, whatever they are set to.
    [[], 'false', true],
    [[], '0', true],
    [[], '', true],
  ] as const) {
    const stdin = Object.assign(Readable.from([]), { isTTY });
    const context = { capture, stdin };
    await petstore([...list, ...flags], { env: { ...env, CI }, columns: 80, context });
  }

  expect(calls.map(({ options }) => options.terminal)).toEqual([
    true,
    false,
    false,
    false,
    true,
    true,
    true,
  ]);
});

const secret = 'half-a-secret-1';

const missing = Object.assign(new Error('spawn'), { code: 'ENOENT' });

test.for<[string, Partial<Captured> | Capture, number, string]>([
  ['fails', { exitCode: 1, stdout: `${secret}\n` }, 4, 'failed with exit code 1\n'],
  ['cannot be started', () => Promise.reject(missing), 4, 'cannot run (ENOENT)'],
  ['prints nothing', { stdout: '' }, 4, 'printed no API key'],
  ['prints an empty line', { stdout: `\n${secret}\n` }, 4, 'printed no API key in its first line'],
  ['prints without end', { exitCode: 137, stdout: secret.repeat(5_000) }, 4, 'printed too much'],
  ['prints words', { stdout: `${secret} is your key\n` }, 2, 'character 16 is a space'],
])('one that %s: three lines, none of them its output', async (row, { petstore, sandbox }) => {
  const [, printed, exitCode, says] = row;
  const { capture } = program(printed);
  const create = ['categories', 'create', secret, '-v'];

  for (const argv of [[...list, '--json'], create, list]) {
    const { stderr, ...end } = await petstore(argv, { env, context: { capture } });

    expect(end).toMatchObject({ exitCode, stdout: '' });
    expect(stderr).not.toContain('half-a-secret');
    if (argv !== list) continue;
    expect(stderr).toContain(says);
    expect(stderr).toContain('\nNothing was sent.\n');
    expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(3);
  }
  expect(sandbox.requests).toHaveLength(0);
});

test('each line that it printed is hidden without the blanks around it, and a blank one is none', async ({
  petstore,
  sandbox,
}) => {
  const { capture } = program({
    stdout: `${testKey}\n  \tother-secret-0123 \r\n${' '.repeat(8)}\n`,
  });
  const more = { a: { b: 'other-secret-0123' } };
  sandbox.reactions.push(reply(200, [{ id: 1, name: testKey, more }]));

  const { stdout } = await petstore([...list, '--json'], { env, context: { capture } });

  expect(stdout).toContain('    "name": "[key]"');
  expect(stdout).toContain('        "b": "[key]"');
});

test('is ended after a minute', async ({ petstore, clock, sandbox }) => {
  const start = clock.now();
  const { capture } = program(
    ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  );

  const { exitCode, stderr } = await petstore(list, { env, context: { capture } });

  expect(exitCode).toBe(4);
  expect(stderr).toContain('timed out after 60s');
  expect(clock.now() - start).toBe(60_000);
  expect(sandbox.requests).toHaveLength(0);
});

test('its key goes to the origin beside it alone', async ({ petstore, sandbox }) => {
  const { calls, capture } = program();
  const context = { capture };
  const other = 'https://b.example/v1';

  const byFlag = await petstore([...list, '--base-url', other], { env, context });
  const byEnv = await petstore(list, { env: { ...env, PETSTORE_BASE_URL: other }, context });
  await petstore('config unset base-url');
  const without = await petstore(list, { env: { ...env, PETSTORE_BASE_URL: local }, context });

  for (const { exitCode, stderr } of [byFlag, byEnv]) {
    expect(exitCode).toBe(2);
    expect(stderr).toContain('is for http://127.0.0.1:4010, not for https://b.example');
  }
  expect(without.exitCode).toBe(2);
  expect(without.stderr).toContain('petstore config set base-url https://HOST/v1\n');
  expect([calls.length, sandbox.requests.length]).toEqual([0, 0]);
});

test.skipIf(!isPosix).for<[string, (config: string) => void]>([
  ['others can write the file', (config) => chmodSync(`${config}/settings.json`, 0o602)],
  ['a group can write the folder', (config) => chmodSync(config, 0o770)],
  [
    'the folder that a link leads to is open',
    (config) => {
      renameSync(config, `${config}-open`);
      chmodSync(`${config}-open`, 0o777);
      mkdirSync(config);
      symlinkSync(`${config}-open/settings.json`, `${config}/settings.json`);
    },
  ],
])('does not run where %s', async ([, open], { petstore, folder }) => {
  const { calls, capture } = program();
  open(join(folder, 'config'));

  for (const argv of [list, ['auth', 'status']]) {
    const result = await petstore(argv, { env, context: { capture } });

    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toMatch(
      /(?:base-url|api-key-command) was not used, because other users can change /,
    );
    expect(result.stderr).toContain("chmod go-w '");
  }
  expect(calls).toEqual([]);
});

test.skipIf(!isPosix)(
  'an open file does not choose the profile either',
  async ({ petstore, folder }) => {
    const { calls, capture } = program();
    await petstore('config set default-profile sandbox', { env });
    chmodSync(`${join(folder, 'config')}/settings.json`, 0o602);

    const given = { ...env, PETSTORE_BASE_URL: local, PETSTORE_API_KEY: testKey };
    const { exitCode, stderr } = await petstore(list, { env: given, context: { capture } });

    expect([exitCode, calls.length]).toEqual([2, 0]);
    expect(stderr).toContain('default-profile was not used, because other users can change');
  },
);

test.skipIf(!isPosix)('does not run where the file is somebody else’s', async ({ petstore }) => {
  const { calls, capture } = program();
  const isRoot = process.getuid?.() === 0;

  const { exitCode } = await petstore(list, { env, context: { capture, uid: 12_345 } });

  // What is root's is as good as one's own.
  expect([exitCode === 2, calls.length]).toEqual(isRoot ? [false, 1] : [true, 0]);
});

test('is the only key of its profile: auth login stores none, and it beats a stored one', async ({
  petstore,
  sandbox,
}) => {
  const { capture } = program();
  const refused = await petstore('auth login', { env, stdin: testKey });
  await petstore('config unset api-key-command', { env });
  sandbox.reactions.push(reply(200, []));
  await petstore('auth login', { env, stdin: 'a-stored-key-0123456789' });
  const { stderr } = await petstore(['config', 'set', 'api-key-command', command], { env });
  await petstore(list, { env, context: { capture } });

  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain('has an api-key-command, which takes precedence');
  expect(refused.stderr).toContain('petstore config unset api-key-command\n');
  expect(stderr).toContain('takes precedence over the stored key of profile production; to remove');
  expect(sandbox.requests.at(-1)?.headers.authorization).toBe(`Bearer ${testKey}`);
});
