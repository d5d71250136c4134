import { chownSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe } from 'vitest';
import { expect, test } from '../support/program.ts';

const isRoot = process.getuid?.() === 0;
/** A user of this machine who is not root. */
const uid = 65_534;

const address = { PETSTORE_BASE_URL: 'http://127.0.0.1:9/v1' };
const key = 'a-key-of-the-test-0001';
const rows = 'name\nfrog\nnewt\n';

const login = ['auth', 'login'];
const importRows = 'categories import - --format csv --yes -p sandbox'.split(' ');
const set = ['config', 'set', 'output', 'json'];

/** What a user may run with sudo: commands that make files, and some that read them. */
const commands: [argv: string[], stdin?: string][] = [
  [set],
  [login, key],
  [importRows, rows],
  [['categories', 'create', 'eft', '--if-missing', '-p', 'sandbox']],
  [['doctor', '-p', 'sandbox']],
  [['auth', 'logout']],
];

describe.skipIf(!isRoot)('root, with HOME of a user (sudo)', () => {
  test('makes nothing that is not the user’s, and locks them out of nothing', async ({
    petstore,
    folder,
  }) => {
    const home = join(folder, 'home');
    mkdirSync(home);
    giveAway(folder);

    for (const user of [0, uid]) {
      for (const [argv, stdin = ''] of commands) {
        const env = { HOME: home, ...(argv === login && address) };
        const { code, stderr } = await petstore(argv, { env, stdin, uid: user });

        expect([code, user, argv, stderr]).toEqual([0, user, argv, expect.anything()]);
        expect(stderr).not.toMatch(/EACCES|is shared in|forgets/);
        const foreign = allBelow(home).filter((path) => !isOf(uid, path));
        expect(foreign, argv.join(' ')).toEqual([]);
      }
    }
  });

  test('changes nothing of whose a folder of its own, or a file of a user, is', async ({
    petstore,
    folder,
  }) => {
    for (const [argv, stdin = ''] of commands.slice(0, 3)) {
      const env = { HOME: folder, ...(argv === login && address) };
      expect((await petstore(argv, { env, stdin })).code).toBe(0);
    }
    expect(allBelow(folder).filter((path) => !isOf(0, path))).toEqual([]);

    const settings = join(folder, '.config', 'petstore', 'settings.json');
    chownSync(settings, uid, uid);
    expect((await petstore(['config', 'unset', 'output'], { env: { HOME: folder } })).code).toBe(0);
    expect(isOf(uid, settings)).toBe(true);
  });
});

describe.skipIf(!isRoot).concurrent('what root left in a home folder', () => {
  const config = '.config/petstore';
  const state = '.local/state/petstore';
  const status = ['auth', 'status'];

  test.for([
    ['.config', [set, status], [74, 2]],
    [config, [login, ['auth', 'logout'], ['config', 'list']], [74, 2]],
    [`${config}/settings.json`, [set, status], [2]],
    [`${config}/keys`, [login, status], [74, 2]],
    [`${config}/keys.lock`, [login], [74]],
    ['.local', [importRows], [74]],
    ['.local/state', [importRows], [74]],
    [state, [importRows, ['doctor', '-p', 'sandbox']], [74]],
  ] as const)(
    '%s is named with root and the command that gives it back',
    async ([name, commands, exits], { petstore, folder }) => {
      const home = join(folder, 'home');
      const left = join(home, name);
      mkdirSync(dirname(left), { recursive: true });
      giveAway(folder);
      if (name.endsWith('.json')) writeFileSync(left, '{}', { mode: 0o600 });
      else mkdirSync(left, { mode: 0o700 });

      for (const argv of commands) {
        const stdin = argv === importRows ? rows : key;
        const env = { HOME: home, ...address };
        const { code, stderr } = await petstore(argv, { env, stdin, uid });

        expect(exits, stderr).toContain(code);
        expect(stderr).toMatch(/is owned by (root|another user \(0\))/);
        expect(stderr).toContain(`sudo chown -R ${uid} '${left}'`);
        expect(stderr.split('\n').length, stderr).toBeLessThanOrEqual(4);
        expect(stderr).not.toContain('Make room');
      }
    },
  );

  test('each part of the state is named too, also where the command does its work without it', async ({
    petstore,
    folder,
  }) => {
    const home = join(folder, 'home');
    mkdirSync(home);
    giveAway(folder);
    const run = (name: string) => {
      const stdin = `name\n${name}\n`;
      return petstore(importRows, { env: { HOME: home }, stdin, uid });
    };
    expect((await run('frog')).code).toBe(0);

    const parts = readdirSync(join(home, state), { withFileTypes: true });
    const folders = parts.filter((part) => part.isDirectory()).map(({ name }) => name);
    expect(folders).not.toEqual([]);
    const notices = /is shared in|is lost when this command ends|could create the same name/;
    for (const name of folders) {
      const left = join(home, state, name);
      chownSync(left, 0, 0);
      const { code, stderr } = await run(name);
      chownSync(left, uid, uid);

      expect([0, 74], stderr).toContain(code);
      if (code === 0) expect(stderr).toMatch(notices);
      expect(stderr, name).toContain(`sudo chown -R ${uid} '${left}'`);
    }
  });
});

/** Makes that user the owner of a folder and of all below it. */
function giveAway(folder: string): void {
  for (const path of [folder, ...allBelow(folder)]) chownSync(path, uid, uid);
}

function allBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)));
}

function isOf(user: number, path: string): boolean {
  const stats = lstatSync(path);
  return stats.uid === user && stats.gid === user;
}
