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
const createToad = ['categories', 'create', 'toad', '--if-missing', '-p', 'sandbox'];
const saveSetting = ['config', 'set', 'output', 'json'];
const login = ['auth', 'login'];
const standardInput = (argv: readonly string[]) => (argv === importRows ? rows : key);

describe('root, with HOME of a user (sudo)', { tags: ['root'] }, () => {
  test('makes nothing that is not the user’s, and locks them out of nothing', async ({
    petstore,
    folder,
  }) => {
    const home = join(folder, 'home');
    mkdirSync(home);
    // A file that is replaced stays with its owner.
    mkdirSync(join(home, '.config/petstore'), { recursive: true, mode: 0o700 });
    writeFileSync(join(home, '.config/petstore/settings.json'), '{}', { mode: 0o600 });
    giveToUser(folder);

    for (const user of [0, uid]) {
      for (const argv of [saveSetting, login, importRows]) {
        const options = { env: { HOME: home, ...address }, stdin: standardInput(argv), uid: user };
        const { code, stderr } = await petstore(argv, options);
        expect([code, user, argv], stderr).toEqual([0, user, argv]);
        expect(stderr).not.toMatch(/EACCES|is shared in|forgets/);
        expect(ofOthersBelow(home)).toEqual([]);
      }
    }
  });
});

describe('what root left in a home folder', { tags: ['root'] }, () => {
  const state = '.local/state/petstore';

  test.for([
    ['.config/petstore/settings.json', 2, saveSetting],
    ['.config/petstore/keys', 74, login],
    ['.config/petstore/keys', 2, ['auth', 'status']],
    ['.local', 74, importRows],
    [`${state}/names`, 74, importRows],
    // These keep no command from its work.
    [`${state}/limits`, 0, createToad, 'is shared in'],
    [`${state}/sandbox`, 0, createToad, 'is lost when this command ends'],
    [`${state}/names`, 0, createToad, 'could create the same name'],
  ] as const)(
    '%s is named with the command that gives it back (exit %i)',
    async (row, { petstore, folder }) => {
      const [what, exit, argv, says = /is owned by (root|another user \(0\))/] = row;
      const home = join(folder, 'home');
      const left = join(home, what);
      mkdirSync(dirname(left), { recursive: true, mode: 0o700 });
      giveToUser(folder);
      if (what.endsWith('.json')) writeFileSync(left, '{}', { mode: 0o600 });
      else mkdirSync(left, { mode: 0o700 });

      const options = { env: { HOME: home, ...address }, stdin: standardInput(argv), uid };
      const { code, stderr } = await petstore(argv, options);

      expect(code, stderr).toBe(exit);
      expect(stderr).toMatch(says);
      expect(stderr).toContain(`sudo chown -R ${uid} '${left}'`);
      // The sandbox, whose state is lost too, has a line of its own.
      expect(stderr.split('\n').length, stderr).toBeLessThanOrEqual(5);
    },
  );
});

function giveToUser(folder: string): void {
  for (const path of [folder, ...allBelow(folder)]) chownSync(path, uid, uid);
}

function ofOthersBelow(home: string): string[] {
  const ofOthers = allBelow(home).filter((path) => {
    const stats = lstatSync(path);
    return stats.uid !== uid || stats.gid !== uid;
  });
  return ofOthers.map((path) => relative(home, path));
}

function allBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)));
}
