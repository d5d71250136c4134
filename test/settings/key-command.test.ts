import { join } from 'node:path';
import { Readable } from 'node:stream';
import { startTime } from '../support/clock.ts';
import { test as base, expect, noEnv, reply, testKey } from '../support/petstore.ts';
import type { Captured, CaptureOptions } from '../support/values.ts';

const local = 'http://127.0.0.1:4010/v1';
const command = 'pass show petstore';
const list = 'categories list';

/** A profile with a base URL and an api-key-command. */
const test = base.extend<{ profile: undefined }>({
  profile: [
    async ({ petstore }, use) => {
      await petstore(`config set base-url ${local}`, { env: noEnv });
      await petstore(`config set api-key-command '${command}'`, { env: noEnv });
      await use(undefined);
    },
    { auto: true },
  ],
});

test('its first line is the key, before a stored one; it runs once, in the settings folder, without the key of the environment', async ({
  petstore,
  sandbox,
  clock,
  folder,
}) => {
  const { calls, capture } = program({ stdout: `${testKey}\r\nuser: me\r\n` });
  await petstore('config unset api-key-command', { env: noEnv });
  sandbox.reactions.push(reply(200, []));
  await petstore('auth login', { env: noEnv, stdin: 'a-stored-key-0123456789' });
  await petstore(`config set api-key-command '${command}'`, { env: noEnv });
  sandbox.requests.length = 0;
  const given = { ...noEnv, PETSTORE_API_KEY: 'another-key-0123456789', VAULT_ADDR: 'x' };

  const { exitCode } = await petstore('categories create dog --if-missing -p production', {
    env: given,
    context: { capture },
  });

  expect(exitCode).toBe(0);
  const sent = sandbox.requests.map(({ headers }) => headers.authorization);
  expect(sent).toEqual([`Bearer ${testKey}`, `Bearer ${testKey}`]);
  expect(calls).toMatchObject([
    { command, terminal: false, folder: join(folder, 'config'), env: { VAULT_ADDR: 'x' } },
  ]);
  expect(calls[0]?.env.PETSTORE_API_KEY).toBeUndefined();
  expect(clock.now()).toBe(startTime);
});

test('does not run where no key is needed, and is not shown', async ({ petstore }) => {
  const { calls, capture } = program();
  for (const line of [
    'auth logout',
    'config list',
    'config set output table',
    'categories list -p sandbox',
    "categories create ''",
    "pets get ''",
  ]) {
    await petstore(line, { env: noEnv, context: { capture } });
    expect(calls, line).toEqual([]);
  }
  for (const line of ['auth status', 'auth status --json', 'doctor']) {
    const { stdout } = await petstore(line, { env: noEnv, context: { capture } });
    expect(stdout).toContain('the api-key-command of profile production');
    expect(stdout).not.toContain(command);
  }
  expect(calls).toEqual([]);
});

test.for([
  [true, '', undefined, true],
  // Not in CI, whatever they are set to.
  [true, '', 'false', true],
  [true, '', '0', true],
  [true, '', '', true],
  [false, '--no-input', undefined, true],
  [false, '', 'true', true],
  [false, '', undefined, false],
] as const)(
  'may ask only where somebody is there to be asked: %s with %s, CI=%s, a terminal: %s',
  async ([terminal, flag, CI, isTTY], { petstore }) => {
    const { calls, capture } = program();
    const stdin = Object.assign(Readable.from([]), { isTTY });

    const context = { capture, stdin };
    await petstore(`${list} ${flag}`, { env: { ...noEnv, CI }, columns: 80, context });

    expect(calls).toMatchObject([{ terminal }]);
  },
);

const secret = 'half-a-secret-1';
const missing = Object.assign(new Error('spawn'), { code: 'ENOENT' });
const whenAborted = ({ signal }: CaptureOptions) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

test.for<[string, Partial<Captured> | Capture, number, string]>([
  ['is not found', { exitCode: 127, stdout: '' }, 4, 'failed: command not found\n'],
  ['cannot run', { exitCode: 126, stdout: '' }, 4, 'failed: command is not executable\n'],
  ['fails', { exitCode: 1, stdout: `${secret}\n` }, 4, 'failed with exit code 1\n'],
  ['cannot be started', () => Promise.reject(missing), 4, 'cannot run (ENOENT)'],
  ['prints nothing', { stdout: '' }, 4, 'printed no API key'],
  ['prints an empty line', { stdout: `\n${secret}\n` }, 4, 'printed no API key in its first line'],
  ['prints without end', { exitCode: 137, stdout: secret.repeat(5_000) }, 4, 'printed too much'],
  ['prints words', { stdout: `${secret} is your key\n` }, 2, 'character 16 is a space'],
  ['does not end', whenAborted, 4, 'timed out after 60s\n'],
])(
  'one that %s: nothing is sent, and none of its output is shown',
  async ([, printed, exitCode, says], { petstore, sandbox }) => {
    const { capture } = program(printed);

    const result = await petstore(['categories', 'create', secret, '-v'], {
      env: noEnv,
      context: { capture },
      secrets: [secret],
    });

    expect(result).toMatchObject({ exitCode, stdout: '' });
    expect(result.stderr).toContain(says);
    expect(result.stderr).toContain('\nNothing was sent.\n');
    expect(sandbox.requests).toHaveLength(0);
  },
);

test('each line that it printed is hidden without the blanks around it, and a blank one is none', async ({
  petstore,
  sandbox,
}) => {
  const { capture } = program({ stdout: `${testKey}\n  \t${secret} \r\n${' '.repeat(8)}\n` });
  sandbox.reactions.push(reply(200, [{ id: 1, name: testKey, more: { a: { b: secret } } }]));

  const { stdout } = await petstore(`${list} --json`, { env: noEnv, context: { capture } });

  expect(stdout).toContain('    "name": "[key]"');
  expect(stdout).toContain('        "b": "[key]"');
});

test('its key goes to the origin beside it alone', async ({ petstore, sandbox }) => {
  // No program is there that could run.
  const other = 'https://b.example/v1';
  const byFlag = await petstore(`${list} --base-url ${other}`, { env: noEnv });
  const byEnv = await petstore(list, { env: { ...noEnv, PETSTORE_BASE_URL: other } });
  await petstore('config unset base-url');
  const without = await petstore(list, { env: { ...noEnv, PETSTORE_BASE_URL: local } });

  for (const { exitCode, stderr } of [byFlag, byEnv]) {
    expect(exitCode).toBe(2);
    expect(stderr).toContain('is for http://127.0.0.1:4010, not for https://b.example');
  }
  expect(without.exitCode).toBe(2);
  expect(without.stderr).toContain('petstore config set base-url https://HOST/v1\n');
  expect(sandbox.requests).toHaveLength(0);
});

type Capture = (options: CaptureOptions) => Promise<Captured>;

/** A program that prints the key of the sandbox, unless a test makes it print something else. */
function program(printed: Partial<Captured> | Capture = {}) {
  const calls: (CaptureOptions & { readonly command: string })[] = [];
  const capture = async (command: string, options: CaptureOptions) => {
    calls.push({ command, ...options });
    if (typeof printed === 'function') return printed(options);
    return { exitCode: 0, stdout: `${testKey}\n`, ...printed };
  };
  return { calls, capture };
}
