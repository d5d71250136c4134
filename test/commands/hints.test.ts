import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
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

const local = 'http://127.0.0.1:4010/v1';
const noUrl = { PETSTORE_BASE_URL: undefined };
const noKey = { PETSTORE_API_KEY: undefined };
const noEnv = { ...noUrl, ...noKey };
const isRoot = process.getuid?.() === 0;

type World = Pick<Fixtures, 'petstore' | 'sandbox' | 'folder'>;
type Options = Parameters<Fixtures['petstore']>[1];
/** Prepares the state in which a hint is printed, and returns the command that prints it. */
type Scene = (world: World) => Step | Promise<Step>;
type Step = { readonly argv: string; readonly options?: Options; readonly canRun?: boolean };

const say = (argv: string, options: Options = {}): Step => ({ argv, options });
const answers =
  (argv: string, ...reactions: (() => Response | Error)[]): Scene =>
  ({ sandbox }) => {
    for (const reaction of reactions) sandbox.reactions.push(reaction());
    return say(argv);
  };
const terminal = (): Options => ({
  columns: 300,
  context: { stdin: Object.assign(Readable.from([]), { isTTY: true }) },
});
const logIn = ({ petstore }: World) =>
  petstore('auth login', { env: { PETSTORE_BASE_URL: local, ...noKey }, stdin: testKey });
const settings = (own: object) => JSON.stringify({ profiles: { production: own } });
const html = { headers: { 'content-type': 'text/html' } };
const keyFile = (folder: string) => join(folder, 'config', 'keys', 'production.json');
const vault = { 'base-url': local, 'api-key-command': 'vault' };
const capture = async () => ({ exitCode: 1, stdout: '' });

/** Each hint with a command, as it stands in src, and the states in which it is printed. */
const hints: Readonly<Record<string, readonly Scene[]>> = {
  'run.ts See: ${path} --help': [() => say('categories')],
  'commands/program.ts See: petstore --help': [() => say('nosuch')],
  'commands/program.ts See: ${commandPath(command)} --help': [() => say('config set nosuch x')],
  'commands/config.ts See: petstore config set --help': [() => say('config get plan')],
  'commands/config.ts Run: petstore profile use ${parseProfileName(value)}': [
    () => say('config set profile staging'),
  ],
  'session/settings.ts Run: ${this.loginCommand(name)}': [
    () => say('categories list -p nosuch'),
    () => say('categories list -p nosuch', { env: noEnv }),
    () => say(`categories list -p nosuch --base-url ${local}`, { env: noEnv }),
    ({ folder }) => {
      saveSettings(folder, settings({ 'base-url': local }));
      return say('profile use nosuch', { env: noEnv });
    },
  ],
  'session/settings.ts Run: ${move(value)}': [
    async (world) => {
      await logIn(world);
      world.sandbox.react = () => reply(200, []);
      return say('orders list', { env: { PETSTORE_BASE_URL: 'https://b.example/v1', ...noKey } });
    },
    ({ folder }) => {
      saveSettings(folder, settings(vault));
      return say('orders list', { env: { PETSTORE_BASE_URL: 'https://b.example/v1', ...noKey } });
    },
  ],
  'session/settings.ts Run: ${commandOn(': [
    ({ folder }) => {
      chmodSync(saveSettings(folder, settings({ 'base-url': local })), 0o666);
      return { ...say('categories list', { env: noUrl }), canRun: isPosix };
    },
  ],
  'session/find-key.ts Run: ${settings.loginCommand()} (or set PETSTORE_API_KEY)': [
    () => say('categories list', { env: noKey }),
    () => say(`categories list --base-url ${local}`, { env: noEnv }),
    () => say('auth status', { env: noEnv }),
  ],
  'session/connect.ts Run: ${next}${otherwise}': [
    () => say('categories list', { env: noUrl }),
    () => say('categories list', { env: noEnv }),
    () => say('auth login -p staging', { env: noEnv }),
    () => say('doctor', { env: noEnv }),
  ],
  'session/key-command.ts Run: ${move}': [
    ({ folder }) => {
      saveSettings(folder, settings({ 'api-key-command': 'vault' }));
      return say('orders list', { env: noKey });
    },
  ],
  'session/key-command.ts See: petstore config get api-key-command${profileFlag(profile)}': [
    ({ folder }) => {
      saveSettings(folder, settings(vault));
      return say('orders list', { env: noEnv, context: { capture } });
    },
  ],
  'settings/keys.ts Run: petstore auth login --profile ${profile}': [
    async (world) => {
      await logIn(world);
      const text = readFileSync(keyFile(world.folder), 'utf8');
      writeFileSync(keyFile(world.folder), text.slice(0, -3));
      return say('orders list', { env: noKey });
    },
  ],
  'disk/files.ts Run: petstore auth login': isRoot // Nobody else can give a file away.
    ? [
        async (world) => {
          await logIn(world);
          chownSync(keyFile(world.folder), 65_534, 65_534);
          return say('orders list', { env: noKey });
        },
      ]
    : [],
  'disk/files.ts Run: ${commandOn(': [
    ({ folder }) => {
      mkdirSync(join(folder, 'config'));
      symlinkSync('/nowhere', join(folder, 'config', 'settings.json'));
      return say('config set output json');
    },
    async (world) => {
      await logIn(world);
      chmodSync(keyFile(world.folder), 0o644);
      return { ...say('orders list', { env: noKey }), canRun: isPosix };
    },
  ],
  'disk/private-folder.ts Run: ${commandOn(': [
    ({ folder }) => {
      mkdirSync(join(folder, 'state', 'turns'), { recursive: true });
      chmodSync(join(folder, 'state', 'turns'), 0o777);
      const argv = 'categories import - --format ndjson --yes';
      return { ...say(argv, { stdin: '{"name":"dog"}' }), canRun: isPosix };
    },
  ],
  'commands/auth.ts Run: petstore categories list --profile sandbox': [
    ({ sandbox }) => {
      sandbox.react = () => reply(200, []);
      return say('auth login -p sandbox');
    },
  ],
  'commands/auth.ts Run: petstore config unset api-key-command${profileFlag(profile)}': [
    ({ folder }) => {
      saveSettings(folder, settings(vault));
      return say('auth login', { env: noEnv });
    },
  ],
  'commands/auth.ts Run: ${session.settings.loginCommand()}': [
    () => say('auth login --no-input', { ...terminal(), env: noKey }),
  ],
  'commands/auth.ts Run: ${renew}': [
    ({ sandbox }) => {
      sandbox.reactions.push(reply(200, 'no list'));
      return say(`auth login --base-url ${local}`, { env: noEnv, stdin: testKey });
    },
  ],
  'commands/categories/get.ts See: petstore categories list': [() => say("categories get ''")],
  'commands/categories/get.ts See: petstore categories list --search TEXT${flag}': [
    () => say('categories get nosuch -p production'),
  ],
  'commands/categories/get.ts See: petstore categories ${next}${flag}': [
    ({ sandbox }) => {
      sandbox.categories.push({ id: 1, name: 'dog' }, { id: 2, name: 'dog' });
      return say('categories get dog');
    },
  ],
  'service/outcome.ts Run: ${key.renew}': [
    async (world) => {
      await logIn(world);
      world.sandbox.reactions.push(reply(401, {}));
      return say('orders list', { env: noKey });
    },
    () => say(`auth login --base-url ${local}`, { env: noEnv, stdin: 'wrong-key-0123456789' }),
  ],
  'service/outcome.ts See: petstore config list': [answers('orders list', () => reply(404, ''))],
  'service/outcome.ts Run: petstore ${isCreate ? ': [
    answers('api POST /categories --data {}', () => reply(500, '')),
  ],
  'service/decode.ts See: petstore config list': [
    answers('orders list', () => new Response('<html>', html)),
  ],
  'request/breakdown.ts Run: petstore config list': [
    answers('orders list', () => networkError('ENOTFOUND')),
  ],
  'limit/deliver.ts Run: petstore doctor --check': [
    ({ sandbox }) => {
      const fault = () => networkError('ECONNRESET');
      sandbox.reactions.push(fault(), fault(), fault(), fault());
      return say('orders list');
    },
  ],
  'limit/words.ts See: petstore limits': [
    answers('orders list --max-wait 0', () =>
      reply(429, { code: 'banned', message: 'banned', status: 429 }, { 'retry-after': '600' }),
    ),
  ],
};

