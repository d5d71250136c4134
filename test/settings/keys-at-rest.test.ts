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

const list = ['categories', 'list'];
const origin = 'http://127.0.0.1:4010';
const env = { PETSTORE_API_KEY: undefined };
const isRoot = process.getuid?.() === 0;
const stored = JSON.stringify({ origin, key: testKey });

describe('a stored key', () => {
  type Make = (file: string) => void;
  const write =
    (text: string | Uint8Array): Make =>
    (file) =>
      writeFileSync(file, text, { mode: 0o600 });
  const mode =
    (bits: number): Make =>
    (file) => {
      writeFileSync(file, stored);
      chmodSync(file, bits);
    };
  const openToOthers: [string, Make, string][] = [
    ['that its group can read', mode(0o640), 'is readable by other users'],
    ['that all can read', mode(0o604), "chmod 600 '"],
    ['that others can write', mode(0o622), 'is readable by other users'],
  ];
  const ofAnother: [string, Make, string] = [
    'of another user',
    (file) => {
      write(stored)(file);
      chownSync(file, 65_534, 65_534);
    },
    'is owned by another user\nNothing was sent.\npetstore auth login',
  ];
  const corrupted = 'is corrupted\nNothing was sent.\npetstore auth login --profile production\n';

  test.for<[string, Make, string]>([
    ...(isPosix ? openToOthers : []),
    ...(isRoot ? [ofAnother] : []),
    ['in a pipe', (file) => execFileSync('mkfifo', ['-m', '600', file]), 'is not a regular file'],
    ['in a folder', (file) => mkdirSync(file), 'is not a regular file'],
    ['in a device', (file) => symlinkSync('/dev/null', file), 'is not a regular file'],
    ['in a link to itself', (file) => symlinkSync(file, file), '(ELOOP)'],
    ['cut short', write(stored.slice(0, -2)), corrupted],
    ['in an empty file', write(''), corrupted],
    ['among NUL bytes', write(`${stored}\0\0`), corrupted],
    ['of a wrong type', write('{"origin":"https://a.example","key":1}'), corrupted],
    ['in a list', write(`[${stored}]`), corrupted],
    ['of a newer version', write(stored.replace('{', '{"version":2,')), corrupted],
    ['with a prototype', write(stored.replace('{', '{"__proto__":{"a":1},')), corrupted],
    ['that is not UTF-8', write(Buffer.from([0x22, 0xff])), 'not valid UTF-8'],
    ['of two words', write(JSON.stringify({ origin, key: 'two words' })), 'character 4 is a space'],
  ])('%s is refused, not shown and left as it is', async (row, { petstore, sandbox, folder }) => {
    const [, make, says] = row;
    const keys = join(folder, 'config', 'keys');
    mkdirSync(keys, { recursive: true });
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
    const keys = join(folder, 'config', 'keys');
    mkdirSync(keys, { recursive: true });
    chmodSync(keys, 0o755);

    const login = ['auth', 'login', '--base-url', origin];
    expect((await petstore(login, { env, stdin: testKey })).exitCode).toBe(0);

    expect(isPrivate(keys)).toBe(true);
  });

  test('whose name has capitals is refused for the profile in lower case', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const keys = join(folder, 'config', 'keys');
    mkdirSync(keys, { recursive: true, mode: 0o700 });
    write(stored)(join(keys, 'Prod.json'));
    const ownBase = { ...env, PETSTORE_BASE_URL: `${origin}/v1` };

    for (const argv of [list, ['auth', 'login'], ['auth', 'logout'], ['auth', 'status']]) {
      const options = { env: ownBase, stdin: testKey };
      const { exitCode, stderr } = await petstore([...argv, '-p', 'prod'], options);

      expect([exitCode, stderr]).toEqual([
        2,
        `petstore: ${join(keys, 'Prod.json')} is not used: profile names are in lower case\n` +
          'Nothing was sent.\nRename it to prod.json, or remove it.\n',
      ]);
    }
    expect(readdirSync(keys)).toEqual(['Prod.json']);
    expect(await petstore(['profile', 'list'], { env })).toMatchObject({ exitCode: 2 });
    expect(await petstore(list, { env: { ...env, PETSTORE_API_KEY: testKey } })).toMatchObject({
      exitCode: 0,
    });
    expect(sandbox.requests).toHaveLength(1);
  });

  test('is read through a link and from a file with a byte order mark', async ({
    petstore,
    folder,
  }) => {
    mkdirSync(join(folder, 'config', 'keys'), { recursive: true });
    writeFileSync(join(folder, 'vault'), `\ufeff${stored}`, { mode: 0o600 });
    symlinkSync(join(folder, 'vault'), join(folder, 'config', 'keys', 'production.json'));

    expect((await petstore(list, { env })).exitCode).toBe(0);
  });
});

describe('a settings file that is a link', () => {
  const [before, after] = ['{"default-profile":"staging"}', /"output": "json"/];

  test('stays one, and what it leads to is changed', async ({ petstore, folder }) => {
    const [path, target] = link(folder, before);

    expect((await petstore(['config', 'set', 'output', 'json'])).exitCode).toBe(0);

    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, 'utf8')).toMatch(after);
    expect(readFileSync(target, 'utf8')).toContain('staging');
    expect(readdirSync(join(folder, 'dotfiles'))).toEqual(['petstore.json']);
  });

  test('is left alone when it leads nowhere: exit 74', async ({ petstore, folder }) => {
    const [path, target] = link(folder, before);
    renameSync(target, `${target}.away`);

    const result = await petstore(['config', 'set', 'output', 'json']);

    expect(result.exitCode).toBe(74);
    expect(result.stderr).toContain(`cannot save ${path} (ENOENT)`);
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
  });
});

/** The settings file as a link, and what it leads to. */
function link(folder: string, text: string): [string, string] {
  const path = join(folder, 'config', 'settings.json');
  const target = join(folder, 'dotfiles', 'petstore.json');
  for (const made of ['config', 'dotfiles']) mkdirSync(join(folder, made));
  writeFileSync(target, text);
  symlinkSync(target, path);
  return [path, target];
}
