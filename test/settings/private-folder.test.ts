import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { journals, put } from '../support/import-cases.ts';
import { expect, test } from '../support/petstore.ts';
import { isPosix, isPrivate } from '../support/posix.ts';

const isRoot = process.getuid?.() === 0;
const another = 12_345;

const rows = 'name\nfrog\n';
const importing = ['categories', 'import', '-', '--format', 'csv', '--yes'];

/** Each folder of the state folder, how a command ends without it, and that command. */
const uses = [
  ['imports', 74, importing],
  ['imports', 2, [...importing.slice(0, -1), '--dry-run']],
  ['names', 74, importing],
  ['names', 0, ['categories', 'create', 'frog', '--if-missing']],
  ['limits', 0, ['categories', 'list']],
] as const;

const ownFolder = 'Set PETSTORE_STATE_DIR to a folder of your own.';

type Plant = (path: string, elsewhere: string) => void;
type Fault = readonly [what: string, plant: Plant, fix: (path: string) => string];

const withModes: Fault[] = [
  ['open to others', (path) => mkdirOf(path, 0o777), (path) => `chmod 700 '${path}'`],
];
const asRoot: Fault[] = [
  [
    'a link of another user',
    (path, elsewhere) => {
      symlinkSync(elsewhere, path);
      lchownSync(path, another, another);
    },
    () => ownFolder,
  ],
  [
    'made by another user',
    (path) => {
      mkdirSync(path);
      chownSync(path, another, another);
    },
    () => ownFolder,
  ],
];
const faults: readonly Fault[] = [
  ['a link', (path, elsewhere) => symlinkSync(elsewhere, path), (path) => `rm '${path}'`],
  ...(isPosix ? withModes : []),
  ...(isRoot ? asRoot : []),
];

function mkdirOf(path: string, mode: number): void {
  mkdirSync(path);
  chmodSync(path, mode);
}

describe('a folder in a state folder to which others can write', () => {
  test.for(faults)(
    'that is %s is not used, and the way out is said',
    async (fault, { petstore, folder }) => {
      const [, plant, fix] = fault;
      for (const [index, [name, exitCode, argv]] of uses.entries()) {
        const [state, elsewhere] = [join(folder, `${index}`), join(folder, `elsewhere-${index}`)];
        mkdirSync(elsewhere);
        mkdirOf(state, 0o777);
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
    mkdirOf(state, 0o777);

    for (const [, , argv] of uses) {
      expect((await petstore(argv, { stdin: rows })).exitCode).toBe(0);
    }

    const made = readdirSync(state);
    expect(made.sort()).toEqual(['imports', 'limits', 'names']);
    for (const name of made) expect(isPrivate(join(state, name))).toBe(true);
  });
});

describe('a state folder that is a link', () => {
  test('of the user leads where it leads', async ({ petstore, folder }) => {
    mkdirSync(join(folder, 'data'));
    symlinkSync(join(folder, 'data'), join(folder, 'state'));

    for (const [, , argv] of uses) {
      expect(await petstore(argv, { stdin: rows })).toMatchObject({
        exitCode: 0,
        stderr: expect.not.stringContaining('is a symbolic link'),
      });
    }

    expect(readdirSync(join(folder, 'data')).sort()).toEqual(['imports', 'limits', 'names']);
  });

  test.skipIf(!isRoot)('of another user is not followed', async ({ petstore, folder }) => {
    mkdirSync(join(folder, 'data'));
    symlinkSync(join(folder, 'data'), join(folder, 'state'));
    lchownSync(join(folder, 'state'), another, another);

    for (const [, , argv] of uses) {
      const { stderr } = await petstore(argv, { stdin: rows });
      expect(stderr).toContain(ownFolder);
    }

    expect(readdirSync(join(folder, 'data'))).toEqual([]);
  });
});

describe('a journal in whose place there is', () => {
  test.for([
    ['a link', (path: string, victim: string) => symlinkSync(victim, path), 'is a symbolic link'],
    ['a pipe', (path: string) => void execFileSync('mkfifo', [path]), 'is not a regular file'],
    ['a folder', (path: string) => void mkdirSync(path), /is not a regular file|\(EISDIR\)/],
  ] as const)(
    '%s is left as it is: nothing is sent',
    async ([, plant, says], { petstore, folder, sandbox }) => {
      // The journal of such an import stays when it is done.
      const argv = ['categories', 'import', put(folder, rows), '--allow-duplicates'];
      const victim = join(folder, 'victim');
      writeFileSync(victim, 'precious');
      await petstore([...argv, '--yes']);
      const [journal = ''] = journals(folder);
      rmSync(journal);
      sandbox.categories.length = 0;
      sandbox.requests.length = 0;
      plant(journal, victim);

      for (const flag of ['--yes', '--dry-run']) {
        const { exitCode, stderr } = await petstore([...argv, flag]);
        expect([2, 74]).toContain(exitCode);
        expect(stderr).toMatch(says);
      }

      expect(sandbox.requests).toHaveLength(0);
      expect(readFileSync(victim, 'utf8')).toBe('precious');
    },
  );
});