/** Hints that are not run here, and the reason. */
const elsewhere: Readonly<Record<string, string>> = {
  'commands/categories/create.ts Run: petstore categories get ${first.id}${profileFlag(session.profile)}':
    'test/commands/categories/create.test.ts',
  'commands/sandbox/run-program.ts Run: petstore sandbox -- sh ${quoteForShell(program)}':
    'names a file of the user',
  'import/json-rows.ts Run: ${jq}': 'takes jq',
  'import/turn-cell.ts Run: petstore doctor': 'takes a store that is away',
  'import/turn-cell.ts Run: ${command}': 'deletes a value that a later version wrote',
};

test('each hint of src has a row here', () => {
  const src = join(import.meta.dirname, '../../src');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' });
  const found = files
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) =>
      [...readFileSync(join(src, name), 'utf8').matchAll(/(?:Run|See): [^'`\n]*/g)].map(
        ([hint]) => `${name.replaceAll('\\', '/')} ${hint}`,
      ),
    );

  expect([...new Set(found)].sort()).toEqual(
    [...Object.keys(hints), ...Object.keys(elsewhere)].sort(),
  );
});

const scenes = Object.entries(hints).flatMap(([hint, all]) =>
  all.map((scene, index) => [hint, index, scene] as const),
);

test.for(scenes)(
  '%s (%i) works where it is printed',
  async ([, , scene], { petstore, sandbox, folder }) => {
    const { argv, options = {}, canRun = true } = await scene({ petstore, sandbox, folder });
    const { env = {}, context: { capture } = {} } = options;
    const { stdout, stderr } = await petstore(argv, options);

    const [, command = ''] =
      /.*^.*(?:Run|See): (.*?)(?: \([^)]*\))?$/ms.exec(stdout + stderr) ?? [];
    expect(command, stdout + stderr).not.toBe('');
    if (!canRun) return;
    if (!command.startsWith('petstore ')) execFileSync('sh', ['-c', command]);
    const next = command.startsWith('petstore ') ? command.slice('petstore '.length) : argv;
    const filled = next
      .replace(' < KEY_FILE', '')
      .replace('https://HOST/v1', local)
      .replace('GET PATH', 'GET /categories');
    const stdin = options.stdin?.startsWith('{') ? options.stdin : testKey;
    const result = await petstore(filled, {
      env,
      stdin,
      ...(capture && { context: { capture } }),
    });

    expect(result.exitCode, `${command}\n${result.stderr}`).toBe(0);
  },
);
