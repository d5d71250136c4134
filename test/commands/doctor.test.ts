import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { brokenPromises } from '../hostile/invariants.ts';
import { expect, networkError, reply, test, testKey } from '../support/petstore.ts';
import { stateFiles } from '../support/state-files.ts';

type Row = { readonly check: string; readonly status: string; readonly finding: string };
type Result = { readonly stdout: string };

const rowsOf = ({ stdout }: Result) => JSON.parse(stdout) as readonly Row[];
const rowOf = (result: Result, name: string) => rowsOf(result).find(({ check }) => check === name);
const doctor = ['doctor', '--json'];

/** Writes the settings file of a test. */
function saveSettings(folder: string, text: string): void {
  mkdirSync(join(folder, 'config'), { recursive: true });
  writeFileSync(join(folder, 'config', 'settings.json'), text);
}

describe('doctor', () => {
  test('says what is in force and where it comes from, with no request', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const settings = { 'max-wait': '5m', plan: 'pro' };
    saveSettings(folder, JSON.stringify({ profiles: { staging: settings } }));

    const result = await petstore([...doctor, '--profile', 'staging']);

    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(rowsOf(result)).toEqual(
      expect.arrayContaining([
        { check: 'node', status: 'ok', finding: 'v20.19.0' },
        { check: 'settings', status: 'ok', finding: '~/config/settings.json' },
        {
          check: 'limit store',
          status: 'unset',
          finding: 'not set: the rate limit is shared on this machine only',
        },
        { check: 'locale', status: 'unset', finding: 'not set' },
        { check: 'profile', status: 'ok', finding: 'staging (--profile)' },
        { check: 'output', status: 'ok', finding: 'json (--json)' },
        { check: 'longest wait', status: 'ok', finding: '5m (settings)' },
        { check: 'plan', status: 'ok', finding: 'Pro (settings)' },
        {
          check: 'base url',
          status: 'ok',
          finding: 'http://127.0.0.1:4010/v1 (PETSTORE_BASE_URL)',
        },
        { check: 'api key', status: 'ok', finding: 'from PETSTORE_API_KEY' },
        { check: 'proxy', status: 'ok', finding: 'none' },
        { check: 'certificates', status: 'ok', finding: 'Node.js defaults' },
        { check: 'state folder', status: 'ok', finding: '~/state, on a local disk' },
        { check: 'limit', status: 'unknown', finding: 'unknown: no request sent yet' },
        { check: 'clock', status: 'unknown', finding: 'unknown: no request sent yet' },
      ]),
    );
    expect(sandbox.requests).toHaveLength(0);
    expect(stateFiles(folder)).toEqual([]);
  });

  const broken = { PETSTORE_MAX_WAIT: 'soon', NODE_EXTRA_CA_CERTS: '/nowhere/authority.pem' };

  test('shows a person what is wrong, and counts the rest', async ({ petstore }) => {
    const well = await petstore(['doctor']);
    const ill = await petstore(['doctor'], { env: broken });

    expect(well.stdout).toMatch(
      /^✔ \d+ checks: \d+ ok, \d+ unknown or not set; to see all: petstore doctor --all\n$/,
    );
    expect(ill.stdout.split('\n')).toEqual([
      expect.stringMatching(/^✘ longest wait {2}.*soon/),
      '! certificates  NODE_EXTRA_CA_CERTS is ignored: /nowhere/authority.pem cannot be read (ENOENT)',
      expect.stringMatching(/^✘ \d+ checks: 1 failed, 1 warning, \d+ ok, \d+ unknown or not set; /),
      '',
    ]);
  });

  test('--all lists every check, each with a sign', async ({ petstore }) => {
    const { stdout } = await petstore(['doctor', '--all'], { env: broken });
    const records = rowsOf(await petstore([...doctor, '--all']));

    expect(stdout).toMatch(/^✔ api key +from PETSTORE_API_KEY$/m);
    expect(stdout).toMatch(/^- clock +unknown: no request sent yet$/m);
    expect(stdout).toMatch(/^- plan +not set$/m);
    expect(stdout).toMatch(
      /\n✘ \d+ checks: 1 failed, 1 warning, \d+ ok, \d+ unknown or not set\n$/,
    );
    expect(stdout.trimEnd().split('\n')).toHaveLength(records.length + 1);
  });

  test('breaks a finding between words, under where it began', async ({ petstore }) => {
    const argv = ['doctor', '--no-color'];
    const { stdout } = await petstore(argv, { columns: 50, env: broken });

    expect(stdout).toContain(
      '! certificates  NODE_EXTRA_CA_CERTS is ignored:\n                /nowhere/authority.pem cannot be\n                read (ENOENT)\n',
    );
    expect(stdout).toMatch(/ petstore doctor --all\n$/);
  });

  test('gives a path that is wider than its column lines of its own', async ({ petstore }) => {
    const path = '/nowhere/in/a/long/folder/ca.pem';
    const env = { ...broken, NODE_EXTRA_CA_CERTS: path };
    const { stdout } = await petstore(['doctor', '--no-color'], { columns: 40, env });

    expect(stdout).toContain(
      `! certificates\n  NODE_EXTRA_CA_CERTS is ignored:\n  ${path}\n  cannot be read (ENOENT)\n`,
    );
  });

  test('has signs of ASCII where the locale is not UTF-8', async ({ petstore }) => {
    const env = { ...broken, LC_ALL: 'C' };
    const { stdout } = await petstore(['doctor', '--all'], { env });

    expect(stdout).toMatch(/^ok api key /m);
    expect(stdout).toMatch(/^! {2}certificates /m);
    expect(stdout).toMatch(/^x {2}longest wait /m);
    expect(stdout).toMatch(/^[ -~\n]*$/);
  });

  test('paints what is wrong in its colour on a terminal', async ({ petstore }) => {
    const { stdout } = await petstore(['doctor', '--all'], { env: broken, columns: 80 });

    expect(stdout).toContain('\u001b[33m! certificates\u001b[39m');
    expect(stdout).toContain('\u001b[31m✘ longest wait\u001b[39m');
    expect(stdout).toContain('\u001b[32m✔ api key\u001b[39m');
    expect(stdout).toContain('\u001b[2m- clock\u001b[22m');
  });

  test.for(['csv', 'yaml', 'ndjson'])('has all of it as %s', async (format, { petstore }) => {
    const { stdout } = await petstore(['doctor', '-o', format]);

    expect(stdout).toContain('locale');
    expect(stdout).toContain('unset');
  });

  test('has all of it in a table of chosen columns', async ({ petstore }) => {
    const { stdout } = await petstore(['doctor', '--columns', 'status,check']);

    expect(stdout).toMatch(/^│ ok +│ api key +│$/m);
    expect(stdout).toMatch(/^│ unset +│ locale +│$/m);
  });

  test('knows the limit and the clock once a request was answered', async ({
    petstore,
    sandbox,
    clock,
  }) => {
    const date = new Date(clock.now() + 90_000).toUTCString();
    const limit = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '7' };
    const reset = String(Math.floor(clock.now() / 1_000) + 120);
    sandbox.reactions.push(reply(200, '[]', { date, ...limit, 'x-ratelimit-reset': reset }));
    await petstore(['categories', 'list']);

    const result = await petstore(doctor);

    expect(rowOf(result, 'limit')).toMatchObject({
      status: 'ok',
      finding: 'minute: 7 of 60 left; day: 1 used',
    });
    expect(rowOf(result, 'clock')).toMatchObject({
      status: 'warn',
      finding: expect.stringMatching(/^(89|90)s slow compared with the service$/),
    });
    expect(rowOf(result, 'kept there')?.finding).toBe('rate limits of keys: 1, import journals: 0');
    expect(result.exitCode).toBe(0);
  });

  test('--check spends one request and says what came of it', async ({ petstore, sandbox }) => {
    const result = await petstore([...doctor, '--check']);

    expect(rowOf(result, 'service')).toMatchObject({
      status: 'ok',
      finding: 'responded in 0 ms (200, 0 categories)',
    });
    expect(rowOf(result, 'clock')?.finding).toBe('in sync with the service to within 1s');
    expect(result.events()).toMatchObject([{ event: 'rate_limit', remaining: 59 }]);
    expect(sandbox.requests).toHaveLength(1);
  });

  test('works with the sandbox profile, which has a key of its own', async ({ petstore }) => {
    const env = { PETSTORE_BASE_URL: undefined, PETSTORE_API_KEY: undefined };
    const result = await petstore([...doctor, '--profile', 'sandbox'], { env });

    expect(result.exitCode).toBe(0);
    expect(rowOf(result, 'base url')?.finding).toContain('built-in sandbox');
  });
});

