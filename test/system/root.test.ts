import { chownSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe } from 'vitest';
import { expect, test } from '../support/program.ts';

/** A user of this machine who is not root. */
const uid = 65_534;

const rows = 'name\nfrog\nnewt\n';
const address = { PETSTORE_BASE_URL: 'http://127.0.0.1:9/v1' };
const key = 'a-key-of-the-test-0001';

const importRows = ['categories', 'import', '-', '--format', 'csv', '--yes', '-p', 'sandbox'];
const saveSetting = ['config', 'set', 'output', 'json'];
const login = ['auth', 'login'];
/** Commands that make all of what petstore keeps, with their standard input. */
const commands: readonly (readonly [argv: readonly string[], stdin: string])[] = [
  [saveSetting, ''],
  [login, key],
  [['categories', 'create', 'eft', '--if-missing', '-p', 'sandbox'], ''],
  [importRows, rows],
  [['auth', 'logout'], ''],
];

describe('root, with HOME of a user (sudo)', { tags: ['root'] }, () => {
  test('makes nothing that is not the user’s, and locks them out of nothing', async ({
    petstore,
    folder,
  }) => {
    const home = join(folder, 'home');
    mkdirSync(home);
    for (const path of [folder, home]) chownSync(path, uid, uid);

    for (const user of [0, uid]) {
      for (const [argv, stdin] of commands) {
        const env = { HOME: home, ...address };
        const { code, stderr } = await petstore(argv, { env, stdin, uid: user });
        expect([code, user, argv], stderr).toEqual([0, user, argv]);
        expect(stderr).not.toMatch(/EACCES|is shared in|forgets/);
        expect(ownersBelow(home)).toEqual([]);
      }
    }
  });

  test('changes nothing of whose a folder of its own is', async ({ petstore, folder }) => {
    for (const [argv, stdin] of commands) {
      const env = { HOME: folder, ...address };
      expect((await petstore(argv, { env, stdin })).code, argv.join(' ')).toBe(0);
    }
    expect(new Set(allBelow(folder).map((path) => lstatSync(path).uid))).toEqual(new Set([0]));
  });

  test('leaves a file that it replaces to the one who had it', async ({ petstore, folder }) => {
    mkdirSync(join(folder, 'config'));
    const file = join(folder, 'config', 'settings.json');
    writeFileSync(file, '{}');
    chownSync(file, uid, uid);

    const env = { PETSTORE_CONFIG_DIR: join(folder, 'config') };
    expect((await petstore(['config', 'set', 'output', 'json'], { env })).code).toBe(0);

    expect(lstatSync(file)).toMatchObject({ uid, gid: uid });
  });
});

describe('what root left in a home folder', { tags: ['root'] }, () => {
  const config = '.config/petstore';
  const state = '.local/state/petstore';

  test.for([
    ['.config', 2, saveSetting],
    [config, 2, login],
    [`${config}/settings.json`, 2, saveSetting],
    [`${config}/keys`, 74, login],
    [`${config}/keys`, 2, ['auth', 'status']],
    [`${config}/keys.lock`, 74, login],
    ['.local', 74, importRows],
    [state, 74, ['doctor', '-p', 'sandbox']],
    [`${state}/imports`, 74, importRows],
    [`${state}/names`, 74, importRows],
  ] as const)(
    '%s is named with root and the command that gives it back (exit %i)',
    async ([what, exit, argv], { petstore, folder }) => {
      const home = join(folder, 'home');
      mkdirSync(dirname(join(home, what)), { recursive: true });
      for (const path of [folder, home, ...allBelow(home)]) chownSync(path, uid, uid);
      const left = join(home, what);
      if (what.endsWith('.json')) writeFileSync(left, '{}', { mode: 0o600 });
      else mkdirSync(left, { mode: 0o700 });

      const env = { HOME: home, ...address };
      const stdin = argv === importRows ? rows : key;
      const { code, stderr } = await petstore(argv, { env, stdin, uid });

      expect(code, stderr).toBe(exit);
      expect(stderr).toMatch(/is owned by (root|another user \(0\))/);
      expect(stderr).toContain(`sudo chown -R ${uid} '${left}'`);
      // The sandbox, whose state is lost too, has a line of its own.
      expect(stderr.split('\n').length, stderr).toBeLessThanOrEqual(5);
      expect(stderr).not.toContain('Make room');
    },
  );

  test.for([
    [`${state}/limits`, 'is shared in'],
    [`${state}/sandbox`, 'is gone when this command ends'],
    [`${state}/names`, 'could create the same name'],
  ] as const)(
    '%s keeps no command from its work, and the notice says how to give it back',
    async ([what, says], { petstore, folder }) => {
      const home = join(folder, 'home');
      mkdirSync(join(home, what), { recursive: true, mode: 0o700 });
      for (const path of [folder, home, ...allBelow(home)]) chownSync(path, uid, uid);
      chownSync(join(home, what), 0, 0);

      const argv = ['categories', 'create', 'toad', '--if-missing', '-p', 'sandbox'];
      const { code, stderr } = await petstore(argv, { env: { HOME: home }, uid });

      expect(code, stderr).toBe(0);
      expect(stderr).toContain(says);
      expect(stderr).toContain(`sudo chown -R ${uid} '${join(home, what)}'`);
    },
  );
});

function allBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)));
}

/** What somebody else than the user owns. */
function ownersBelow(home: string): string[] {
  const foreign = allBelow(home).filter((path) => {
    const stats = lstatSync(path);
    return stats.uid !== uid || stats.gid !== uid;
  });
  return foreign.map((path) => relative(home, path));
}
