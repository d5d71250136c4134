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
  const write = (text: string | Uint8Array) => (file: string) =>
    writeFileSync(file, text, { mode: 0o600 });
  const mode = (bits: number) => (file: string) => {
    writeFileSync(file, stored);
    chmodSync(file, bits);
  };
  const rows = [
    ...[
      { what: 'that its group can read', make: mode(0o640), says: 'is readable by other users' },
      { what: 'that all can read', make: mode(0o604), says: "chmod 600 '" },
      { what: 'that others can write', make: mode(0o622), says: 'is readable by other users' },
    ].filter(() => isPosix),
    {
      what: 'in a pipe',
      make: (file: string) => void execFileSync('mkfifo', ['-m', '600', file]),
      says: 'is not a regular file',
    },
    {
      what: 'in a folder',
      make: (file: string) => void mkdirSync(file),
      says: 'is not a regular file',
    },
    {
      what: 'in a device',
      make: (file: string) => symlinkSync('/dev/null', file),
      says: 'is not a regular file',
    },
    {
      what: 'in a link to itself',
      make: (file: string) => symlinkSync(file, file),
      says: '(ELOOP)',
    },
    { what: 'cut short', make: write(stored.slice(0, -2)), says: 'is corrupted' },
    { what: 'in an empty file', make: write(''), says: 'is corrupted' },
    { what: 'among NUL bytes', make: write(`${stored}\0\0`), says: 'is corrupted' },
    {
      what: 'of a wrong type',
      make: write('{"origin":"https://a.example","key":1}'),
      says: 'is corrupted',
    },
    {
      what: 'in a list',
      make: write(`[${stored}]`),
      says: 'is corrupted\nNothing was sent.\npetstore auth login --profile production\n',
    },
    {
      what: 'of a newer version',
      make: write(stored.replace('{', '{"version":2,')),
      says: 'is corrupted',
    },
    {
      what: 'with a prototype',
      make: write(stored.replace('{', '{"__proto__":{"a":1},')),
      says: 'is corrupted',
    },
    {
      what: 'with a constructor',
      make: write(stored.replace('{', '{"constructor":{"prototype":{"a":1}},')),
      says: 'is corrupted',
    },
    { what: 'that is not UTF-8', make: write(Buffer.from([0x22, 0xff])), says: 'not valid UTF-8' },
    {
      what: 'that is no key',
      make: write(JSON.stringify({ origin, key: 'two words' })),
      says: 'character 4 is a space',
    },
    {
      what: 'of another user',
      asRoot: true,
      make(file: string) {
        write(stored)(file);
        chownSync(file, 65_534, 65_534);
      },
      says: 'is owned by another user\nNothing was sent.\npetstore auth login',
    },
  ].filter((row) => !('asRoot' in row) || isRoot);

  test.for(rows)(
    '$what is refused, not shown and left as it is',
    async ({ make, says }, { petstore, sandbox, folder }) => {
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
    },
  );

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
        `petstore: ${join(keys, 'Prod.json')} is not used: names of profiles are in lower case now\n` +
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
