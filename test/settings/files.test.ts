import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, noEnv, noKey, test, testKey } from '../support/petstore.ts';
import { isPosix } from '../support/posix.ts';
import { saveSettings } from '../support/settings-file.ts';

const isRoot = process.getuid?.() === 0;
const key = 'config/keys/production.json';
const settings = 'config/settings.json';
const list = 'categories list';
/** What reads each of the files, in the folder of the test. */
const readers = {
  [key]: [list],
  [settings]: [list, 'config set output json'],
  'key.txt': [`${list} --api-key-file FOLDER/key.txt`],
};

type Make = (path: string) => void;
const stored = JSON.stringify({ origin: 'http://127.0.0.1:4010', key: testKey });
const writeStored = (change: (text: string) => string) => write(change(stored));
const production = '{"profiles":{\r\n"production":';
const corrupted = 'corrupted\nNothing was sent.\nRun: petstore auth login --profile production\n';

test.for<[keyof typeof readers, string, Make, string, isPossible?: boolean]>([
  [key, 'readable by its group', write(stored, 0o640), 'is readable by other users', isPosix],
  [key, 'readable by all', write(stored, 0o604), "Run: chmod 600 '", isPosix],
  [key, 'of another user', writeAsOther, 'is owned by another user\nNothing was sent.\n', isRoot],
  [key, 'a pipe', (path) => execFileSync('mkfifo', ['-m', '600', path]), 'is not a regular file'],
  [key, 'a folder', (path) => mkdirSync(path), 'is a directory'],
  [key, 'a link to itself', (path) => symlinkSync(path, path), '(ELOOP)'],
  [key, 'a link to nothing', linkToNothing, 'is a symbolic link that leads nowhere\n'],
  [key, 'cut short', writeStored((text) => text.slice(0, -2)), corrupted],
  [key, 'of a wrong type', write('{"origin":"https://a.example","key":1}'), corrupted],
  [key, 'of a newer version', writeStored((text) => text.replace('{', '{"version":2,')), corrupted],
  [key, 'not UTF-8', write(Buffer.from([0x22, 0xff])), 'not valid UTF-8'],
  [key, 'two words', writeStored((text) => text.replace('key-', ' ')), ': character 6 is a space'],
  [settings, 'a folder', (path) => mkdirSync(path), 'is a directory'],
  [settings, 'a link to nothing', linkToNothing, 'is a symbolic link that leads nowhere\n'],
  [settings, 'cut short', write('{\n  "profiles": {'), ':2:16): '],
  [settings, 'empty', write(''), ':1:1): unexpected end of input'],
  [settings, 'a list', write('[]'), '): must be an object, not an array'],
  [settings, 'with a name twice', write('{"profiles":{},\n"profiles":{}}'), ':2:'],
  [
    settings,
    'of a wrong type',
    write(`${production}{"output":1}}}`),
    '): profiles: production: output must be a string, not a number',
  ],
  [
    settings,
    'of a profile with capitals',
    write('{"profiles":{"Prod":{}}}'),
    'profiles: "Prod" is not a valid profile name\nNothing was ',
  ],
  ['key.txt', 'a device', (path) => symlinkSync('/dev/null', path), 'is not a regular file'],
])(
  '%s that is %s is refused, named and left as it is',
  async (row, { petstore, sandbox, folder, skip }) => {
    const [name, , make, says, isPossible = true] = row;
    skip(!isPossible);
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    make(path);
    const { ino, size, mtimeMs, mode } = lstatSync(path);
    const beside = readdirSync(dirname(path));

    for (const line of readers[name]) {
      const env = name === settings ? noEnv : noKey;
      const result = await petstore(line.replace('FOLDER', folder), { env });

      expect(result).toMatchObject({ exitCode: 2, stdout: '' });
      expect(result.stderr).toContain(path);
      expect(result.stderr).toContain(says);
      expect(result.stderr.trim().split('\n').length, result.stderr).toBeLessThan(4);
    }
    expect(sandbox.requests).toHaveLength(0);
    expect(lstatSync(path)).toMatchObject({ ino, size, mtimeMs, mode });
    expect(readdirSync(dirname(path))).toEqual(beside);
  },
);

