import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import {
  expect,
  type Fixtures,
  networkError,
  noEnv,
  reply,
  test,
  testKey,
} from '../support/petstore.ts';
import { saveSettings } from '../support/settings-file.ts';

/** How it ends with a setting or an answer that is wrong is in messages/settings.txt and messages/service.txt. */
test('doctor says what is in force, with no request', async ({ petstore, sandbox, folder }) => {
  const file = saveSettings(folder, '{"profiles":{"staging":{"plan":"pro"}}}');

  const { exitCode, json } = await petstore('doctor --json --profile staging');

  expect(exitCode).toBe(0);
  expect(json).toEqual(
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
      ['import', 'nothing is waited for'],
      ['service', 'not tried: add --check', 'skip'],
    ].map(([check, finding, status = 'ok']) => ({ check, status, finding })),
  );
  expect(sandbox.requests).toHaveLength(0);
});

test('doctor names a fault once, and what it left out for it', async ({ petstore, folder }) => {
  saveSettings(folder, '{"profiles": }');

  const { stdout, stderr } = await petstore('doctor', { env: { PETSTORE_BASE_URL: undefined } });

  expect(stdout.match(/^fail .*/gm)).toEqual([expect.stringContaining('settings: ')]);
  expect(stdout.match(/^skip .*$/gm)?.slice(0, 6)).toEqual([
    'skip  base url: not tried: mend the settings first',
    'skip  proxy: not tried: mend the settings first',
    'skip  shared store: not tried: mend the settings first',
    'skip  rate limit: not tried: mend the settings first',
    'skip  import: not tried: mend the settings first',
    'skip  service: not tried: mend the settings first',
  ]);
  expect(stderr).toBe('petstore: 1 check failed: settings\n');
});

test('doctor --check runs an api-key-command once, and says it of the key', async ({
  petstore,
  sandbox,
  folder,
}) => {
  setCommand({ folder });
  const ends = [
    { exitCode: 127, stdout: '' },
    { exitCode: 0, stdout: testKey },
  ];
  const run = () => {
    const context = { capture: async () => ends.shift() ?? expect.unreachable() };
    return petstore('doctor --check', { env: noEnv, context });
  };

  const missing = await run();
  const there = await run();

  expect(missing).toMatchObject({ exitCode: 4, stderr: 'petstore: 1 check failed: api key\n' });
  expect(missing.stdout.match(/^(fail|skip) .*/gm)?.slice(0, 4)).toEqual([
    'fail  api key: the api-key-command of profile production failed: command not found',
    'skip  rate limit: not tried: mend the API key first',
    'skip  import: not tried: mend the API key first',
    'skip  service: not tried: mend the API key first',
  ]);
  expect(there).toMatchObject({ exitCode: 0, stdout: expect.not.stringMatching(/^(fail|skip)/m) });
  expect(sandbox.requests).toHaveLength(1);
});

type World = Pick<Fixtures, 'petstore' | 'sandbox' | 'folder'>;
type Row = [shows: RegExp, exitCode: number, line?: string, env?: object, prepare?: Prepare];
type Prepare = (world: World) => unknown;

const pets = { PETSTORE_BASE_URL: 'https://pets.example/petstore' };
const pets2 = { PETSTORE_BASE_URL: 'https://pets.example/petstore/v2' };
const proxied = { ...pets, https_proxy: 'http://u:p4ssw0rd@proxy:3128' };