describe('the exit code of doctor is that of the first thing that is wrong', () => {
  const gone = { PETSTORE_BASE_URL: undefined };
  test.for([
    [2, 'settings', {}, '{"profiles": }'],
    [2, 'settings', {}, '{"profiles": {"x": {"outptu": "json"}}}'],
    [2, 'profile', { PETSTORE_PROFILE: '../x' }, undefined],
    [2, 'longest wait', { PETSTORE_MAX_WAIT: 'soon' }, undefined],
    [2, 'plan', {}, '{"profiles": {"production": {"plan": "gold"}}}'],
    [2, 'base url', gone, undefined],
    [2, 'base url', { PETSTORE_BASE_URL: `https://u:${testKey}@h/v1` }, undefined],
    [4, 'api key', { PETSTORE_API_KEY: undefined }, undefined],
    [2, 'api key', { PETSTORE_API_KEY: 'with a space' }, undefined],
    [
      2,
      'proxy',
      { PETSTORE_BASE_URL: 'https://h/v1', HTTPS_PROXY: 'socks5://u:p4ssw0rd@h' },
      undefined,
    ],
    [2, 'state folder', { PETSTORE_STATE_DIR: 'relative' }, undefined],
    [74, 'state folder', { PETSTORE_STATE_DIR: '/proc/none' }, undefined],
    [74, 'state folder', { PETSTORE_STATE_DIR: '/proc/self' }, undefined],
    [74, 'state folder', { PETSTORE_STATE_DIR: '/proc/version' }, undefined],
    [
      4,
      'state folder',
      { PETSTORE_API_KEY: undefined, PETSTORE_STATE_DIR: '/proc/self' },
      undefined,
    ],
  ] as const)('%i: %s, %j', async ([exitCode, what, env, settings], { petstore, folder }) => {
    if (settings !== undefined) saveSettings(folder, settings);

    const result = await petstore([...doctor, '--check'], { env });

    expect(result.exitCode).toBe(exitCode);
    expect(rowOf(result, what)).toMatchObject({ status: 'fail' });
    expect(result.events().at(-1)).toMatchObject({ event: 'error', exitCode });
    expect(rowsOf(result).map(({ check }) => check)).toContain('locale');
    expect(result.stdout + result.stderr).not.toMatch(/test-key|p4ssw0rd|u:/);
    expect(brokenPromises({ ...result, exitCode: 0 }, true, folder)).toEqual([]);
  });

  test('a state folder that cannot be written hides nothing of the limit', async ({ petstore }) => {
    const env = { PETSTORE_STATE_DIR: '/proc/none' };
    await petstore(['categories', 'list'], { env });

    const result = await petstore(doctor, { env });

    expect(result.exitCode).toBe(74);
    expect(rowOf(result, 'limit')?.finding).toBe('minute: 59 of 60 left; day: 1 used');
  });

  test('broken settings hide nothing that is set elsewhere', async ({ petstore, folder }) => {
    saveSettings(folder, 'oops');

    const result = await petstore(doctor, { env: { PETSTORE_PROFILE: 'staging' } });

    expect(rowOf(result, 'settings')?.finding).toContain('~/config/settings.json:1:1');
    expect(rowOf(result, 'profile')?.finding).toBe('staging (PETSTORE_PROFILE)');
    expect(rowOf(result, 'api key')?.status).toBe('ok');
  });

  test('a program that prints the key runs with --check alone', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const own = { 'api-key-command': 'show key', 'base-url': 'http://127.0.0.1:4010/v1' };
    saveSettings(folder, JSON.stringify({ profiles: { production: own } }));
    const ran: string[] = [];
    const capture = async (command: string) => {
      ran.push(command);
      return { exitCode: 1, stdout: '', stderr: '' };
    };
    const run = { env: { PETSTORE_API_KEY: undefined }, context: { capture } };

    const offline = await petstore(doctor, run);
    expect(ran).toEqual([]);
    const online = await petstore([...doctor, '--check'], run);

    expect(offline.exitCode).toBe(0);
    expect(rowOf(offline, 'api key')?.finding).toContain('api-key-command');
    expect(rowOf(offline, 'limit')?.finding).toContain('only --check');
    expect(online.exitCode).toBe(4);
    expect(rowOf(online, 'service')?.status).toBe('fail');
    expect(rowOf(online, 'locale')?.status).toBe('unset');
    expect(ran).toEqual(['show key']);
    expect(sandbox.requests).toHaveLength(0);
  });

  test('without a base URL the key is looked at all the same', async ({ petstore }) => {
    const env = { PETSTORE_BASE_URL: undefined };

    const result = await petstore(doctor, { env });

    expect(rowOf(result, 'api key')?.finding).toBe('from PETSTORE_API_KEY');
    expect(rowOf(result, 'proxy')?.status).toBe('unknown');
  });

  test('2: an output format that is none, in a table', async ({ petstore }) => {
    const result = await petstore(['doctor'], { env: { PETSTORE_OUTPUT: 'xml' } });

    expect(result.exitCode).toBe(2);
    expect(result.stdout).toMatch(/^✘ output {2}.*"xml"/);
  });

  test.for([
    [4, () => reply(401, '{}')],
    [3, () => reply(404, '{}')],
    [5, () => reply(200, '<html>')],
    [5, () => networkError('ENOTFOUND')],
    [75, () => reply(429, '', { 'retry-after': '900' })],
  ] as const)('%i: what --check ended with', async ([exitCode, answer], { petstore, sandbox }) => {
    sandbox.react = answer;

    const result = await petstore([...doctor, '--check']);

    expect(result.exitCode).toBe(exitCode);
    expect(rowOf(result, 'service')).toMatchObject({ status: 'fail' });
  });

  test.for([
    ['60', 'warn', 0],
    ['900', 'fail', 75],
  ] as const)(
    'a wait of %s s is %s: a command would wait two minutes',
    async ([wait, status, exitCode], { petstore, sandbox }) => {
      sandbox.reactions.push(reply(429, '', { 'retry-after': wait }));
      await petstore(['categories', 'list', '--max-wait', '0']);

      const result = await petstore(doctor);

      expect(result.exitCode).toBe(exitCode);
      expect(rowOf(result, 'limit')).toMatchObject({ status });
    },
  );
});

