import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, type Fixtures, networkError, reply, test, testKey } from '../support/petstore.ts';
import { isPosix } from '../support/posix.ts';
import { saveSettings } from '../support/settings-file.ts';
import { category } from '../support/values.ts';

type World = Pick<Fixtures, 'petstore' | 'sandbox' | 'folder'>;
type Options = NonNullable<Parameters<Fixtures['petstore']>[1]>;
/** The start of a hint as it stands in src, a command that prints it, and how and in which state that is run. */
type Row = [hint: string, line: string, ...state: (Options | Prepare)[]];
type Prepare = (world: World) => unknown;

const local = 'http://127.0.0.1:4010/v1';
const noUrl = { env: { PETSTORE_BASE_URL: undefined } };
const noKey = { env: { PETSTORE_API_KEY: undefined } };
const noEnv = { env: { ...noUrl.env, ...noKey.env } };
const moved = { env: { ...noKey.env, PETSTORE_BASE_URL: 'https://b.example/v1' } };
const asAnother = { ...noKey, context: { uid: 12_345 } };
const terminal = { stdin: Object.assign(Readable.from([]), { isTTY: true }) };
const capture = async () => ({ exitCode: 1, stdout: '' });
const fails = { ...noEnv, context: { capture } };
const lost = networkError('ENOTFOUND');
const resets = Array.from({ length: 4 }, () => networkError('ECONNRESET'));
const html = { 'content-type': 'text/html' };
const banned = reply(429, { code: 'banned', message: 'no' }, { 'retry-after': '600' });
const vault = { 'base-url': local, 'api-key-command': 'vault' };

const rows: Row[] = [
  ['run.ts See: ${path', 'categories'],
  ['commands/program.ts See: petstore --help', 'nosuch'],
  ['commands/program.ts See: ${commandPath', 'config set nosuch x'],
  ['commands/config.ts See: petstore config set --help', 'config get plan'],
  ['commands/config.ts Run: petstore profile use ', 'config set profile staging'],
  ['session/settings.ts Run: ${this', 'categories list -p nosuch'],
  ['session/settings.ts Run: ${this', 'categories list -p nosuch', noEnv],
  ['session/settings.ts Run: ${this', `categories list -p nosuch --base-url ${local}`, noEnv],
  ['session/settings.ts Run: ${this', 'profile use nosuch', noEnv, saved({ 'base-url': local })],
  ['session/settings.ts Run: ${move', 'orders list', moved, logInThenListNothing],
  ['session/settings.ts Run: ${move', 'orders list', moved, saved(vault)],
  ['session/settings.ts Run: ${commandOn', 'categories list', noUrl, saved(vault, 0o666)],
  ['session/find-key.ts Run: ${settings', 'categories list', noKey],
  ['session/find-key.ts Run: ${settings', `categories list --base-url ${local}`, noEnv],
  ['session/find-key.ts Run: ${settings', 'auth status', noEnv],
  ['session/connect.ts Run: ${next', 'categories list', noUrl],
  ['session/connect.ts Run: ${next', 'doctor', noEnv],
  ['session/connect.ts Run: ${next', 'auth login -p staging', noEnv],
  ['session/key-command.ts Run: ${move', 'orders list', noKey, saved({ 'api-key-command': 'x' })],
  [
    'session/key-command.ts See: petstore config get api-key-command',
    'orders list',
    fails,
    saved(vault),
  ],
  ['settings/keys.ts Run: petstore auth login --profile ', 'orders list', noKey, breakKey],
  ['disk/files.ts Run: petstore auth login', 'orders list', asAnother, logIn],
  ['disk/files.ts Run: ${commandOn', 'config set output json', linkSettings],
  ['disk/files.ts Run: ${commandOn', 'orders list', noKey, openKey],
  [
    'disk/private-folder.ts Run: ${commandOn',
    'categories import - --format ndjson --yes',
    { stdin: '{"name":"dog"}' },
    openTurns,
  ],
  [
    'commands/auth.ts Run: petstore categories list --profile sandbox',
    'auth login -p sandbox',
    answers(reply(200, [])),
  ],
  [
    'commands/auth.ts Run: petstore config unset api-key-command',
    'auth login',
    noEnv,
    saved(vault),
  ],
  ['commands/auth.ts Run: ${session', 'auth login --no-input', { ...noKey, context: terminal }],
  [
    'commands/auth.ts Run: ${renew',
    `auth login --base-url ${local}`,
    { ...noEnv, stdin: testKey },
    answers(reply(200, 'no list')),
  ],
  ['commands/categories/get.ts See: petstore categories list', "categories get ''"],
  [
    'commands/categories/get.ts See: petstore categories list --search TEXT',
    'categories get nosuch -p production',
  ],
  ['commands/categories/get.ts See: petstore categories ', 'categories get dog', twoDogs],
  ['service/outcome.ts Run: ${key', 'orders list', noKey, logInThenGet401],
  ['service/outcome.ts See: petstore config list', 'orders list', answers(reply(404, ''))],
  ['service/outcome.ts Run: petstore ', 'api POST /categories --data {}', answers(reply(500, ''))],
  [
    'service/decode.ts See: petstore config list',
    'orders list',
    answers(reply(200, '<html>', html)),
  ],
  ['request/breakdown.ts Run: petstore config list', 'orders list', answers(lost)],
  ['limit/deliver.ts Run: petstore doctor --check', 'orders list', answers(...resets)],
  ['limit/words.ts See: petstore limits', 'orders list --max-wait 0', answers(banned)],
];

