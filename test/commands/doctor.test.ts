import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { describe } from 'vitest';
import {
  expect,
  networkError,
  type RunOptions,
  reply,
  test,
  testKey,
} from '../support/petstore.ts';
import { saveSettings } from '../support/settings-file.ts';

type Row = { readonly [Name in 'check' | 'status' | 'finding' | 'fix']: string };
type Result = { readonly stdout: string };

const rowsOf = ({ stdout }: Result) => JSON.parse(stdout) as readonly Row[];
const rowOf = (result: Result, name: string) => rowsOf(result).find(({ check }) => check === name);
const doctor = ['doctor', '--json'];
const well = [
  ...['versions', 'settings', 'profile', 'base url', 'api key', 'proxy', 'certificates'],
  ...['state folder', 'shared store', 'rate limit', 'service'],
];

describe('doctor', () => {
  test('says what is in force, with no request', async ({ petstore, sandbox, folder }) => {
    const file = saveSettings(folder, '{"profiles":{"staging":{"plan":"pro"}}}');

    const result = await petstore([...doctor, '--profile', 'staging']);

    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(rowsOf(result)).toEqual(
      [
        ['versions', expect.stringMatching(/^petstore \d.*, Node v20\.19\.0, linux$/)],
        ['settings', file],
        ['profile', 'staging (from --profile)'],
        ['base url', 'http://127.0.0.1:4010/v1 (from PETSTORE_BASE_URL)'],
        ['api key', 'from PETSTORE_API_KEY'],
        ['proxy', 'none'],
        ['certificates', 'those of Node.js'],
        ['state folder', join(folder, 'state')],
        ['shared store', 'not set: only commands with this state folder share the rate limit'],
        ['rate limit', 'nothing recorded in the state folder yet'],
        ['service', 'left out: one request is sent with --check, if nothing failed before', 'skip'],
      ].map(([check, finding, status = 'ok']) => ({ check, status, finding })),
    );
    expect(sandbox.requests).toHaveLength(0);
  });

  test('knows the limit once a request was answered', async ({ petstore }) => {
    await petstore('categories list');

    const { exitCode, stdout } = await petstore('doctor');

    expect(exitCode).toBe(0);
    expect(stdout).toContain('\nok    rate limit: minute: 59 of 60 left; day: 1 used\n');
  });

  test('--check sends one request', async ({ petstore, sandbox }) => {
    const result = await petstore([...doctor, '--check']);

    expect(rowsOf(result).map(({ check }) => check)).toEqual(well);
    expect(rowOf(result, 'service')?.finding).toBe('responded in 0 ms with 0 categories');
    expect(result.events()).toMatchObject([{ event: 'rate_limit', remaining: 59 }]);
    expect(sandbox.requests).toHaveLength(1);
  });

  test('works with the sandbox, of whose limit nothing is known', async ({ petstore }) => {
    const env = { PETSTORE_BASE_URL: undefined, PETSTORE_API_KEY: undefined };
    await petstore('categories list');
    const result = await petstore([...doctor, '--profile', 'sandbox'], { env });

    expect(result.exitCode).toBe(0);
    expect(rowsOf(result).map(({ check }) => check)).toEqual(well);
    expect(rowOf(result, 'base url')?.finding).toBe('the built-in sandbox');
    expect(rowOf(result, 'rate limit')?.finding).toBe('nothing recorded in the state folder yet');
  });

  test('runs an api-key-command with --check alone', async ({ petstore, sandbox, folder }) => {
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
    const why =
      'left out: it needs the api-key-command, which runs with --check, if nothing failed before';
    expect(rowOf(offline, 'rate limit')).toMatchObject({ status: 'skip', finding: why });
    expect(online.exitCode).toBe(4);
    expect(ran).toEqual(['show key']);
    expect(sandbox.requests).toHaveLength(0);
  });

  test('names the proxy without its password', async ({ petstore }) => {
    const env = { PETSTORE_BASE_URL: 'https://h/v1', https_proxy: 'http://u:p4ssw0rd@proxy:3128' };

    const { stdout } = await petstore(doctor, { env });

    expect(stdout).toContain('"proxy:3128 (from https_proxy)"');
    expect(stdout).not.toContain('p4ssw0rd');
  });
});

