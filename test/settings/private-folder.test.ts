import {
  chmodSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { ledgerFiles, put } from '../support/import-cases.ts';
import { expect, test } from '../support/petstore.ts';
import { isPosix, isPrivate } from '../support/posix.ts';

const isRoot = process.getuid?.() === 0;
const rows = 'name\nfrog\n';

/** Each folder of the state folder, how a command ends without it, and that command. */
const uses = [
  ['ledger', 74, 'categories import - --format csv --yes'],
  ['ledger', 74, 'categories import - --format csv --dry-run'],
  ['turns', 74, 'categories import - --format csv --yes'],
  ['turns', 74, 'categories create frog --if-missing'],
  ['limits', 74, 'categories list'],
] as const;

const ownFolder = 'Set PETSTORE_STATE_DIR to a folder of your own';

describe('a folder in a state folder to which others can write', () => {
  test.for<[string, (path: string, elsewhere: string) => void, string, isPossible?: boolean]>([
    ['a link', (path, elsewhere) => symlinkSync(elsewhere, path), "rm 'PATH'"],
    ['open to others', (path) => makeFolder(path, 0o702), "chmod go-w 'PATH'", isPosix],
    ['open to a group', (path) => makeFolder(path, 0o720), "chmod go-w 'PATH'", isPosix],
    ['a link of another user', linkOfAnother, ownFolder, isRoot],
    ['made by another user', (path) => giveAway(makeFolder(path, 0o755)), ownFolder, isRoot],
  ])('that is %s is not used, and the way out is said', async (row, { petstore, folder, skip }) => {
    const [, plant, fix, isPossible = true] = row;
    skip(!isPossible);
    for (const [index, [name, exitCode, line]] of uses.entries()) {
      const state = makeFolder(join(folder, `${index}`), 0o777);
      const elsewhere = makeFolder(join(folder, `elsewhere-${index}`), 0o755);
      const path = join(state, name);
      plant(path, elsewhere);

      const result = await petstore(line, { stdin: rows, env: { PETSTORE_STATE_DIR: state } });

      expect(result.exitCode, result.stderr).toBe(exitCode);
      expect(result.stderr).toContain(fix.replace('PATH', path));
      for (const place of [elsewhere, path]) expect(readdirSync(place)).toEqual([]);
    }
  });

  test('is made for the user alone, and all work in it', async ({ petstore, folder }) => {
    const state = makeFolder(join(folder, 'state'), 0o777);

    for (const [, , line] of uses) {
      expect((await petstore(line, { stdin: rows })).exitCode).toBe(0);
    }

    expect(readdirSync(state).sort()).toEqual(['ledger', 'limits', 'turns']);
    const names = readdirSync(state, { recursive: true, encoding: 'utf8' });
    expect(names.filter((name) => !isPrivate(join(state, name)))).toEqual([]);
  });
});

test.for([true, false])(
  'a state folder that is a link is followed if it is the user’s own: %s',
  async (isOwn, { petstore, folder, skip }) => {
    skip(!isOwn && !isRoot, 'only root can give a link away');
    const [data, state] = [makeFolder(join(folder, 'data'), 0o755), join(folder, 'state')];
    symlinkSync(data, state);
    if (!isOwn) giveAway(state);

    for (const [, , line] of uses) {
      const { exitCode, stderr } = await petstore(line, { stdin: rows });
      if (isOwn) expect(exitCode).toBe(0);
      expect(stderr.includes(isOwn ? 'is a symbolic link' : ownFolder)).toBe(!isOwn);
    }

    expect(readdirSync(data).sort()).toEqual(isOwn ? ['ledger', 'limits', 'turns'] : []);
  },
);

test('a link in the place of a ledger is left as it is: nothing is sent', async ({
  petstore,
  folder,
  sandbox,
}) => {
  const line = `categories import ${put(folder, rows)}`;
  const victim = put(folder, 'precious', 'victim');
  await petstore(`${line} --yes`);
  const [ledger = ''] = ledgerFiles(folder);
  rmSync(ledger);
  symlinkSync(victim, ledger);
  sandbox.requests.length = 0;

  for (const flag of ['--yes', '--dry-run']) {
    const { exitCode, stderr } = await petstore(`${line} ${flag}`);
    expect([exitCode, stderr]).toEqual([74, expect.stringContaining('is a symbolic link')]);
  }
  expect(sandbox.requests).toHaveLength(0);
  expect(readFileSync(victim, 'utf8')).toBe('precious');
});

/** Makes a folder with this mode, whatever the umask is. */
function makeFolder(path: string, mode: number): string {
  mkdirSync(path);
  chmodSync(path, mode);
  return path;
}

function linkOfAnother(path: string, elsewhere: string): void {
  symlinkSync(elsewhere, path);
  giveAway(path);
}

function giveAway(path: string): void {
  lchownSync(path, 12_345, 12_345);
}