test('a stored key that cannot be used stands in the way of its own profile alone', async ({
  petstore,
  folder,
}) => {
  mkdirSync(dirname(join(folder, key)), { recursive: true });
  write('{')(join(folder, key));

  expect(await petstore(list)).toMatchObject({ exitCode: 0 });
  expect(await petstore(`${list} -p production`)).toMatchObject({ exitCode: 2, stdout: '' });
});

test.for(['config list', 'profile list'])(
  'a broken settings file is named once by %s',
  async (line, { petstore, folder }) => {
    write('{')(saveSettings(folder, ''));

    const { exitCode, stderr } = await petstore(line);

    expect([exitCode, stderr.split('is not valid JSON').length]).toEqual([2, 2]);
  },
);

const local = 'http://127.0.0.1:4010/v1';
const guarded = JSON.stringify({
  'default-profile': 'staging',
  profiles: { production: { 'base-url': local, 'api-key-command': 'a program that is not there' } },
});

const chmod = "Run: chmod go-w '";
const openFiles: [string, string, open: (config: string) => void, says?: string][] = [
  ['base-url', 'others can write the file', (config) => chmodSync(fileIn(config), 0o602)],
  ['api-key-command', 'a group can write the folder', (config) => chmodSync(config, 0o770)],
  ['default-profile', 'others can write where a link leads to', moveToOpenFolder],
];
const owner = (config: string) => chownSync(fileIn(config), 12_345, 0);
if (isRoot) openFiles.push(['base-url', 'another user owns it', owner, 'without sudo']);
test.skipIf(!isPosix).for(openFiles)(
  '%s is not taken from a file where %s',
  async (row, { petstore, sandbox, folder }) => {
    const [name, , open, says = chmod] = row;
    open(dirname(saveSettings(folder, guarded)));

    const env = { PETSTORE_BASE_URL: name === 'base-url' ? undefined : local };
    const flags = name === 'default-profile' ? '' : '-p production';
    const { exitCode, stderr } = await petstore(`${list} ${flags}`, { env });
    const shown = await petstore('config list -p production');

    expect(exitCode).toBe(2);
    expect(stderr.split('no base-url, api-key-command or default-profile is taken')).toHaveLength(
      2,
    );
    expect(stderr).toContain(says);
    expect(shown.stderr, 'of config list').toContain('no base-url, api-key-command');
    expect(sandbox.requests).toHaveLength(0);
  },
);

test
  .skipIf(!isPosix)
  .for([
    'profile use production',
    'config set max-wait 5m',
    'config unset base-url',
    'auth login --profile staging',
  ])(
  'what others wrote does not become the user’s own by %s',
  async (line, { petstore, sandbox, folder }) => {
    const path = saveSettings(folder, guarded);
    chmodSync(path, 0o666);

    const env = { PETSTORE_PROFILE: 'production', PETSTORE_BASE_URL: local };
    const { exitCode, stderr } = await petstore(line, { env, stdin: testKey });

    expect(exitCode).toBe(2);
    expect(stderr).toContain(`taken from it\nNothing was saved.\n${chmod}`);
    expect([statSync(path).mode & 0o777, sandbox.requests.length]).toEqual([0o666, 0]);
  },
);

test.runIf(isRoot)(
  'a settings file of root is as good as one’s own',
  async ({ petstore, folder }) => {
    saveSettings(folder, guarded);

    const env = { PETSTORE_BASE_URL: undefined };
    expect(
      (await petstore('auth status -p production', { env, context: { uid: 12_345 } })).exitCode,
    ).toBe(0);
  },
);

