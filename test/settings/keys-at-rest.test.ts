import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, test, testKey } from '../support/petstore.ts';
import { isPosix, isPrivate } from '../support/posix.ts';
import { saveSettings } from '../support/settings-file.ts';

const list = ['categories', 'list'];
const origin = 'http://127.0.0.1:4010';
const env = { PETSTORE_API_KEY: undefined };
const isRoot = process.getuid?.() === 0;
const stored = JSON.stringify({ origin, key: testKey });

type Make = (file: string) => void;
const write =
  (text: string | Uint8Array, mode = 0o600): Make =>
  (file) => {
    writeFileSync(file, text);
    chmodSync(file, mode);
  };

/** Makes the folder of the keys. */
function keysIn(folder: string): string {
  const keys = join(folder, 'config', 'keys');
  mkdirSync(keys, { recursive: true, mode: 0o700 });
  return keys;
}

describe('a stored key', () => {
  const openToOthers: [string, Make, string][] = [
    ['that its group can read', write(stored, 0o640), 'is readable by other users'],
    ['that all can read', write(stored, 0o604), "chmod 600 '"],
  ];
  const ofAnother: [string, Make, string] = [
    'of another user',
    (file) => {
      write(stored)(file);
      chownSync(file, 65_534, 65_534);
    },
    'is owned by another user\nNothing was sent.\nRun: petstore auth login',
  ];
  const corrupted =
    'is corrupted\nNothing was sent.\nRun: petstore auth login --profile production\n';

  test.for<[string, Make, string]>([
    ...(isPosix ? openToOthers : []),
    ...(isRoot ? [ofAnother] : []),
    ['in a pipe', (file) => execFileSync('mkfifo', ['-m', '600', file]), 'is not a regular file'],
    ['in a folder', (file) => mkdirSync(file), 'is a directory'],
    ['in a link to itself', (file) => symlinkSync(file, file), '(ELOOP)'],
    ['in a link to nothing', (file) => symlinkSync('/nowhere/at/all', file), 'leads nowhere\n'],
    ['cut short', write(stored.slice(0, -2)), corrupted],
    ['of a wrong type', write('{"origin":"https://a.example","key":1}'), corrupted],
    ['of a newer version', write(stored.replace('{', '{"version":2,')), corrupted],
    ['with a prototype', write(stored.replace('{', '{"__proto__":{"a":1},')), corrupted],
    ['that is not UTF-8', write(Buffer.from([0x22, 0xff])), 'not valid UTF-8'],
    ['of two words', write(JSON.stringify({ origin, key: 'two words' })), 'character 4 is a space'],
  ])('%s is refused, not shown and left as it is', async (row, { petstore, sandbox, folder }) => {
    const [, make, says] = row;
    const keys = keysIn(folder);
    const file = join(keys, 'production.json');
    make(file);
    const before = lstatSync(file);

    const result = await petstore(list, { env });

    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain(says);
    expect(result.stderr).not.toContain(testKey.slice(0, 8));
    expect(sandbox.requests).toHaveLength(0);
    expect(lstatSync(file)).toMatchObject({ ino: before.ino, mode: before.mode });
    expect(readdirSync(keys)).toEqual(['production.json']);
    const other = { ...env, PETSTORE_API_KEY: testKey };
    expect(await petstore(list, { env: other })).toMatchObject({ exitCode: 0 });
    const named = await petstore([...list, '-p', 'production'], { env: other });
    expect(named).toMatchObject({ exitCode: 2, stdout: '' });
  });

  test('is closed to others again by the next login, folder and all', async ({
    petstore,
    folder,
  }) => {
    const keys = keysIn(folder);
    chmodSync(keys, 0o755);

    const login = await petstore('auth login', { env, stdin: testKey });

    const file = join(keys, 'production.json');
    expect([login.exitCode, isPrivate(keys), isPrivate(file)]).toEqual([0, true, true]);
  });

  test('is read through a link and from a file with a byte order mark', async ({
    petstore,
    folder,
  }) => {
    const vault = join(folder, 'vault');
    write(`\ufeff${stored}`)(vault);
    symlinkSync(vault, join(keysIn(folder), 'production.json'));

    expect((await petstore(list, { env })).exitCode).toBe(0);
  });
});

test('a settings file that is a link stays one, and what it leads to is changed', async ({
  petstore,
  folder,
}) => {
  const path = saveSettings(folder, '{"default-profile":"staging"}');
  mkdirSync(join(folder, 'dotfiles'));
  renameSync(path, join(folder, 'dotfiles', 'petstore.json'));
  symlinkSync(join('..', 'dotfiles', 'petstore.json'), path);

  expect((await petstore('config set output json')).exitCode).toBe(0);

  expect(lstatSync(path).isSymbolicLink()).toBe(true);
  const profiles = { staging: { output: 'json' } };
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
    'default-profile': 'staging',
    profiles,
  });
  expect(readdirSync(join(folder, 'dotfiles'))).toEqual(['petstore.json']);
});

describe('a key file', () => {
  const read = [...list, '--api-key-file'];

  test.skipIf(!isPosix)('may have any mode, and nothing is said', async ({ petstore, folder }) => {
    for (const mode of [0o600, 0o444, 0o644, 0o622, 0o666]) {
      const file = join(folder, `key-${mode}`);
      write(testKey, mode)(file);

      const { exitCode, stderr } = await petstore([...read, file], { env });

      expect(exitCode).toBe(0);
      expect(stderr).not.toContain('other users');
    }
  });

  test.for<[string, Make, string]>([
    ['folder', (path) => mkdirSync(path), 'is a directory'],
    ['device', (path) => symlinkSync('/dev/null', path), 'is not a regular file'],
    ['link to itself', (path) => symlinkSync(path, path), '(ELOOP)'],
  ])('that is a %s is refused', async ([, make, says], { petstore, folder }) => {
    const path = join(folder, 'key');
    make(path);

    const { exitCode, stderr } = await petstore([...read, path], { env });

    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(says)]);
  });
});