describe('doctor ends as a command would that finds the first thing that is wrong', () => {
  type Case = [string, number, check: string, env: RunOptions['env'], settings?: string];
  const noUrl = { PETSTORE_BASE_URL: undefined };
  const socks = { PETSTORE_BASE_URL: 'https://h/v1', HTTPS_PROXY: 'socks5://u:p4ssw0rd@h' };
  const readOnly = { PETSTORE_API_KEY: undefined, PETSTORE_STATE_DIR: '/proc/self' };

  test.for<Case>([
    ['broken settings', 2, 'settings', {}, '{"profiles": }'],
    ['an unknown plan', 2, 'settings', {}, '{"profiles": {"production": {"plan": "gold"}}}'],
    ['an unknown profile', 2, 'settings', noUrl, '{"default-profile": "sandbx"}'],
    ['no duration', 2, 'settings', { PETSTORE_MAX_WAIT: 'soon' }],
    ['a store of another kind', 2, 'settings', { PETSTORE_SHARED_STORE: 'http://:p4ssw0rd@h' }],
    ['no address', 2, 'base url', noUrl],
    ['a key in the address', 2, 'base url', { PETSTORE_BASE_URL: `https://u:${testKey}@h/v1` }],
    ['no key', 4, 'api key', { PETSTORE_API_KEY: undefined }],
    ['a proxy of another kind', 2, 'proxy', socks],
    ['a relative folder', 2, 'state folder', { PETSTORE_STATE_DIR: 'relative' }],
    ['a folder that cannot be made', 74, 'state folder', { PETSTORE_STATE_DIR: '/proc/none' }],
    ['no key, and no folder either', 4, 'state folder', readOnly],
  ])('%s: exit %i, %s', async (row, { petstore, sandbox, folder }) => {
    const [, exitCode, check, env, settings] = row;
    if (settings !== undefined) saveSettings(folder, settings);

    const result = await petstore([...doctor, '--check'], env ? { env } : {});

    const failed = rowsOf(result).filter(({ status }) => status === 'fail');
    expect(result.exitCode).toBe(exitCode);
    expect(failed.map(({ check }) => check)).toContain(check);
    for (const { fix } of failed) expect(fix).toMatch(/(^|\. )(Run|See|Did you mean): |\.$/);
    expect(new Set(failed.map(({ finding }) => finding)).size).toBe(failed.length);
    expect(result.events().at(-1)).toMatchObject({ event: 'error', message: failed[0]?.finding });
    expect(sandbox.requests).toHaveLength(0);
    expect(result.stdout + result.stderr).not.toMatch(/test-key|p4ssw0rd|u:/);
  });

  test.for([
    [4, () => reply(401, '{}')],
    [5, () => networkError('ENOTFOUND')],
    [75, () => reply(429, '', { 'retry-after': '900' })],
  ] as const)('%i: what --check ended with', async ([exitCode, answer], { petstore, sandbox }) => {
    sandbox.react = answer;

    const result = await petstore([...doctor, '--check']);

    expect(result.exitCode).toBe(exitCode);
    expect(rowOf(result, 'service')?.status).toBe('fail');
  });

  test.for([
    ['60', 'warn', 0],
    ['900', 'fail', 75],
  ] as const)(
    'a wait of %s s is %s: a command would wait two minutes',
    async ([wait, status, exitCode], { petstore, sandbox }) => {
      sandbox.reactions.push(reply(429, '', { 'retry-after': wait }));
      await petstore('categories list --max-wait 0');

      const result = await petstore(doctor);

      expect(result.exitCode).toBe(exitCode);
      expect(rowOf(result, 'rate limit')?.status).toBe(status);
    },
  );
});

describe('doctor reads the file of NODE_EXTRA_CA_CERTS', () => {
  const write = (text: string | Uint8Array) => (file: string) => writeFileSync(file, text);
  const noPem = /^NODE_EXTRA_CA_CERTS is ignored: \S+ holds no certificate$/;
  // The beginning of a certificate in DER.
  const der = Buffer.from('3082030930820', 'hex');

  test.for<[what: string, make: (file: string) => void, finding: RegExp]>([
    ['that is missing', () => {}, /ignored: there is no file \S+$/],
    ['that is a folder', (file) => mkdirSync(file), /ignored: \S+ is a directory$/],
    ['in a link to itself', (file) => symlinkSync(file, file), /\(ELOOP\)$/],
    ['in DER', write(der), /ignored: cannot read \S+ \(not valid UTF-8\)$/],
    ['that is empty', write(''), noPem],
    [
      'with half a certificate',
      write(rootCertificates[0]?.replaceAll(/^.{60}/gm, '') ?? ''),
      noPem,
    ],
    ['with a certificate', write(`# mine\n${rootCertificates[0]}\n`), /^those of Node.js and \S+$/],
  ])('%s', async ([, make, finding], { petstore, folder }) => {
    const file = join(folder, 'ca.pem');
    make(file);

    const result = await petstore(doctor, { env: { NODE_EXTRA_CA_CERTS: file } });

    const row = rowOf(result, 'certificates');
    expect(row?.finding).toMatch(finding);
    const isFault = finding.source.includes('those') === false;
    expect([row?.status, result.exitCode]).toEqual(isFault ? ['fail', 2] : ['ok', 0]);
    if (isFault) expect(row?.fix).toContain('openssl x509 -inform der');
  });
});

describe('doctor says why a check was left out', () => {
  test('once for each fault', async ({ petstore, folder }) => {
    saveSettings(folder, '{"profiles": }');

    const result = await petstore(doctor, { env: { PETSTORE_BASE_URL: undefined } });

    const after = ['proxy', 'shared store', 'rate limit'].map((check) => rowOf(result, check));
    expect(rowsOf(result).filter(({ status }) => status === 'fail')).toHaveLength(1);
    expect(after.map((row) => [row?.status, row?.finding])).toEqual([
      ['skip', 'left out: settings comes first'],
      ['skip', 'left out: settings comes first'],
      ['skip', 'left out: settings comes first'],
    ]);
  });
});

describe('doctor warns of', () => {
  test.for<readonly [string, string, Record<string, string>]>([
    ['base url', 'warn', { PETSTORE_BASE_URL: 'https://pets.example/petstore' }],
    ['base url', 'ok', { PETSTORE_BASE_URL: 'https://pets.example/petstore/v2' }],
  ])('%s: %s, %j', async ([check, status, env], { petstore }) => {
    const result = await petstore(doctor, { env });

    expect(result.exitCode).toBe(0);
    expect(rowOf(result, check)?.status).toBe(status);
    expect(rowOf(result, check)?.finding).toContain(Object.values(env)[0]);
  });

  test('a state folder that cannot hold the limit', async ({ petstore, folder }) => {
    const limits = join(folder, 'state', 'limits');
    mkdirSync(limits, { recursive: true });
    chmodSync(limits, 0o777);

    const result = await petstore(doctor);

    expect(result.exitCode).toBe(0);
    expect(rowOf(result, 'state folder')).toMatchObject({
      status: 'warn',
      finding: `${limits} is writable by other users: the rate limit is kept elsewhere`,
      fix: `Run: chmod 700 '${limits}'`,
    });
  });
});