test('files are read through links and after a byte order mark, and a link stays one', async ({
  petstore,
  folder,
}) => {
  const path = saveSettings(folder, '');
  const [keys, vault] = [join(folder, 'config', 'keys'), join(folder, 'vault')];
  for (const made of [keys, vault]) mkdirSync(made);
  renameSync(path, join(vault, 'settings.json'));
  write('\ufeff{"default-profile":"staging"}')(join(vault, 'settings.json'));
  write(`\ufeff${stored}`)(join(vault, 'key'));
  symlinkSync('../vault/settings.json', path);
  symlinkSync('../../vault/key', join(keys, 'staging.json'));

  const saved = await petstore('config set output json');
  const listed = await petstore(list, { env: noKey });

  expect([saved.exitCode, listed.exitCode, listed.stdout]).toEqual([0, 0, '[]\n']);
  expect(lstatSync(path).isSymbolicLink()).toBe(true);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
    'default-profile': 'staging',
    profiles: { staging: { output: 'json' } },
  });
  expect(readdirSync(vault).sort()).toEqual(['key', 'settings.json']);
});

test.for([
  ['{"profiles":{"production":{"base_url":"x","n":9007199254740993}}}', 'base_url, n'],
  ['{"version":9}', 'version'],
  ['{"__proto__":{},"profiles":{"production":{"__proto__":{"output":"json"}}}}', '__proto__, __pr'],
] as const)(
  'fields that are not known are named, give nothing, and are kept: %s',
  async ([text, names], { petstore, folder }) => {
    const file = saveSettings(folder, text);

    const listed = await petstore(list);
    await petstore('config set output csv -p staging');
    await petstore('config unset output -p staging');

    expect(listed.exitCode).toBe(0);
    expect(listed.stderr).toContain(`petstore: ${file} has fields that are not known: ${names}`);
    expect(readFileSync(file, 'utf8').replace(/\s/g, '')).toContain(text.slice(1, -2));
  },
);

const seconds = 1_000;
const staging = JSON.stringify({ profiles: { staging: { output: 'csv' } } });

test.for<[string, ageMs: number, exitCode: number]>([
  ['that another process has just taken', 0, 74],
  ['of a process that was killed five seconds ago', 5 * seconds, 74],
  ['of a process that was killed nine seconds ago', 9 * seconds, 0],
  ['of a process that was killed', 60 * seconds, 0],
  ['of before the clock was set back', -60 * seconds, 0],
])(
  'settings are saved only without a lock %s, or that could not be saved is said',
  async ([, ageMs, exitCode], { petstore, folder, clock }) => {
    const file = saveSettings(folder, staging);
    for (const line of [
      'config set plan pro',
      'config unset output -p staging',
      'profile use staging',
      'auth login',
    ]) {
      writeFileSync(`${file}.lock`, '');
      const takenAt = new Date(clock.now() - ageMs);
      utimesSync(`${file}.lock`, takenAt, takenAt);
      const before = readFileSync(file, 'utf8');

      const result = await petstore(line, { stdin: testKey });

      expect(result.exitCode, line).toBe(exitCode);
      expect(readFileSync(file, 'utf8') === before, line).toBe(exitCode === 74);
      expect(readdirSync(dirname(file)).includes('settings.json.lock')).toBe(exitCode === 74);
      const stored = 'The key was stored, but not its base URL.';
      const outcome = line === 'auth login' ? stored : 'Nothing was saved.';
      if (exitCode === 74) expect(result.stderr).toContain(outcome);
    }
  },
);

/** Returns what writes a file; its mode does not depend on the umask. */
function write(text: string | Uint8Array, mode = 0o600): Make {
  return (path) => {
    writeFileSync(path, text);
    chmodSync(path, mode);
  };
}

function writeAsOther(path: string): void {
  write(stored)(path);
  chownSync(path, 65_534, 65_534);
}

function linkToNothing(path: string): void {
  symlinkSync('/nowhere/at/all', path);
}

function fileIn(config: string): string {
  return join(config, 'settings.json');
}

function moveToOpenFolder(config: string): void {
  renameSync(config, `${config}-open`);
  chmodSync(`${config}-open`, 0o777);
  mkdirSync(config);
  symlinkSync(fileIn(`${config}-open`), fileIn(config));
}