/** Hints that are not run here, and the reason. */
const elsewhere: Readonly<Record<string, string>> = {
  'commands/categories/create.ts Run: petstore categories get ': 'categories/create.test.ts',
  'commands/sandbox/run-program.ts Run: petstore sandbox -- sh ': 'names a file of the user',
  'import/json-rows.ts Run: ${jq': 'takes jq',
  'import/turn-cell.ts Run: petstore doctor': 'takes a store that is away',
  'import/turn-cell.ts Run: ${command': 'deletes a value that a later version wrote',
};

test('each hint of src has a row here', () => {
  const src = join(import.meta.dirname, '../../src');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' });
  const found = files
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) =>
      [
        ...readFileSync(join(src, name), 'utf8').matchAll(/(?:Run|See): (?:\$\{\w+|[^'`$(\n]+)/g),
      ].map(([hint]) => `${name.replaceAll('\\', '/')} ${hint}`),
    );

  expect(new Set(found)).toEqual(
    new Set([...rows.map(([hint]) => hint), ...Object.keys(elsewhere)]),
  );
});

test.for(rows)('%s: what "%s" prints works', async (row, { petstore, sandbox, folder }) => {
  const [, line, ...state] = row;
  const options = state.find((one) => typeof one === 'object') ?? {};
  for (const one of state) if (typeof one === 'function') await one({ petstore, sandbox, folder });
  const { stdout, stderr } = await petstore(line, options);

  const [, command = ''] = /.*^.*(?:Run|See): (.*?)(?: \([^)]*\))?$/ms.exec(stdout + stderr) ?? [];
  expect(command, stdout + stderr).not.toBe('');
  const isOurs = command.startsWith('petstore ');
  if (!isOurs && !isPosix) return;
  if (!isOurs) execFileSync('sh', ['-c', command]);
  const filled = command
    .replace('petstore ', '')
    .replace(' < KEY_FILE', '')
    .replace('https://HOST/v1', local)
    .replace('GET PATH', 'GET /categories');
  const { env, context } = options;
  const { exitCode, stderr: said } = await petstore(isOurs ? filled : line, {
    ...(env && { env }),
    stdin: isOurs ? testKey : (options.stdin ?? ''),
    ...(context?.capture && { context: { capture } }),
  });

  expect(exitCode, `${command}\n${said}`).toBe(0);
});

function logIn({ petstore }: World) {
  return petstore('auth login', { ...noKey, stdin: testKey });
}

function answers(...reactions: (Response | Error)[]) {
  return ({ sandbox }: World) => sandbox.reactions.push(...reactions);
}

async function logInThenGet401(world: World) {
  await logIn(world);
  answers(reply(401, {}))(world);
}

async function logInThenListNothing(world: World) {
  await logIn(world);
  world.sandbox.react = () => reply(200, []);
}

function saved(production: object, mode = 0o600) {
  return ({ folder }: World) =>
    chmodSync(saveSettings(folder, JSON.stringify({ profiles: { production } })), mode);
}

function twoDogs({ sandbox }: World) {
  sandbox.categories.push(category('1', 'dog'), category('2', 'dog'));
}

function keyFile({ folder }: World) {
  return join(folder, 'config', 'keys', 'production.json');
}

async function breakKey(world: World) {
  await logIn(world);
  writeFileSync(keyFile(world), readFileSync(keyFile(world), 'utf8').slice(0, -3));
}

async function openKey(world: World) {
  await logIn(world);
  chmodSync(keyFile(world), 0o644);
}

function linkSettings({ folder }: World) {
  mkdirSync(join(folder, 'config'));
  symlinkSync('/nowhere', join(folder, 'config', 'settings.json'));
}

function openTurns({ folder }: World) {
  mkdirSync(join(folder, 'state', 'turns'), { recursive: true });
  chmodSync(join(folder, 'state', 'turns'), 0o777);
}