describe('what doctor only warns of', () => {
  test.for([
    [{ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, 'tls', /is ignored/],
    [{ NODE_EXTRA_CA_CERTS: '/nowhere' }, 'certificates', /ENOENT/],
    [{ NODE_EXTRA_CA_CERTS: '/' }, 'certificates', /is not a file/],
    [{ NODE_EXTRA_CA_CERTS: '/dev/null' }, 'certificates', /is not a file/],
    [{ NODE_EXTRA_CA_CERTS: 'package.json' }, 'certificates', /contains no certificate/],
  ] as const)('%j', async ([env, check, finding], { petstore }) => {
    const result = await petstore(doctor, { env });

    expect(result.exitCode).toBe(0);
    expect(rowOf(result, check)).toMatchObject({
      status: 'warn',
      finding: expect.stringMatching(finding),
    });
  });

  test('a state folder that others can change', async ({ petstore, folder }) => {
    mkdirSync(join(folder, 'state'));
    chmodSync(join(folder, 'state'), 0o777);

    const result = await petstore(doctor);

    expect(rowOf(result, 'state folder')).toMatchObject({
      status: 'warn',
      finding: `other users can write to ~/state. Fix: chmod 700 '${folder}/state'`,
    });
  });

  test('a state folder that cannot hold the limit, whose place it knows', async ({
    petstore,
    folder,
  }) => {
    mkdirSync(join(folder, 'state', 'limits'), { recursive: true });
    chmodSync(join(folder, 'state', 'limits'), 0o777);
    await petstore(['categories', 'list']);

    const result = await petstore(doctor);

    expect(rowOf(result, 'state folder')).toMatchObject({
      status: 'warn',
      finding: `~/state/limits is writable by other users: the rate limit is kept elsewhere. Fix: chmod 700 '${folder}/state/limits'`,
    });
    expect(rowOf(result, 'limit')?.finding).toBe('minute: 59 of 60 left; day: 1 used');
  });

  test('a terminal that shows no UTF-8', async ({ petstore }) => {
    const result = await petstore(doctor, { columns: 80, env: { LC_ALL: 'C' } });

    expect(rowOf(result, 'locale')).toMatchObject({ status: 'warn', finding: 'C (not UTF-8)' });
  });
});

test('a Node that is too old fails, and an odd newer one does not', async ({ petstore }) => {
  const result = (nodeVersion: string) => petstore(doctor, { context: { nodeVersion } });

  expect(await result('v20.18.3')).toMatchObject({ exitCode: 2 });
  expect(await result('v21.0.0')).toMatchObject({ exitCode: 0 });
});

test('the proxy is named without its password', async ({ petstore, folder }) => {
  const env = { PETSTORE_BASE_URL: 'https://h/v1', https_proxy: 'http://u:p4ssw0rd@proxy:3128' };

  const used = await petstore(doctor, { env });
  const exempt = await petstore(doctor, { env: { ...env, NO_PROXY: 'h' } });

  expect(rowOf(used, 'proxy')?.finding).toBe('proxy:3128 (https_proxy)');
  expect(rowOf(exempt, 'proxy')?.finding).toBe('no proxy for h (NO_PROXY)');
  expect(used.stdout + exempt.stdout).not.toContain('p4ssw0rd');
  expect(stateFiles(folder)).toEqual([]);
});

describe('what doctor shows of paths in the home folder', () => {
  test('is short, and a path that Windows expands', async ({ petstore }) => {
    const home = 'C:\\Users\\anna müller';
    const env = { PETSTORE_CONFIG_DIR: undefined, APPDATA: `${home}\\AppData\\Roaming` };

    const { stdout } = await petstore(['doctor', '--json'], {
      env,
      context: { platform: 'win32', uid: undefined, home },
    });

    const finding = expect.stringContaining('%USERPROFILE%\\AppData\\Roaming');
    expect(JSON.parse(stdout)).toContainEqual({ check: 'settings', status: 'unset', finding });
  });
});
