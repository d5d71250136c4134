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
const importing = ['categories', 'import', '-', '--format', 'csv', '--yes'];

/** Each folder of the state folder, how a command ends without it, and that command. */
const uses = [
  ['ledger', 74, importing],
  ['ledger', 2, [...importing.slice(0, -1), '--dry-run']],
  ['turns', 74, importing],
  ['turns', 74, ['categories', 'create', 'frog', '--if-missing']],
  ['limits', 0, ['categories', 'list']],
] as const;

const ownFolder = 'Set PETSTORE_STATE_DIR to a folder of your own';

type Fault = readonly [
  what: string,
  isPossible: boolean,
  plant: (path: string, elsewhere: string) => void,
  fix: (path: string) => string,
];
const faults: readonly Fault[] = [
  ['a link', true, (path, elsewhere) => symlinkSync(elsewhere, path), (path) => `rm '${path}'`],
  ['open to others', isPosix, (path) => makeOpen(path), (path) => `chmod 700 '${path}'`],
  ['open to a group', isPosix, (path) => makeOpen(path, 0o720), (path) => `chmod 700 '${path}'`],
  [
    'a link of another user',
    isRoot,
    (path, elsewhere) => {
      symlinkSync(elsewhere, path);
      giveAway(path);
    },
    () => ownFolder,
  ],
  [
    'made by another user',
    isRoot,
    (path) => {
      mkdirSync(path);
      giveAway(path);
    },
    () => ownFolder,
  ],
];

function makeOpen(path: string, mode = 0o777): void {
  mkdirSync(path);
  chmodSync(path, mode);
}

function giveAway(path: string): void {
  lchownSync(path, 12_345, 12_345);
}

describe('a folder in a state folder to which others can write', () => {
  test.for(faults.filter(([, isPossible]) => isPossible))(
    'that is %s is not used, and the way out is said',
    async ([, , plant, fix], { petstore, folder }) => {
      for (const [index, [name, exitCode, argv]] of uses.entries()) {
        const [state, elsewhere] = [join(folder, `${index}`), join(folder, `elsewhere-${index}`)];
        mkdirSync(elsewhere);
        makeOpen(state);
        plant(join(state, name), elsewhere);

        const result = await petstore(argv, { stdin: rows, env: { PETSTORE_STATE_DIR: state } });

        expect(result.exitCode, result.stderr).toBe(exitCode);
        expect(result.stderr).toContain(fix(join(state, name)));
        expect(readdirSync(elsewhere)).toEqual([]);
        expect(readdirSync(join(state, name))).toEqual([]);
      }
    },
  );

  test('is made for the user alone, and all work in it', async ({ petstore, folder }) => {
    const state = join(folder, 'state');
    makeOpen(state);

    for (const [, , argv] of uses) {
      expect((await petstore(argv, { stdin: rows })).exitCode).toBe(0);
    }

    const made = readdirSync(state);
    expect(made.sort()).toEqual(['ledger', 'limits', 'turns']);
    for (const name of made) expect(isPrivate(join(state, name))).toBe(true);
  });
});

test.for([true, false])(
  'a state folder that is a link is followed if it is the user’s own: %s',
  async (isOwn, { petstore, folder, skip }) => {
    skip(!isOwn && !isRoot, 'only root can give a link away');
    const [data, state] = [join(folder, 'data'), join(folder, 'state')];
    mkdirSync(data);
    symlinkSync(data, state);
    if (!isOwn) giveAway(state);

    for (const [, , argv] of uses) {
      const { exitCode, stderr } = await petstore(argv, { stdin: rows });
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
  const argv = ['categories', 'import', put(folder, rows)];
  const victim = put(folder, 'precious', 'victim');
  await petstore([...argv, '--yes']);
  const [ledger = ''] = ledgerFiles(folder);
  rmSync(ledger);
  symlinkSync(victim, ledger);
  sandbox.requests.length = 0;

  for (const flag of ['--yes', '--dry-run']) {
    const { exitCode, stderr } = await petstore([...argv, flag]);
    expect([2, 74]).toContain(exitCode);
    expect(stderr).toContain('is a symbolic link');
  }

  expect(sandbox.requests).toHaveLength(0);
  expect(readFileSync(victim, 'utf8')).toBe('precious');
});
