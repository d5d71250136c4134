import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  expect,
  type Fixtures,
  networkError,
  reply,
  silence,
  test,
  testKey,
} from '../support/petstore.ts';
import { isPosix } from '../support/posix.ts';
import { saveSettings } from '../support/settings-file.ts';
import { category, interrupted } from '../support/values.ts';

type World = Pick<Fixtures, 'petstore' | 'sandbox' | 'folder'>;
type Options = NonNullable<Parameters<Fixtures['petstore']>[1]>;
type Row = [line: string, ...state: (Options | Prepare)[]];
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
  ['categories'],
  ['nosuch'],
  ['config set nosuch x'],
  ['config get plan'],
  ['categories list -p nosuch'],
  ['categories list -p nosuch', noEnv],
  [`categories list -p nosuch --base-url ${local}`, noEnv],
  ['profile use nosuch', noEnv, saved({ 'base-url': local })],
  ['orders list', moved, logInThenListNothing],
  ['orders list', moved, saved(vault)],
  ['categories list', noUrl, saved(vault, 0o666)],
  ['categories list', noKey],
  [`categories list --base-url ${local}`, noEnv],
  ['auth status', noEnv],
  ['categories list', noUrl],
  ['doctor', noEnv],
  ['auth login -p staging', noEnv],
  ['orders list', noKey, saved({ 'api-key-command': 'x' })],
  ['orders list', fails, saved(vault)],
  ['doctor --check', fails, saved(vault)],
  ['orders list', noKey, breakKey],
  ['orders list', asAnother, logIn],
  ['config set output json', linkSettings],
  ['orders list', noKey, openKey],
  ['categories import - --format ndjson --yes', { stdin: '{"name":"dog"}' }, openTurns],
  ['auth login -p sandbox', answers(reply(200, []))],
  ['auth login', noEnv, saved(vault)],
  ['auth login --no-input', { ...noKey, columns: 200, context: terminal }],
  [`auth login --base-url ${local}`, { ...noEnv, stdin: testKey }, answers(reply(200, 'no list'))],
  ["categories get ''"],
  ['categories get nosuch -p production'],
  ['categories get dog', twoDogs],
  [
    'categories get Dog -p production',
    ({ sandbox }) => sandbox.categories.push(category('-4', 'dog')),
  ],
  ['orders list', noKey, logInThenGet401],
  ['orders list', answers(reply(302, '', { location: 'https://b.example' }))],
  ['categories create dog', twoDogs, answers(reply(500, ''))],
  ['orders list', answers(reply(404, ''))],
  ['api POST /categories --data {}', answers(reply(500, ''))],
  ['orders list', answers(reply(200, '<html>', html))],
  ['orders list', answers(lost)],
  ['orders list', answers(...resets)],
  ['orders list --max-wait 0', answers(banned)],
];

/** Each one also with a profile, which the hint then has as well, unless it has another one. */
const all = rows.flatMap((row): Row[] => {
  const [line, ...state] = row;
  return line.includes(' -p ') ? [row] : [row, [`${line} -p production`, ...state]];
});

test.for(all)('the hint of "%s" works, row %#', async (row, { petstore, sandbox, folder }) => {
  const [line, ...state] = row;
  const options = state.find((one) => typeof one === 'object') ?? {};
  for (const one of state) if (typeof one === 'function') await one({ petstore, sandbox, folder });
  const { stdout, stderr } = await petstore(line, options);

  const [, command = ''] = /.*^.*(?:Run|See): (.*?)(?: \([^)]*\))?$/ms.exec(stdout + stderr) ?? [];
  expect(command, stdout + stderr).not.toBe('');
  const isOurs = command.startsWith('petstore ');
  const hasProfile = line.endsWith(' -p production');
  if (!isOurs && (hasProfile || !isPosix)) return;
  if (!isOurs) execFileSync('sh', ['-c', command]);
  if (hasProfile) expect(command).toMatch(/ --help$| --profile (?:production|nosuch)/);
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

test.for([
  ['categories create x', 'categories list'],
  ['api POST /categories --data {}', 'api GET PATH'],
])('after Ctrl-C in "%s" the hint has its profile', async ([line, next], { petstore, sandbox }) => {
  const ctrlC = new AbortController();
  sandbox.reactions.push(({ onSent }) => {
    onSent();
    ctrlC.abort(interrupted(130));
    return silence;
  });

  const { exitCode, stderr } = await petstore(`${line} -p staging`, { signal: ctrlC.signal });

  expect(exitCode).toBe(130);
  expect(stderr).toMatch(`Run: petstore ${next} --profile staging\n`);
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