test.for<Row>([
  [/^ok {4}rate limit: minute: 59 of 60 left; day: 1 used$/m, 0, '', {}, listFirst],
  [/^warn {2}rate limit: rate limit exceeded; next request in 1m/m, 0, '', {}, refused(60)],
  [/^fail {2}rate limit: rate limit exceeded$/m, 75, '', {}, refused(900)],
  [/^ok {4}service: responded in 0 ms with 0 categories$/m, 0, '--check'],
  [/^fail {2}service: \S+ closed the connection after 4 tries\n(?!.)/m, 5, '--check', {}, away],
  [/^skip {2}rate limit: not tried: add --check$/m, 0, '', noEnv, setCommand],
  [/^skip {2}service: not tried: mend the base URL first$/m, 2, '--check', noEnv],
  [/^ok {4}base url: the built-in sandbox$/m, 0, '-p sandbox', noEnv],
  [/^ok {4}rate limit: nothing recorded in the state/m, 0, '-p sandbox', noEnv, listFirst],
  [/^warn {2}base url: \S+petstore \(.*\): .*\n +It ends with/m, 0, '', pets],
  [/^ok {4}base url: \S+\/petstore\/v2 /m, 0, '', pets2],
  [/^ok {4}proxy: proxy:3128 \(from https_proxy\)$/m, 0, '', proxied],
  [
    /^fail {2}state folder: (\S+\/limits) is writable by other users\n +Run: chmod go-w '\1'$/m,
    74,
    '',
    {},
    openLimits,
  ],
])('doctor finds %s: exit %i', async (row, { petstore, sandbox, folder }) => {
  const [shows, exit, line = '', env = {}, prepare] = row;
  await prepare?.({ petstore, sandbox, folder });

  const options = { env: { ...env }, secrets: ['p4ssw0rd'] };
  const stdout = expect.stringMatching(shows);
  expect(await petstore(`doctor ${line}`, options)).toMatchObject({ exitCode: exit, stdout });
});

const [root = ''] = rootCertificates;
const der = Buffer.from('3082030930820', 'hex');
const half = root.replaceAll(/^.{60}/gm, '');

test.for<[what: string, finding: string, make: (file: string) => void]>([
  ['is missing', 'there is no file FILE', () => {}],
  ['is a folder', 'FILE is a directory', (file) => mkdirSync(file)],
  ['is a link to itself', 'cannot read FILE (ELOOP)', (file) => symlinkSync(file, file)],
  ['is in DER', 'cannot read FILE (not valid UTF-8)', (file) => writeFileSync(file, der)],
  ['is empty', 'FILE holds no certificate', (file) => writeFileSync(file, '')],
  ['has half a certificate', 'FILE holds no certificate', (file) => writeFileSync(file, half)],
  ['has a certificate', '', (file) => writeFileSync(file, `# mine\n${root}\n`)],
])(
  'doctor reads the file of NODE_EXTRA_CA_CERTS: one that %s',
  async (row, { petstore, sandbox, folder }) => {
    const [, finding, make] = row;
    const file = join(folder, 'ca.pem');
    make(file);

    const { exitCode, stdout } = await petstore('doctor --check', {
      env: { NODE_EXTRA_CA_CERTS: file },
    });

    const line = finding
      ? `fail  certificates: NODE_EXTRA_CA_CERTS is ignored: ${finding.replace('FILE', file)}\n      It must name a file in PEM, which is text. One in DER: openssl x509 -inform der`
      : `ok    certificates: those of Node.js and ${file}\n`;
    expect(stdout).toContain(line);
    expect([exitCode, sandbox.requests.length]).toEqual(finding ? [2, 0] : [0, 1]);
  },
);

function openLimits({ folder }: World) {
  mkdirSync(join(folder, 'state', 'limits'), { recursive: true });
  chmodSync(join(folder, 'state', 'limits'), 0o777);
}

/** No program is there that could run. */
function setCommand({ folder }: Pick<World, 'folder'>) {
  const production = { 'api-key-command': 'show key', 'base-url': 'http://127.0.0.1:4010/v1' };
  saveSettings(folder, JSON.stringify({ profiles: { production } }));
}

function listFirst({ petstore }: World) {
  return petstore('categories list');
}

function away({ sandbox }: World) {
  sandbox.react = () => networkError('ECONNRESET');
}

/** Leaves a wait of so many seconds; a command would wait two minutes. */
function refused(seconds: number): Prepare {
  return ({ petstore, sandbox }) => {
    sandbox.reactions.push(reply(429, '', { 'retry-after': String(seconds) }));
    return petstore('categories list --max-wait 0');
  };
}
